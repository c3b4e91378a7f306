/**
 * A whole number in as few characters of Z85 as it needs: one below 42, two below 1,764. The lowest digit comes first, and all but the
 * last one are marked, so that numbers can stand one behind the other without a separator.
 */
import { digit, digitAt } from '../test-history/z85.js';

const BASE = 42;

/** Those of two characters at most, because each result has two of them. */
const short = Array.from({ length: BASE * BASE }, (_, value) => inDigits(value));

export function shortNumber(value: number): string {
  return short[value] ?? inDigits(value);
}

function inDigits(value: number): string {
  let text = '';
  for (; value >= BASE; value = Math.floor(value / BASE)) text += digit(BASE + (value % BASE));
  return text + digit(value);
}

export function shortNumberAt(text: string, at: number): number {
  let value = 0;
  let unit = 1;
  for (;;) {
    const next = digitAt(text, at);
    if (next < BASE) return value + next * unit;
    value += (next - BASE) * unit;
    unit *= BASE;
    at += 1;
  }
}

/** Where the text goes on behind a number. */
export function shortNumberEnd(text: string, at: number): number {
  while (digitAt(text, at) >= BASE) at += 1;
  return at + 1;
}
