/** JSON from bytes, with refusals that say where: not UTF-8, broken, or a name twice. */
import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { fail, invalid } from '../errors.js';

/**
 * Parses a body, given as a string of its bytes (latin1). An empty body is `{}`.
 * @throws LedgerError `invalid_json` with line and column; `validation_failed` for a name that stands twice in
 *   the outermost object.
 */
export function parseBody(bytes: string): unknown {
  if (bytes === '') return {};
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    notJson(faultIn(text), error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) refuseTwice(text, value);
  return value;
}

function decode(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  if (!isUtf8(buffer)) fail('invalid_json', 'The body is not UTF-8.');
  return buffer.toString('utf8');
}

const FOUND = new Error('the place is known');

export type Fault = {
  /** Where it begins and ends, in characters of the text. */
  from: number;
  to: number;
  line: number;
  column: number;
};

/** JSON.parse names no place for some faults, so a tolerant parser looks for the first one. */
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
    // It recurses, so a nesting that JSON.parse survived can exhaust its stack.
    if (error !== FOUND && !(error instanceof RangeError)) throw error;
  }
  return fault;
}

/** @throws LedgerError `invalid_json`. */
export function notJson(place: Pick<Fault, 'line' | 'column'> | null, cause?: unknown): never {
  const where = place === null ? '.' : `: line ${place.line}, column ${place.column}.`;
  return fail('invalid_json', `The body is not JSON${where}`, { cause });
}

/** No record of ours has as many fields. */
const MANY_NAMES = 32;

/**
 * JSON.parse keeps the last of two equal names. Nearly always each name is found once in the text, which settles
 * it; only else are the names of the outermost object read one by one. So are very many: looking for each of them
 * in the whole text would hold up everybody for half a minute.
 */
function refuseTwice(text: string, value: object): void {
  const names = Object.keys(value);
  const suspicious =
    names.length > MANY_NAMES || text.includes('\\u') || names.some((name) => occursTwice(text, name));
  const name = suspicious ? nameTwice(text) : null;
  if (name !== null) invalid(`/${name}`, 'twice', 'is there twice');
}

/** The first name that stands twice in the outermost object, looked for one by one; null for none. */
export function nameTwice(text: string): string | null {
  const seen = new Set<string>();
  let depth = 0;
  let twice: string | null = null;
  shallowly(() =>
    visit(text, {
      onObjectBegin: () => (depth += 1) < 2,
      onObjectEnd: () => void (depth -= 1),
      onObjectProperty(name) {
        if (depth !== 1) return;
        if (seen.has(name)) twice ??= name;
        seen.add(name);
      },
    }),
  );
  return twice;
}

/** The tolerant parser recurses: what exhausts its stack is nested far deeper than anything that is taken. */
function shallowly(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const fields = [{ pointer: '', code: 'too_deep', detail: 'is nested too deep' }];
    fail('validation_failed', 'The body is nested too deep.', { fields, cause: error });
  }
}

function occursTwice(text: string, name: string): boolean {
  const quoted = JSON.stringify(name);
  const first = text.indexOf(quoted);
  return first !== -1 && text.indexOf(quoted, first + 1) !== -1;
}
