/**
 * The text of a filter as terms, and back: `status:failed -tag:slow "a name"`. Which fields a list has, and what it makes
 * of their values, is in `filter.ts`.
 */

/** `field` null: a word. `not`: it begins with `-`. */
export type Term = { not: boolean; field: string | null; value: string };

/** Not before `::` and `://`, so that a name of C++ and an address are words. */
const fieldAt = /([a-z][a-z_]*):(?!:|\/\/)/y;
const quotedAt = /"((?:[^"\\]|\\[^])*)("|$)/y;
const bareAt = /\S+/y;
const blankAt = /\s*/y;

/** Takes any text. A quote that is not closed goes on to the end. */
export function parseFilter(text: string): Term[] {
  const terms: Term[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  for (take(blankAt); at < text.length; take(blankAt)) {
    const not = text[at] === '-' && /\S/.test(text.charAt(at + 1));
    if (not) at += 1;
    const field = take(fieldAt)?.[1] ?? null;
    const quoted = take(quotedAt);
    const value = quoted === null ? (take(bareAt)?.[0] ?? '') : unquoted(quoted[1]!);
    terms.push({ not, field, value });
  }
  return terms;
}

/** The text that is parsed to these terms. */
export function formatFilter(terms: readonly Term[]): string {
  return terms
    .map(({ not, field, value }) => {
      const start = `${not ? '-' : ''}${field === null ? '' : `${field}:`}`;
      return start + (isBare(field, value) ? value : quoted(value));
    })
    .join(' ');
}

function isBare(field: string | null, value: string): boolean {
  if (value === '' || /[\s"]/.test(value)) return false;
  if (field !== null) return !/^(?::|\/\/)/.test(value);
  fieldAt.lastIndex = 0;
  return !value.startsWith('-') && !fieldAt.test(value);
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** Before another character a backslash is itself: paths of Windows have many. */
function unquoted(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}
