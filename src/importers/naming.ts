/**
 * The name of a test, by which its history goes on from run to run. It is made from what the report says of the test
 * alone: no order of files, shard or folder of a machine is in it.
 */
import { joinedName, oneLine } from '../test-name.js';
import { withoutCheckout } from './source-paths.js';

export type NameParts = {
  /** As `suitePath` makes it, once for all tests of a suite. */
  suites: readonly string[];
  className: string;
  name: string;
  /** The browser or another project that runs the same tests again. */
  project?: string;
};

/** The names of the suites around a test, the outermost first, without those that only repeat each other. */
export function suitePath(suites: readonly string[], checkout?: string): readonly string[] {
  const parts: string[] = [];
  for (const suite of suites) addPart(parts, withoutCheckout(oneLine(suite), checkout));
  return parts;
}

/** Suites, class and name, where each says something that the others do not. */
export function reportedName(
  { suites, className, name, project = '' }: NameParts,
  checkout?: string,
): string {
  const parts = [...suites];
  const [ofClass, ofTest] = classAndTest(withoutCheckout(oneLine(className), checkout), oneLine(name));
  addPart(parts, ofClass);
  parts.push(ofTest);
  return joinedName(parts, oneLine(project));
}

function addPart(parts: string[], part: string): void {
  if (part !== '' && !parts.some((known) => isSame(known, part))) parts.push(part);
}

/**
 * Some writers put the full title into both, or into the one that another setting of the writer puts into the other.
 * The shorter one is left out then, so that the setting does not change the name.
 */
function classAndTest(className: string, name: string): [string, string] {
  if (className === '' || contains(name, className)) return ['', name];
  if (name !== '' && className.endsWith(` ${name}`)) return ['', className];
  return [className, name];
}

/** Whether a text has another one in it, as whole words. */
function contains(text: string, part: string): boolean {
  const at = text.indexOf(part);
  if (at === -1) return false;
  const isWord = (character: string | undefined): boolean =>
    character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  const end = at + part.length;
  return !(isWord(text[at - 1]) && isWord(part[0])) && !(isWord(text[end]) && isWord(part.at(-1)));
}

/** `Tests\FooTest` and `Tests.FooTest` are one class, and a file is the same with either slash. */
function isSame(one: string, other: string): boolean {
  if (one === other || one.length !== other.length) return one === other;
  return one.replaceAll(/[\\/:]/g, '.') === other.replaceAll(/[\\/:]/g, '.');
}
