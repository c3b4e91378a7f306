import type { Entry } from './log-index.js';

export type Matches = (entry: Entry) => boolean;

/** Filters by one expression, or by prefixes. @throws SyntaxError where the expression is invalid. */
export function matcher(on: 'stream' | 'type', regex: string, prefixes: readonly string[]): Matches {
  const text = (entry: Entry) => (on === 'stream' ? entry.stream.name : entry.type);
  if (regex === '') return (entry) => prefixes.some((prefix) => text(entry).startsWith(prefix));
  const expression = new RegExp(regex);
  return (entry) => expression.test(text(entry));
}
