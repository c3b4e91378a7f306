/**
 * Finds secrets by their forms. Each form has a fixed text in it, so a search looks once at each character. There is no
 * boundary before that text: an escape code, and a `\n` of JSON, end with a letter.
 */
import { secretForms } from './forms.generated.js';

/** A part of a text, from its first place to the place behind its last one. */
export type Span = readonly [from: number, to: number];

type Form = {
  /** Between the prefix, which is then a name and stays, and the secret. */
  gap?: string;
  characters: keyof typeof secretForms.sets;
  /** How many characters at least and at most. There is a dot between two parts. */
  parts: readonly (readonly [least: number, most?: number])[];
  /** Characters that belong to the secret, and stand before the prefix. */
  before?: { characters: keyof typeof secretForms.sets; least: number; most: number };
};

/** A run of characters of one set, by a place in it: a text of many prefixes without an end is not read again for each. */
type Runs = (place: number) => number;

const formOf = new Map<string, Form>(
  secretForms.forms.flatMap((form) => form.prefixes.map((prefix) => [prefix, form] as const)),
);
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
/** Longer ones first, because one may begin with another. */
const anyPrefix = new RegExp(
  [...formOf.keys(), '://']
    .sort((a, b) => b.length - a.length)
    .map(escaped)
    .join('|'),
  'g',
);

/** The password of an address such as `https://name:password@host`. */
const password = /[^\s/?#@:"'<>\\]{0,256}:([^\s/?#@"'<>\\]{1,256})@/y;
/** Tools cut a value that they show, in its middle or at its end. So many characters of a secret are too many. */
const SHOWN = 8;

/** The spans of known forms, in their order. */
export function findForms(text: string): Span[] {
  const found: Span[] = [];
  let scan: ((at: number, prefix: string) => Span | null) | null = null;
  let from = 0;
  for (;;) {
    anyPrefix.lastIndex = from;
    const match = anyPrefix.exec(text);
    if (match === null) return found;
    const [prefix] = match;
    scan ??= scanner(text);
    const span = prefix === '://' ? passwordAt(text, match.index + 3) : scan(match.index, prefix);
    if (span === null) {
      from = match.index + 1;
      continue;
    }
    found.push(span);
    from = Math.max(span[1], match.index + 1);
  }
}

function passwordAt(text: string, at: number): Span | null {
  password.lastIndex = at;
  const match = password.exec(text);
  if (match === null || /^\*+$/.test(match[1]!)) return null;
  const end = at + match[0].length - 1;
  return [end - match[1]!.length, end];
}

function scanner(text: string): (at: number, prefix: string) => Span | null {
  const runs = new Map<string, Runs>();

  /** The end of a run, which one part of one form looks for. */
  function endOf(form: Form, part: number, place: number): number {
    const key = `${form.characters} ${part}`;
    let run = runs.get(key);
    if (run === undefined) runs.set(key, (run = runsIn(text, form.characters)));
    return run(place);
  }

  return (at, prefix) => {
    const form = formOf.get(prefix)!;
    const first = placeAfter(text, at + prefix.length, form);
    if (first === null) return null;
    const begin = form.gap === undefined ? at - lengthBefore(text, at, form) : first;
    if (begin > at && form.gap === undefined) return null;
    let end = first;
    for (const [n, [least, most = Infinity]] of form.parts.entries()) {
      if (n > 0 && text[end] !== '.') return null;
      const start = n > 0 ? end + 1 : end;
      end = endOf(form, n, start);
      const length = end - start;
      if (length < least) return n === 0 && length >= SHOWN ? cutSpan(text, begin, end) : null;
      if (length > most) return null;
    }
    return [begin, end];
  };
}

/** Where the secret goes on behind its prefix. */
function placeAfter(text: string, at: number, { gap }: Form): number | null {
  if (gap === undefined) return at;
  const between = new RegExp(gap, 'y');
  between.lastIndex = at;
  return between.test(text) ? between.lastIndex : null;
}

/** A negative number where there are too few. */
function lengthBefore(text: string, at: number, { before }: Form): number {
  if (before === undefined) return 0;
  const one = new RegExp(`[${secretForms.sets[before.characters]}]`);
  let length = 0;
  while (length < before.most && at > length && one.test(text[at - length - 1]!)) length += 1;
  return length < before.least ? -1 : length;
}

function runsIn(text: string, characters: Form['characters']): Runs {
  const run = new RegExp(`[${secretForms.sets[characters]}]*`, 'y');
  let known = { from: 0, to: -1 };
  return (place) => {
    if (place >= known.from && place <= known.to) return known.to;
    run.lastIndex = place;
    run.test(text);
    known = { from: place, to: run.lastIndex };
    return known.to;
  };
}

/** A secret that a tool shortened for people, such as `ghp_16C7e42F…8347` or `'ghp_16C7e42F...8347'`. */
function cutSpan(text: string, from: number, at: number): Span | null {
  const rest = /(?:…|\.\.\.)[A-Za-z0-9_-]{0,256}/y;
  // Forms with dots in them take those for their own.
  const dots = text.slice(from, at).indexOf('...');
  rest.lastIndex = dots === -1 ? at : from + dots;
  return rest.test(text) ? [from, rest.lastIndex] : null;
}

const keyMark = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyContent = /[A-Za-z0-9+/=\r\n\t \\]/;

/**
 * Private keys, with what stands between their first and last line. One without an end goes to the end of the text, and
 * one without a beginning begins where its characters do: the rest of it was cut off.
 */
export function findPrivateKeys(text: string): Span[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const found: Span[] = [];
  let open: number | null = null;
  let done = 0;
  for (const match of text.matchAll(keyMark)) {
    if (match[1] === 'BEGIN') {
      open ??= match.index;
      continue;
    }
    let from = open ?? match.index;
    if (open === null) while (from > done && keyContent.test(text[from - 1]!)) from -= 1;
    done = match.index + match[0].length;
    found.push([from, done]);
    open = null;
  }
  if (open !== null) found.push([open, text.length]);
  return found;
}
