/** The formats that are imported: each of them passes `every-format.test.ts` and `sessions.load.ts`. */
import type { ImportedEntry } from '../../src/importers/entry.js';
import * as streams from './sessions/session-stream-writers.js';
import * as write from './sessions/session-writers.js';
import {
  lastFailuresLast,
  withoutAttempts,
  withoutAttemptsOfFailures,
  withoutSameNames,
  type SessionSuite,
  type Truth,
} from './sessions/sessions.js';

/** A format, and what its tool writes for a session. */
export type Format = {
  name: string;
  write: write.Writer;
  /** What the tool or its format cannot have: docs/import.md. */
  fit?: (suites: readonly SessionSuite[]) => SessionSuite[];
  /** Where the format has one counter or error for the whole report, it stands for all hooks. */
  hooks: 'each' | 'one';
  /** The order in which its results come, where it is not that of the report. */
  order?: (suites: readonly SessionSuite[]) => SessionSuite[];
};

export const formats: readonly Format[] = [
  { name: 'JUnit with the elements of Surefire', write: write.surefire, hooks: 'each' },
  { name: 'JUnit of pytest', write: write.pytest, fit: withoutSameNames, hooks: 'one' },
  { name: 'JUnit of gotestsum', write: write.gotestsum, fit: withoutSameNames, hooks: 'each' },
  { name: 'CTRF with attempts', write: write.ctrf, hooks: 'one' },
  {
    name: 'CTRF that is flaky by its own word',
    write: write.ctrfByWord,
    fit: withoutAttemptsOfFailures,
    hooks: 'one',
  },
  { name: 'the JSON of Playwright', write: write.playwright, hooks: 'each' },
  { name: 'TRX', write: write.trx, fit: withoutAttempts, hooks: 'one' },
  { name: 'NUnit', write: write.nunit, fit: withoutAttempts, hooks: 'each' },
  { name: 'xUnit', write: write.xunit, fit: withoutAttempts, hooks: 'each' },
  { name: 'go test -json', write: streams.goTest, fit: withoutSameNames, hooks: 'each' },
  { name: 'Cucumber messages', write: streams.cucumber, hooks: 'each', order: lastFailuresLast },
  { name: 'the output.xml of Robot', write: streams.robot, hooks: 'each' },
];

/** Of the results that no later attempt supersedes. Attempts of a test follow each other. */
export function countsOf(entries: readonly ImportedEntry[]): Truth {
  const items = entries.flatMap((entry) => (entry.type === 'result' ? [entry.item] : []));
  const standing = items.filter(
    ({ attempt }, n) => attempt === undefined || items[n + 1]?.attempt !== attempt + 1,
  );
  const count = (status: string) => standing.filter((item) => item.status === status).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    flaky: standing.filter(({ status, attempt = 1 }) => status === 'passed' && attempt > 1).length,
  };
}
