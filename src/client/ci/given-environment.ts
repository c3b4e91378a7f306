/**
 * The environment of tests as people give it to a command or a reporter: pairs such as `os=windows,node=22`, or one JSON object,
 * so that `${{ toJSON(matrix) }}` of GitHub is one. docs/ci.md has the rules.
 */
import { isName, isValue, MOST_PAIRS, type Environment } from '../../domain/environment.js';

/** What was given; `environment` is null where that is nothing. */
export type GivenEnvironment = { environment: Environment | null; warnings: readonly string[] };
export type WrongEnvironment = { fault: string };

type Env = Readonly<Record<string, string | undefined>>;
type Pairs = readonly (readonly [name: string, value: unknown])[];

/** Flags or options, or else `TESTLEDGER_ENVIRONMENT`. Of two pairs with one name, the later one holds. */
export function givenEnvironment(
  given: readonly unknown[],
  env: Env = process.env,
): GivenEnvironment | WrongEnvironment {
  const own = pairsIn(given);
  if ('fault' in own) return own;
  const found = own.pairs.length > 0 ? own : pairsIn([env['TESTLEDGER_ENVIRONMENT']]);
  return 'fault' in found ? found : understood(found.pairs);
}

function pairsIn(given: readonly unknown[]): { pairs: Pairs } | WrongEnvironment {
  const pairs: (readonly [string, unknown])[] = [];
  for (const each of given) {
    const found = typeof each === 'string' ? pairsOfText(each.trim()) : Object.entries(each ?? {});
    if ('fault' in found) return found;
    pairs.push(...found);
  }
  // CI services pass an empty text for what is not set, and a matrix leaves out what a leg does not have.
  return { pairs: pairs.filter(([, value]) => value !== null && value !== undefined && value !== '') };
}

function pairsOfText(text: string): Pairs | WrongEnvironment {
  // `toJSON(matrix)` in a job without one.
  if (text === 'null') return [];
  if (text.startsWith('{')) return pairsOfJson(text);
  const pairs: [string, string][] = [];
  for (const pair of text.split(',').map((part) => part.trim())) {
    const at = pair.indexOf('=');
    if (pair === '') continue;
    if (at < 1)
      return {
        fault: `an environment is like os=windows,node=22, or a JSON object: not ${JSON.stringify(pair)}`,
      };
    pairs.push([pair.slice(0, at).trim(), pair.slice(at + 1).trim()]);
  }
  return pairs;
}

function pairsOfJson(text: string): Pairs | WrongEnvironment {
  try {
    return Object.entries(JSON.parse(text) as object);
  } catch (error) {
    return { fault: `the JSON of the environment is broken: ${(error as Error).message}` };
  }
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value : null;
}

/** One wrong pair would make the server take none of them. */
function understood(pairs: Pairs): GivenEnvironment | WrongEnvironment {
  const kept = new Map<string, string>();
  const warnings: string[] = [];
  for (const [given, value] of pairs) {
    const name = given.toLowerCase();
    const text = textOf(value);
    const wrong =
      text === null
        ? 'it is nested'
        : !isName(name)
          ? 'a name has up to 64 letters, digits, _, . and -'
          : !isValue(text)
            ? 'a value has no comma, and at most 255 characters'
            : null;
    if (wrong === null) kept.set(name, text!);
    else warnings.push(`${JSON.stringify(given)} is left out of the environment: ${wrong}`);
  }
  if (kept.size > MOST_PAIRS)
    return { fault: `an environment has at most ${MOST_PAIRS} pairs, and this one has ${kept.size}` };
  return { environment: kept.size === 0 ? null : Object.fromEntries(kept), warnings };
}
