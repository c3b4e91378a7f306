/**
 * The name of a test, by which its history goes on from run to run. It is made from what the report says of the test
 * alone: no order of files, shard or folder of a machine is in it.
 */
import { joinedName, oneLine } from '../../test-name.js';
import { withoutCheckout } from '../source-paths.js';

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
  if (className === '' || isAtAnEnd(name, className)) return ['', name];
  if (name !== '' && className.endsWith(` ${name}`)) return ['', className];
  return [className, name];
}

/** Whether a title begins or ends with a class, as whole words. In between, it is a word of the title alone. */
function isAtAnEnd(title: string, className: string): boolean {
  const isWord = (character = ''): boolean => /[\p{L}\p{N}_]/u.test(character);
  const ends = (character = '', next = ''): boolean => !(isWord(character) && isWord(next));
  return (
    (title.startsWith(className) && ends(className.at(-1), title[className.length])) ||
    (title.endsWith(className) && ends(title.at(-className.length - 1), className[0]))
  );
}

/** `Tests\FooTest` and `Tests.FooTest` are one class, and a file is the same with either slash. */
function isSame(one: string, other: string): boolean {
  if (one === other || one.length !== other.length) return one === other;
  return one.replaceAll(/[\\/:]/g, '.') === other.replaceAll(/[\\/:]/g, '.');
}
