/**
 * Whether code is the project's own. Packages that were installed, standard libraries and test frameworks are not: they
 * appear in the stacks of failures that have nothing else in common.
 */
import type { NamedFrame } from './language.js';
import { languages } from './languages.js';

export function isOwn({ path, qualified, foreign = false }: NamedFrame): boolean {
  if (foreign || (qualified !== undefined && FOREIGN_NAME.test(qualified))) return false;
  return path === null || !isForeignFile(path.replaceAll('\\', '/'));
}

function isForeignFile(file: string): boolean {
  return FOREIGN_FILE.test(file) || NO_FILE.test(file);
}

const FOREIGN_FILE = new RegExp(languages.flatMap(({ foreignFiles = [] }) => foreignFiles).join('|'));

/** What stands where a file should. */
const NO_FILE =
  /^(?:native|native code|<?anonymous>?|index \d+|eval at .*|Unknown Source|internal)?$|^\[native/;

const FOREIGN_NAME = new RegExp(
  `^<?(?:${languages.flatMap(({ foreignNames = [] }) => foreignNames).join('|')})`,
);
