/**
 * What a chunk of packed results keeps of a test: its key, and the group that it shares with its neighbours. Both are hashes,
 * because a comparison asks only whether two of them are the same.
 *
 * The key: 4 characters of the title, 9 of the test's id. Two tests of one title are the same with a chance of 1 in 10^13.
 * The group: 4 characters of the file, 4 of the suite, and 5 of the environment if there is one; empty without any of these.
 */
import type { EnvironmentKey } from '../environment.js';
import type { Metadata } from '../runs/run.js';
import { digit, word } from '../test-history/z85.js';
import { textIn } from '../understood.js';

export const KEY_LENGTH = 13;
const TITLE_LENGTH = 4;
const FILE_LENGTH = 4;
const SUITE_LENGTH = 8;
const NONE = '0000';
const SEPARATOR = ' › ';

export function testKey(testId: string, name: string): string {
  return short(titleOf(name)) + testId.slice(TITLE_LENGTH - KEY_LENGTH);
}

/** What follows the last ` › ` of the name: a test keeps it when it moves. */
function titleOf(name: string): string {
  const at = name.lastIndexOf(SEPARATOR);
  return at === -1 ? name : name.slice(at + SEPARATOR.length);
}

/** The file and the suite that the metadata of a result name, as the first part of a group; empty without both. */
export function suiteHash(metadata: Metadata | null): string {
  const file = textIn(metadata, 'file');
  const suite = textIn(metadata, 'suite');
  if (file === null && suite === null) return '';
  return (file === null ? NONE : short(file)) + (suite === null ? NONE : short(suite));
}

export function testGroup(suite: string, environment: EnvironmentKey): string {
  if (environment === '') return suite;
  return (suite === '' ? NONE + NONE : suite) + word(hash(environment));
}

/** A test in one environment. */
export function lineKey(key: string, group: string): string {
  return group.length > SUITE_LENGTH ? key + group.slice(SUITE_LENGTH) : key;
}

/** The same for tests in one environment. */
export function environmentHash(group: string): string {
  return group.slice(SUITE_LENGTH);
}

/** The same for tests of one title in one environment. */
export function titleKey(key: string, group: string): string {
  return key.slice(0, TITLE_LENGTH) + group.slice(SUITE_LENGTH);
}

/** The same for tests of one file and suite; null where one of them is not known. */
export function suiteKey(group: string): string | null {
  const file = fileKey(group);
  const suite = group.slice(FILE_LENGTH, SUITE_LENGTH);
  return file === null || suite === NONE ? null : file + suite;
}

export function fileKey(group: string): string | null {
  const file = group.slice(0, FILE_LENGTH);
  return file === '' || file === NONE ? null : file;
}

function short(text: string): string {
  const value = hash(text);
  return digit(value / 614_125) + digit(value / 7_225) + digit(value / 85) + digit(value);
}

/** 32 bits of a text, as MurmurHash mixes them: a cryptographic hash for each result would be a tenth of its fold. */
function hash(text: string): number {
  let value = 0x9747b28c;
  for (let n = 0; n < text.length; n += 1) {
    value = Math.imul(value ^ text.charCodeAt(n), 0x5bd1e995);
    value ^= value >>> 15;
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
