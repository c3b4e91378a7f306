/** What a runner printed of its tests, as the entries of a list, and which of them one shard has to run together. It is pure. */
import { failWith } from '../errors.js';

export const printings = ['pytest', 'vitest', 'jest', 'go', 'cypress', 'lines'] as const;
export type Printing = (typeof printings)[number];

/** A name that `go test -list` prints. Anything else is a package. */
export function isGoTest(entry: string): boolean {
  return /^(?:Test|Benchmark|Example|Fuzz)[\p{L}\p{N}_]*$/u.test(entry);
}

/** @throws CliError `usage` where the list says that it is not whole */
export function entriesOf(printed: readonly string[], as: Printing): string[] {
  switch (as) {
    case 'go':
      return goEntries(printed);
    case 'vitest':
      // Of each project; an argument with its name in front finds no file.
      return printed.map((line) => line.replace(/^\[[^\]]*\] /u, ''));
    case 'pytest':
    case 'jest':
    case 'cypress':
    case 'lines':
      return [...printed];
  }
}

/** `go test -list` says of each package how it went, among the names of tests. A shell may have cut its lines into words. */
const GO_STATUS =
  /(?<=^| )(?:ok \S+ (?:[\d.]+s|\(cached\))(?: \[no tests to run\])?|\? \S+ \[no test files\]|program not built with -cover)(?= |$)/gu;

function goEntries(printed: readonly string[]): string[] {
  const words = printed.join(' ').replaceAll(/\s+/gu, ' ').replaceAll(GO_STATUS, '').split(' ');
  // Its tests would run in no shard, and all shards would pass.
  if (words.includes('FAIL'))
    failWith('usage', 'the list is not whole: go could not list the tests of a package (FAIL)');
  const entries = words.filter((word) => word !== '');
  mustBeOfOneKind(entries);
  return entries;
}

/** A shell takes a `?` of a list for a pattern, and the names of files would stand among the tests. */
function mustBeOfOneKind(entries: readonly string[]): void {
  const tests = entries.filter(isGoTest);
  const others = entries.filter((entry) => !isGoTest(entry));
  // The first package of a module may have a name like a test.
  if (tests.length === 0 || others.every((entry) => entry.startsWith(`${tests[0]}/`))) return;
  failWith('usage', 'the list has tests and packages: give that of `go test -list` on standard input');
}

/** By entry: the one for which its part of the list stands. */
export function partsOf(entries: readonly string[], as: Printing): (entry: string) => string {
  return as === 'vitest' ? vitestParts(entries) : (entry) => entry;
}

/**
 * Vitest runs each file whose path has an argument in it, in upper or lower case. In two shards, `src/a.test.ts` would run
 * `lib/src/a.test.ts` too.
 */
function vitestParts(entries: readonly string[]): (entry: string) => string {
  const all = [...new Set(entries)].toSorted();
  const starts: number[] = [];
  let text = '';
  for (const entry of all) {
    starts.push(text.length);
    text += `${entry.toLowerCase()}\n`;
  }
  const heads = all.map((_, n) => n);
  const headOf = (n: number): number => {
    let head = n;
    while (heads[head] !== head) head = heads[head]!;
    heads[n] = head;
    return head;
  };
  for (const [n, entry] of all.entries()) {
    const searched = entry.toLowerCase();
    for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + searched.length)) {
      const [one, other] = [headOf(n), headOf(lineAt(starts, at))];
      heads[Math.max(one, other)] = Math.min(one, other);
    }
  }
  const numbers = new Map(all.map((entry, n) => [entry, n]));
  return (entry) => all[headOf(numbers.get(entry)!)]!;
}

/** The last that starts at a place or before it. */
function lineAt(starts: readonly number[], at: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
