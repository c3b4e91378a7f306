/** Numbers and instants as report files write them. */
import { limits } from '../../limits.js';

export type Duration = { ms: number } | { ms: null; reason: 'bad_number' | 'duration_out_of_range' };

/**
 * Seconds, also with signs between thousands and with an exponent. `decimalComma` says what `1,234` is, which may be both;
 * any other number says it itself.
 */
export function durationFromSeconds(text: string, { decimalComma = false } = {}): Duration {
  const plain = text.trim().replace(/s$/, '');
  return durationFromMs(numberOf(plain, decimalComma) * 1_000);
}

function numberOf(text: string, decimalComma: boolean): number {
  if (text === '') return Number.NaN;
  const isThousands = THOUSANDS.test(text);
  if (DECIMAL_COMMA.test(text) && (decimalComma || !isThousands))
    return Number(text.replaceAll(/[.'\u00a0\u202f]/g, '').replace(',', '.'));
  return Number(isThousands ? text.replaceAll(/[,']/g, '') : text);
}

const DECIMAL_COMMA = /^[+-]?(?:\d{1,3}(?:[.'\u00a0\u202f]\d{3})*|\d+),\d+$/;
const THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:'\d{3})+)(?:\.\d*)?$/;

/** `01:02:03.4567890`, with days before it or without. */
export function durationFromClock(text: string): Duration {
  const match = /^(-?)(?:(\d{1,8})\.)?(\d{1,3}):(\d{1,2}):(\d{1,2}(?:\.\d+)?)$/.exec(text.trim());
  if (match === null || match[1] === '-') return { ms: null, reason: 'bad_number' };
  const [, , days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return durationFromMs(
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000,
  );
}

/** A duration beyond what the API takes, some 24 days, is in a wrong unit, and no number is better than a wrong one. */
export function durationFromMs(ms: number): Duration {
  if (!Number.isFinite(ms) || ms < 0) return { ms: null, reason: 'bad_number' };
  if (ms > limits.executionTimeMs) return { ms: null, reason: 'duration_out_of_range' };
  return { ms: Math.round(ms) };
}

/**
 * ISO 8601, extended or basic, with what writers add: a blank for the T or behind it, a comma before the fraction, a blank or
 * the name of the zone before the offset. The name of a zone in brackets is Java's, beside an offset.
 */
const form =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:T ?| )(\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?(?: ?(?:[A-Z]{2,5} )?(Z|[+-]\d\d(?::?\d\d)?)(?:\[[\w/+-]+\])?)?$/i;

/** Whether the text says which clock it is of. */
export function hasZone(text: string): boolean {
  const parts = form.exec(text.trim());
  return parts === null || parts[8] !== undefined;
}

/**
 * The instant in UTC, or null if the text is none. A text without a zone is UTC: writers cut the zone off a UTC time.
 * A number is an epoch: in seconds, or in milliseconds where seconds would be far in the future.
 */
export function instantOf(text: string): string | null {
  const plain = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(plain)) return instantOfEpoch(Number(plain));
  const parts = form.exec(plain);
  if (parts !== null) {
    const [, year, month, day, hour, minute, second = '00', fraction = '0', zone = 'Z'] = parts;
    const offset = zone
      .toUpperCase()
      .replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
    return instantOfMs(
      Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset}`),
    );
  }
  // RFC 1123, as in `Tue, 05 Mar 2024 10:11:12 GMT`. A date in another form has no agreed meaning.
  return /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} [\d:]{5,8} \S+$/.test(plain)
    ? instantOfMs(Date.parse(plain))
    : null;
}

/** Seconds reach this number in the year 5138, and milliseconds in 1973. */
const MILLISECONDS_FROM = 100_000_000_000;

export function instantOfEpoch(number: number): string | null {
  return instantOfMs(number < MILLISECONDS_FROM ? number * 1_000 : number);
}

function instantOfMs(ms: number): string | null {
  const rounded = Math.floor(ms);
  return rounded > 0 && rounded < Date.UTC(9999, 0) ? new Date(rounded).toISOString() : null;
}
