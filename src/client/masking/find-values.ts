/** Finds the values of the job's own variables that are secrets by their names. */
import { secretForms } from './forms.generated.js';
import type { Span } from './find-forms.js';

export type Env = Readonly<Record<string, string | undefined>>;

/**
 * One text to look for. A word may be the name of anything: names of tests and files keep it. A short text is looked for
 * between other characters than letters and digits.
 */
export type SecretValue = { text: string; isWord: boolean; isShort: boolean };

const { least, below } = secretForms.shortValues;
/** Such as `true`, `root`, `8080` and `1.2`, which are in every log. */
const ordinary = new RegExp(secretForms.shortValues.ordinary);
/** An escape code, and a `\n` of JSON, end with a letter. */
const behind = new RegExp(secretForms.shortValues.behind);
const BEHIND = 16;
/** A line of a value of several lines, such as a key. */
const SHORTEST_LINE = 20;

const anyCase = new RegExp(`(?:${secretForms.names.anyCase.join('|')})$`, 'i');
/** Not `bamboo_planKey`. */
const upperCase = new RegExp(`(?:${secretForms.names.upperCase.join('|')})$`);
const publicNames: ReadonlySet<string> = new Set(secretForms.names.not);

/** The values with what JSON, XML, an address and base64 make of them. */
export function secretValues(env: Env): SecretValue[] {
  /** Whether they are short, by the text. */
  const texts = new Map<string, boolean>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (publicNames.has(name) || !(anyCase.test(name) || upperCase.test(name))) continue;
    const whole = value.trim();
    const isShort = whole.length < below;
    if (whole.length < least || (isShort && ordinary.test(whole))) continue;
    const lines = whole.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE && !/\s/.test(line));
    const written = [whole, ...lines].flatMap(writtenForms);
    for (const text of [...written, ...base64Forms(whole)])
      texts.set(text, isShort && (texts.get(text) ?? true));
  }
  return [...texts].map(([text, isShort]) => ({ text, isShort, isWord: /^[A-Za-z]+$/.test(text) }));
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

/**
 * What base64 makes of a value within other bytes, as in `name:password`: without the characters that depend on what
 * stands before and behind it. Of a short value, only what is made of it alone: parts of it are in every picture.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  return (text.length < below ? [0] : [0, 1, 2]).flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const last = text.length < below ? undefined : Math.floor((whole.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) =>
      whole
        .toString(form)
        .replaceAll('=', '')
        .slice(Math.ceil((before * 8) / 6), last),
    );
  });
}

/** JSON may write any character by its number. In a text of JSON within JSON, there are more backslashes. */
const jsonEscape = /\\{1,4}(?:u([0-9a-fA-F]{4})|(["/]))/g;

/** Also those of which JSON has written some characters by their numbers. */
export function findValues(text: string, values: readonly SecretValue[]): Span[] {
  if (values.length === 0) return [];
  const found = findPlain(text, values);
  if (!text.includes('\\u') && !text.includes('\\/')) return found;
  const { plain, placeOf } = unescaped(text);
  return [...found, ...findPlain(plain, values).map(([from, to]): Span => [placeOf(from), placeOf(to)])];
}

/** The text without its escapes, and the place in the given one of each place in it. */
function unescaped(text: string): { plain: string; placeOf: (place: number) => number } {
  /** Of each escape: the place of its character, and by how much all that follow stand later in the given text. */
  const places: number[] = [];
  const later = [0];
  const plain = text.replaceAll(
    jsonEscape,
    (whole: string, code: string | undefined, same: string, at: number) => {
      places.push(at - later.at(-1)!);
      later.push(later.at(-1)! + whole.length - 1);
      return code === undefined ? same : String.fromCharCode(Number.parseInt(code, 16));
    },
  );
  return {
    plain,
    placeOf(place) {
      let [from, to] = [0, places.length];
      while (from < to) {
        const middle = (from + to) >> 1;
        if (places[middle]! < place) from = middle + 1;
        else to = middle;
      }
      return place + later[from]!;
    },
  };
}

function findPlain(text: string, values: readonly SecretValue[]): Span[] {
  const found: Span[] = [];
  for (const { text: value, isShort } of values)
    for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length))
      if (!isShort || standsAlone(text, at, at + value.length)) found.push([at, at + value.length]);
  return found;
}

function standsAlone(text: string, from: number, to: number): boolean {
  return behind.test(text.slice(Math.max(0, from - BEHIND), from)) && !/[A-Za-z0-9]/.test(text[to] ?? '');
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
