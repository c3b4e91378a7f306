/** The filter of a list, as its address has it in `q`: what the list understands of it, and addresses with another one. */
import { isText } from '../../../validation/json-limits.js';
import { formatFilter, parseFilter, type Term } from './filter-text.js';

/** A field of a list. */
export type FilterField = {
  /** What it selects, in a few words. */
  hint: string;
  /** There are only these. */
  values?: readonly string[];
  /** With `-` before it, it leaves out what it selects. */
  excludes?: true;
  /** Null for a value that it does not take. `expects` then says which it does. */
  accepts?(value: string): boolean;
  expects?: string;
  most?: number;
};

/** What a list can be filtered by. */
export type Vocabulary = {
  fields: Readonly<Record<string, FilterField>>;
  /** What words are looked for in; null where the list takes no words. */
  words: string | null;
  /** Of a list whose address has no filter. */
  initial: string;
  example: string;
};

export type Filter = {
  /** All of it, in its one form. */
  text: string;
  terms: readonly Term[];
  /** What the list left out, and why. */
  refused: readonly { term: Term; why: string }[];
  /** What it understood: the values of its fields, `not_` and the name for one that is excluded, and all words as `q`. */
  values: Readonly<Record<string, string>>;
  /** The end of a longer text is left out. */
  isCut: boolean;
};

export const MOST_TEXT = 1_000;
const MOST_TERMS = 20;
const MOST_VALUE = 255;

export function filterIn(url: URL, vocabulary: Vocabulary): Filter {
  return readFilter(url.searchParams.get('q') ?? vocabulary.initial, vocabulary);
}

export function readFilter(text: string, vocabulary: Vocabulary): Filter {
  const all = parseFilter(text.slice(0, MOST_TEXT));
  const terms = all.slice(0, MOST_TERMS);
  const values: Record<string, string> = {};
  const words: string[] = [];
  const refused = terms.flatMap((term) => {
    const why = refusal(term, vocabulary, values) ?? lengthRefusal(term, words);
    if (why !== null) return { term, why };
    if (term.field === null) words.push(term.value);
    else values[nameOf(term)] = term.value;
    return [];
  });
  if (words.length > 0) values['q'] = words.join(' ');
  return {
    text: formatFilter(terms),
    terms,
    refused,
    values,
    isCut: text.length > MOST_TEXT || all.length > MOST_TERMS,
  };
}

function nameOf({ not, field }: Term): string {
  return not ? `not_${field}` : field!;
}

/** Null for a term that the list understands. */
function refusal(term: Term, { fields, words }: Vocabulary, taken: object): string | null {
  const { not, field: name, value } = term;
  if (!isText(value)) return 'it has a sign that is none';
  if (name === null) {
    if (words === null) return 'this list is not searched for words';
    if (not) return 'words cannot be left out';
    return value.trim() === '' ? 'it is empty' : null;
  }
  const field = Object.hasOwn(fields, name) ? fields[name]! : undefined;
  if (field === undefined) return 'there is no such field here; in quotes it is a text to look for';
  if (not && field.excludes !== true) return `"${name}" cannot be left out here`;
  if (value === '') return 'it has no value';
  if (value.length > (field.most ?? MOST_VALUE)) return 'it is too long';
  if (field.values !== undefined && !field.values.includes(value))
    return `"${name}" is one of ${field.values.join(', ')}`;
  if (field.accepts?.(value) === false) return `"${name}" is ${field.expects ?? 'something else'}`;
  return nameOf(term) in taken ? 'the list takes one of these, which is the first' : null;
}

/** The API takes all words as one text. */
function lengthRefusal({ field, value }: Term, words: readonly string[]): string | null {
  if (field !== null) return null;
  return [...words, value].join(' ').length > MOST_VALUE ? 'it is too long' : null;
}

/** The address of the same list with other terms, from its first page on. */
export function withTerms(url: URL, terms: readonly Term[], { initial }: Vocabulary): string {
  const next = new URL(url);
  next.searchParams.delete('page');
  const text = formatFilter(terms);
  // An empty filter is another one than that of an address without any.
  if (text === initial) next.searchParams.delete('q');
  else next.searchParams.set('q', text);
  return next.pathname + next.search;
}

/** The terms with one more. It takes the place of those of its field. */
function withTerm(terms: readonly Term[], added: Term): Term[] {
  const others = terms.filter(
    ({ field, not }) => field === null || field !== added.field || not !== added.not,
  );
  return [...others, added];
}

/** The address of a list that is filtered by fields. */
export function filtered(path: string, fields: Readonly<Record<string, string>>): string {
  const terms = Object.entries(fields).map(([field, value]) => ({
    not: false,
    field,
    value: value.toWellFormed(),
  }));
  return `${path}?${new URLSearchParams({ q: formatFilter(terms) }).toString()}`;
}

/**
 * Where an address leads that has more than `q`: a term in `add`, as the buttons of the filter send it, or fields as parameters
 * of their own. A list has one form. Null for an address that has that form.
 */
export function inOneForm(url: URL, vocabulary: Vocabulary): string | null {
  const { searchParams } = url;
  const names = Object.keys(vocabulary.fields).filter((name) => searchParams.has(name));
  const added = searchParams.get('add');
  if (names.length === 0 && added === null) return null;
  const next = new URL(url);
  for (const name of ['add', ...names]) next.searchParams.delete(name);
  const more = [
    ...names.map((field) => ({ not: false, field, value: searchParams.get(field)! })),
    ...parseFilter((added ?? '').slice(0, MOST_TEXT)),
  ].filter(({ value }) => value !== '');
  const terms = parseFilter((searchParams.get('q') ?? '').slice(0, MOST_TEXT));
  return withTerms(next, more.reduce(withTerm, terms), vocabulary);
}
