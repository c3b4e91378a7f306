import { expect } from 'chai';
import fc from 'fast-check';
import type { ImportedEntry } from '../../src/importers/entry.js';
import { entriesOf } from './read-corpus.js';
import * as write from './session-writers.js';
import {
  sessions,
  truthOf,
  withoutAttempts,
  withoutSameNames,
  type SessionSuite,
  type Truth,
} from './sessions.js';

type Format = {
  name: string;
  write: write.Writer;
  /** What the tool or its format cannot have: docs/import.md. */
  fit?: (suites: readonly SessionSuite[]) => SessionSuite[];
  /** Where the format has one counter or error for the whole report, it stands for all hooks. */
  hooks: 'each' | 'one';
};

const formats: readonly Format[] = [
  { name: 'JUnit with the elements of Surefire', write: write.surefire, hooks: 'each' },
  { name: 'JUnit of pytest', write: write.pytest, fit: withoutSameNames, hooks: 'one' },
  { name: 'JUnit of gotestsum', write: write.gotestsum, fit: withoutSameNames, hooks: 'each' },
  { name: 'CTRF with attempts', write: write.ctrf, hooks: 'one' },
  { name: 'CTRF that is flaky by its own word', write: write.ctrfByWord, hooks: 'one' },
  { name: 'the JSON of Playwright', write: write.playwright, hooks: 'each' },
  { name: 'TRX', write: write.trx, fit: withoutAttempts, hooks: 'one' },
  { name: 'NUnit', write: write.nunit, fit: withoutAttempts, hooks: 'each' },
  { name: 'xUnit', write: write.xunit, fit: withoutAttempts, hooks: 'each' },
];

describe('importers: a session has the counts that its tool knows', function () {
  this.timeout(120_000);
  for (const { name, write, fit, hooks } of formats) {
    it(`in ${name}`, () =>
      fc.assert(
        fc.asyncProperty(sessions, async (random) => {
          const suites = fit?.(random) ?? random;
          const report = write(suites);
          expect(countsOf(await entriesOf(report)), report).to.deep.equal(truthOf(suites, hooks));
        }),
        { numRuns: 1_000 },
      ));
  }
});

/** Of the results that no later attempt supersedes. Attempts of a test follow each other. */
function countsOf(entries: readonly ImportedEntry[]): Truth {
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
