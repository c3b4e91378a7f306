/** The tests of a shard as arguments of a runner. */

export const printings = ['pytest', 'vitest', 'jest', 'go', 'cypress', 'lines'] as const;
export type Printing = (typeof printings)[number];

/** One line for a shell, or with `lines` a line for each entry. No line for an empty shard: a runner without arguments runs all. */
export function printed(entries: readonly string[], as: Printing): string[] {
  if (entries.length === 0) return [];
  switch (as) {
    case 'lines':
      return [...entries];
    case 'pytest':
    case 'vitest':
      return [quoted(entries)];
    case 'jest':
      return [`--runTestsByPath ${quoted(entries)}`];
    case 'cypress':
      // Cypress takes a comma for the end of a pattern.
      return [`--spec ${quoted([entries.join(',')])}`];
    case 'go':
      return [entries.every(isGoTest) ? `-run ${quoted([`^(${entries.join('|')})$`])}` : quoted(entries)];
  }
}

/** What `go test -list .` prints. Anything else is a package. */
function isGoTest(entry: string): boolean {
  return /^(Test|Benchmark|Example|Fuzz)\w*$/u.test(entry);
}

/** For a POSIX shell. */
function quoted(entries: readonly string[]): string {
  return entries
    .map((entry) => (/^[\w./:@%+=,-]+$/.test(entry) ? entry : `'${entry.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
