/** Everything that the runner prints. */
import Mocha from 'mocha';
import { relative } from 'node:path';
import type { Report, Reported } from './mocha.js';

export type Outcome = {
  passing: number;
  failures: Reported[];
  /** What went wrong beside the failures of tests. */
  faults: string[];
};

type Batch = {
  files: readonly string[];
  report: Report | null;
  fault: string | null;
  output: string;
  ms: number;
};

/** One line a file, and below it the tests that failed. */
export function printBatch({ files, report, fault, output, ms }: Batch): void {
  if (output.trim() !== '') console.log(output.trimEnd());
  for (const file of files) {
    const tests = report?.tests.filter((test) => test.file === file) ?? [];
    const failures = report?.failures.filter((test) => test.file === file) ?? [];
    const took = files.length === 1 ? ms : tests.reduce((sum, { duration = 0 }) => sum + duration, 0);
    const mark = fault === null && failures.length === 0 ? '✔' : '✖';
    console.log(`${mark} ${relative('dist', file)}: ${tests.length} tests (${seconds(took)})`);
    for (const { fullTitle } of failures) console.log(`    failed: ${fullTitle}`);
  }
  if (fault !== null) console.log(`    ${fault}`);
}

/** The gate reads the line with "passing". */
export function printSummary({ passing, failures, faults }: Outcome, ms: number): void {
  console.log(`\n  ${passing} passing (${seconds(ms)})`);
  if (failures.length > 0) {
    console.log(`  ${failures.length} failing`);
    // Mocha prints each with its difference; it needs no more of a test than this.
    const tests = failures.map(({ fullTitle, err }) => ({ titlePath: () => [fullTitle], err }));
    Mocha.reporters.Base.list(tests as unknown as Mocha.Test[]);
  }
  for (const fault of faults) console.log(`  ✖ ${fault}`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
