/**
 * JSON in rows is stored short: what many texts have in common, above all the names of fields, is one or two control
 * characters, which no JSON has. So are the texts that the row has anyway, its id for example. Large texts are deflated:
 * for small ones, zlib would take ten times as long.
 *
 * The common parts are in the file: a program with others reads it all the same.
 */
import type { SqliteDatabase } from './database.js';
import { deflated, inflated } from './deflate.js';

/** The statements of a migration that give a file its common parts. The first ones take one character, the others two. */
export function withParts(parts: readonly string[]): string {
  const rows = parts.map((part) => `('${part.replaceAll("'", "''")}')`).join(', ');
  return `CREATE TABLE parts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
  INSERT INTO parts (text) VALUES ${rows};`;
}

/** A value of a column: a short text, or deflated bytes. */
export type Stored = string | Uint8Array;

/** `known`: values that the reader of the row has, of which the stored text need not repeat those that are texts. */
export type ShortTexts = {
  /** `value`: what JSON can say. `JSON.stringify` escapes each control character. */
  stored(value: unknown, known: readonly unknown[]): Stored;
  /** @throws SyntaxError for a damaged row */
  textOf(stored: Stored, known: readonly unknown[]): string;
};

/** At 4,096, buckets of histories are deflated in each commit, and the fold takes a fifth longer. */
const LEAST_DEFLATED = 16_384;
const CONTROL = [...Array(32).keys()].map((code) => String.fromCharCode(code));
const KNOWN_CODES = CONTROL.slice(1, 9);
/** Without the characters that may stand between values in JSON. */
const CODES = [...CONTROL.slice(11, 13), ...CONTROL.slice(14, 30)];
const FIRST_OF_TWO = CONTROL.slice(30);
const FIRST_OF_TWO_CODE = 30;
const FIRST_PRINTED = 0x20;
// oxlint-disable-next-line no-control-regex -- JSON would have other characters for these
const PLAIN = /^[^\x00-\x1f"\\]{5,}$/;

export function shortTexts(database: SqliteDatabase): ShortTexts {
  const parts = (database.prepare('SELECT text FROM parts ORDER BY id').raw().all() as [string][]).flat();
  const partOf = new Map(parts.map((part, n) => [codeOf(n), part]));
  const codes = new Map(parts.map((part, n) => [part, codeOf(n)]));
  // The longest first.
  const ordered = parts.toSorted((one, other) => other.length - one.length).map(escaped);
  const anyPart = new RegExp(ordered.join('|'), 'g');
  return {
    stored(value, known) {
      const text = JSON.stringify(value);
      if (text.length >= LEAST_DEFLATED) return deflated(text);
      let short = text;
      textsIn(known).forEach((each, n) => (short = short.replaceAll(each, KNOWN_CODES[n]!)));
      return short.replace(anyPart, (part) => codes.get(part)!);
    },
    // Without a regular expression: to call a function for each code takes twice as long, and the fold reads a row a result.
    textOf(stored, known) {
      if (typeof stored !== 'string') return inflated(stored);
      let texts: readonly string[] | null = null;
      let text = '';
      let from = 0;
      for (let at = 0; at < stored.length; at += 1) {
        const code = stored.charCodeAt(at);
        if (code >= FIRST_PRINTED) continue;
        const end = at + (code < FIRST_OF_TWO_CODE ? 1 : 2);
        const meant =
          code <= KNOWN_CODES.length
            ? (texts ??= textsIn(known))[code - 1]
            : partOf.get(stored.slice(at, end));
        if (meant === undefined) continue;
        text += stored.slice(from, at) + meant;
        from = end;
        at = end - 1;
      }
      return from === 0 ? stored : text + stored.slice(from);
    },
  };
}

function codeOf(n: number): string {
  if (n < CODES.length) return CODES[n]!;
  const [row, column] = [Math.floor((n - CODES.length) / 90), (n - CODES.length) % 90];
  return FIRST_OF_TWO[row]! + String.fromCharCode(33 + column);
}

function escaped(part: string): string {
  return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** As SQLite gives them back: well-formed, and ended at a NUL. */
function textsIn(known: readonly unknown[]): string[] {
  const texts: string[] = [];
  for (const value of known) {
    if (typeof value !== 'string') continue;
    const end = value.indexOf('\0');
    const text = (end === -1 ? value : value.slice(0, end)).toWellFormed();
    if (PLAIN.test(text) && texts.length < KNOWN_CODES.length) texts.push(text);
  }
  return texts;
}

/** The expression of a stored value as JSON, which has no bytes. */
export function storedAsJson(column: string): string {
  return `iif(typeof(${column}) = 'blob', '["' || hex(${column}) || '"]', json_quote(${column}))`;
}

/** The value of that expression. */
export type StoredJson = string | [hex: string];

export function storedFromJson(value: StoredJson): Stored {
  return typeof value === 'string' ? value : Buffer.from(value[0], 'hex');
}
