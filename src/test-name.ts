/** The names of tests, the same from reporters and importers: a test keeps its history when the way of reporting changes. */
import { createHash } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import { limits } from './limits.js';

export const NAME_SEPARATOR = ' › ';

/** The name of a test without a part that says something. */
export const NO_NAME = '(no name)';

/** With the mark and the digest, the longest name stays under the limit of the API. */
const KEPT_CHARACTERS = 240;
const DIGEST_CHARACTERS = 12;

/**
 * Joins the parts of a name, the outermost suite first. `project` is a variant of the whole suite, such as a browser.
 * Empty parts are left out.
 */
export function testName(parts: readonly string[], project: string | null = null): string {
  return joinedName(parts.map(oneLine), project === null ? '' : oneLine(project));
}

/** As `testName`, of parts that `oneLine` has cleaned already: importers clean those of a suite once for all its tests. */
export function joinedName(parts: readonly string[], project: string): string {
  const name = parts.filter((part) => part !== '').join(NAME_SEPARATOR) || NO_NAME;
  return project === '' ? name : `${name} [${project}]`;
}

/** The name as the API takes it. The digest keeps two long names apart that begin alike. */
export function cutTestName(name: string): string {
  // The API counts characters, each of up to two UTF-16 units. Most names need no count.
  if (name.length >= 2 * limits.nameLeast && name.length <= limits.nameLength) return name;
  const first = Array.from(name.slice(0, 2 * (limits.nameLength + 1)));
  if (first.length < limits.nameLeast) return name === '' ? NO_NAME : `(${name})`;
  if (first.length <= limits.nameLength) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${first.slice(0, KEPT_CHARACTERS).join('')}…${digest}`;
}

// The controls go up to U+009F, and U+009B begins an escape sequence as ESC does.
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const unclean = /^ | $| {2}|[^\S ]|[\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- these are what is taken out
const blanks = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/** Names come from code: they can have colours, line breaks and halves of characters. */
export function oneLine(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return unclean.test(whole) ? stripVTControlCharacters(whole).replace(blanks, ' ').trim() : whole;
}
