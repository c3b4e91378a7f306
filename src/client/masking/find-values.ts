/** Finds the values of the job's own variables that are secrets by their names. */
import { secretForms } from './forms.generated.js';
import type { Span } from './find-forms.js';

export type Env = Readonly<Record<string, string | undefined>>;

/** One text to look for. A word may be the name of anything: names of tests and files keep it. */
export type SecretValue = { text: string; isWord: boolean };

/** Shorter ones, such as `true` and `1`, would be found everywhere. */
const SHORTEST = 8;
/** A line of a value of several lines, such as a key. */
const SHORTEST_LINE = 20;

const anyCase = new RegExp(`(?:${secretForms.names.anyCase.join('|')})$`, 'i');
/** Not `bamboo_planKey`. */
const upperCase = new RegExp(`(?:${secretForms.names.upperCase.join('|')})$`);
const publicNames: ReadonlySet<string> = new Set(secretForms.names.not);

/** The values with what JSON, XML and an address make of them. */
export function secretValues(env: Env): SecretValue[] {
  const texts = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (publicNames.has(name) || !(anyCase.test(name) || upperCase.test(name))) continue;
    const whole = value.trim();
    if (whole.length < SHORTEST) continue;
    const lines = whole.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE && !/\s/.test(line));
    for (const text of [whole, ...lines]) for (const form of writtenForms(text)) texts.add(form);
  }
  return [...texts].map((text) => ({ text, isWord: /^[A-Za-z]+$/.test(text) }));
}

function writtenForms(text: string): string[] {
  const plain = text.toWellFormed();
  const inXml = plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return [plain, JSON.stringify(plain).slice(1, -1), encodeURIComponent(plain), inXml];
}

export function findValues(text: string, values: readonly SecretValue[]): Span[] {
  const found: Span[] = [];
  for (const { text: value } of values)
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length))
      found.push([at, at + value.length]);
  return found;
}

/** The mark of our own bounds, and those of tools. */
const cuts = /\n\[… \d+ characters left out …\]\n|…|\.\.\./g;
/** Of a text that a bound of ours cut, the word at the cut may be half of any secret. */
const CUT_WORD = 4_096;
const LEAST_CUT_WORD = 8;
const LEAST_OF_VALUE = { own: 4, ofTools: 8 };
const wordEnd = /[A-Za-z0-9_\-.+/=~%:@!$&*^#]/;

/** Halves of secrets beside the places where a text was cut. They are masked, and not counted: nobody knows what they were. */
export function findHalves(text: string, values: readonly SecretValue[]): Span[] {
  const found: Span[] = [];
  for (const { index, 0: mark } of text.matchAll(cuts)) {
    const end = index + mark.length;
    const isOwn = mark.startsWith('\n');
    const least = isOwn ? LEAST_OF_VALUE.own : LEAST_OF_VALUE.ofTools;
    for (const { text: value } of values) {
      const before = beginningBefore(text, index, value, least);
      if (before > 0) found.push([index - before, index]);
      const after = endAfter(text, end, value, least);
      if (after > 0) found.push([end, end + after]);
    }
    if (!isOwn) continue;
    let [from, to] = [index, end];
    while (from > 0 && index - from < CUT_WORD && wordEnd.test(text[from - 1]!)) from -= 1;
    while (to < text.length && to - end < CUT_WORD && wordEnd.test(text[to]!)) to += 1;
    if (index - from >= LEAST_CUT_WORD) found.push([from, index]);
    if (to - end >= LEAST_CUT_WORD) found.push([end, to]);
  }
  return found;
}

/** How many of the first characters of the value stand right before this place. */
function beginningBefore(text: string, at: number, value: string, least: number): number {
  const first = value.slice(0, least);
  // Cut first: a search in the whole text would read it to its end for each mark, of which a log may have thousands.
  const part = text.slice(Math.max(0, at - value.length + 1), at);
  for (let begin = part.indexOf(first); begin !== -1; begin = part.indexOf(first, begin + 1))
    if (value.startsWith(part.slice(begin))) return part.length - begin;
  return 0;
}

/** How many of the last characters of the value stand right behind this place. */
function endAfter(text: string, at: number, value: string, least: number): number {
  const part = text.slice(at, at + value.length - 1);
  const last = value.slice(-least);
  for (let end = part.lastIndexOf(last); end !== -1; end = end === 0 ? -1 : part.lastIndexOf(last, end - 1))
    if (value.endsWith(part.slice(0, end + least))) return end + least;
  return 0;
}
