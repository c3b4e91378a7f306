/** Parses JSON from bytes, and says where it fails: bytes that are not UTF-8, broken JSON, or a duplicate name. */
import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { fail, invalid, type FieldError } from '../../errors.js';
import { limits } from '../../limits.js';

/**
 * Parses a body, given as a string of its bytes (latin1). An empty body is `{}`.
 * @throws AppError `invalid_json` with line and column; `validation_failed` for a duplicate name in the outermost
 *   object, and for more values than any body may have.
 */
export function parseBody(bytes: string): unknown {
  if (bytes === '') return {};
  const text = decode(bytes);
  refuseManyValues(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    notJson(faultIn(text), error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) refuseDuplicates(text, value);
  return value;
}

/** Few values stand beside the metadata of an item, so an item with more commas cannot be valid. */
export const MOST_COMMAS = limits.metadataValues + 100;

/** The artifacts of a batch have up to ten fields each. Their metadata have together what that of one may have. */
const MOST_COMMAS_OF_BODY = MOST_COMMAS + 10 * limits.artifactsPerBatch;

/** The fault of a body or an item with more commas. */
export function tooManyValues(pointer: string): FieldError {
  const detail = `must not hold more values than its metadata may: ${limits.metadataValues}`;
  return { pointer, code: 'too_many', detail };
}

/** Parsing, checking and naming a hundred thousand of them would block the server for a quarter of a second. */
function refuseManyValues(text: string): void {
  if (text.length <= MOST_COMMAS_OF_BODY) return;
  let commas = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfText(text, at);
    else if (character === COMMA) {
      // That is no JSON: the parser says where.
      if (text.charCodeAt(at + 1) === COMMA) return;
      commas += 1;
      if (commas > MOST_COMMAS_OF_BODY) refuseBody(tooManyValues(''));
    }
  }
}

function refuseBody(fault: FieldError): never {
  fail('validation_failed', `The body ${fault.detail}.`, { fields: [fault] });
}

const [QUOTE, COMMA] = [0x22, 0x2c];

/** The closing quote of the text that begins with this one, or the end. */
function endOfText(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charAt(before - 1) === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

function decode(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  if (!isUtf8(buffer)) fail('invalid_json', 'The body is not UTF-8.');
  return buffer.toString('utf8');
}

const FOUND = new Error('the fault is found');

export type Fault = {
  /** Its begin and its end, in characters of the text. */
  from: number;
  to: number;
  line: number;
  column: number;
};

/** JSON.parse does not say where some faults are, so a tolerant parser looks for the first one. */
export function faultIn(text: string): Fault | null {
  let fault: Fault | null = null;
  try {
    visit(
      text,
      {
        onError(_code, from, length, line, character) {
          fault = { from, to: from + length, line: line + 1, column: character + 1 };
          throw FOUND;
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch (error) {
    // It recurses: a nesting that JSON.parse survived can exhaust its stack.
    if (error !== FOUND && !(error instanceof RangeError)) throw error;
  }
  return fault;
}

/** @throws AppError `invalid_json`. */
export function notJson(at: Pick<Fault, 'line' | 'column'> | null, cause?: unknown): never {
  const where = at === null ? '.' : `: line ${at.line}, column ${at.column}.`;
  return fail('invalid_json', `The body is not valid JSON${where}`, { cause });
}

/** More fields than any of our records has. */
const MANY_NAMES = 32;

/**
 * JSON.parse keeps the last of two equal names, so a duplicate shows only in the text. Nearly always each name occurs
 * once in the text, which settles it; otherwise the names of the outermost object are read one by one. So are those of
 * an object with very many: a search for each of them in the whole text would block the server for half a minute.
 */
function refuseDuplicates(text: string, value: object): void {
  const names = Object.keys(value);
  const suspicious =
    names.length > MANY_NAMES || text.includes('\\u') || names.some((name) => occursTwice(text, name));
  const name = suspicious ? duplicateName(text) : null;
  if (name !== null) invalid(`/${name}`, 'twice', 'is a duplicate');
}

/** The first duplicate name in the outermost object, or null. */
export function duplicateName(text: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  let duplicate: string | null = null;
  refuseTooDeep(() =>
    visit(text, {
      onObjectBegin: () => (depth += 1) < 2,
      onObjectEnd: () => void (depth -= 1),
      onObjectProperty(name) {
        if (depth !== 1) return;
        if (seen.has(name)) duplicate ??= name;
        seen.add(name);
      },
    }),
  );
  return duplicate;
}

/** The tolerant parser recurses: a text that exhausts its stack is nested far deeper than the API allows. */
function refuseTooDeep(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const fields = [{ pointer: '', code: 'too_deep', detail: 'is nested too deeply' } as const];
    fail('validation_failed', 'The body is nested too deeply.', { fields, cause: error });
  }
}

function occursTwice(text: string, name: string): boolean {
  const quoted = JSON.stringify(name);
  const first = text.indexOf(quoted);
  return first !== -1 && text.indexOf(quoted, first + 1) !== -1;
}
