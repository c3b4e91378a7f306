/** The tests of a shard as arguments of a runner. It is pure. */
import { isGoTest, type Printing } from './runner-list.js';

/**
 * One line for a shell, or with `lines` a line for each entry. No line for an empty shard: a runner without arguments runs all.
 * `list`: that of all shards, by which each of them tells tests of Go from packages.
 */
export function printed(entries: readonly string[], as: Printing, list = entries): string[] {
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
      return [`--spec ${quoted([entries.map(asPattern).join(',')])}`];
    case 'go':
      return [list.every(isGoTest) ? `-run ${quoted([`^(${entries.join('|')})$`])}` : quoted(entries)];
  }
}

/** Cypress takes a path for a pattern, and a comma for its end: it would pass over `[id].cy.ts`. */
function asPattern(entry: string): string {
  return /[*{|]/u.test(entry) ? entry : entry.replaceAll(/[,[\]()!]/gu, '?');
}

/** For a POSIX shell. */
function quoted(entries: readonly string[]): string {
  return entries
    .map((entry) => (/^[\w./:@%+=,-]+$/.test(entry) ? entry : `'${entry.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
