/**
 * Runs a suite in several mocha processes side by side: most tests wait more than they work. Mocha's own parallel mode
 * has ended with status 0 and 20 tests short, so this runner counts the tests first, with `mocha --dry-run`, and fails
 * when a process ends without its report or a file reports another number of tests.
 *
 *   node dist/test/runner/main.js [all | fast | stack]
 */
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { batches } from './batches.js';
import { countTests, runMocha, stopAll, type Report } from './mocha.js';
import { printBatch, printSummary, type Outcome } from './print.js';
import { suiteNamed, type Suite } from './suites.js';

/** One more than the cores, because tests wait; `TEST_LANES` sets another number. */
const lanes = Number(process.env['TEST_LANES'] ?? availableParallelism() + 1);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.once('exit', stopAll);
process.exitCode = (await runSuite(suiteNamed(process.argv[2] ?? 'all'))) ? 0 : 1;

/** Answers whether every test ran and passed. */
async function runSuite(suite: Suite): Promise<boolean> {
  const began = performance.now();
  const counted = await countTests(suite);
  const outcome: Outcome = { passing: 0, failures: [], faults: [] };
  await suite.setUp?.();
  try {
    const queue = batches(counted).values();
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (const files of queue) {
          const started = performance.now();
          const { report, fault, output } = await runMocha(suite, files);
          add(outcome, { report, fault, files, counted });
          printBatch({ files, report, fault, output, ms: performance.now() - started });
        }
      }),
    );
  } finally {
    await suite.tearDown?.();
  }
  const expected = [...counted.values()].reduce((sum, count) => sum + count, 0);
  const ended = outcome.passing + outcome.failures.length;
  if (ended < expected) outcome.faults.push(`${expected - ended} of ${expected} tests did not run`);
  if (expected === 0) outcome.faults.push('no test was found');
  printSummary(outcome, performance.now() - began);
  return outcome.failures.length === 0 && outcome.faults.length === 0;
}

type Ran = {
  report: Report | null;
  fault: string | null;
  files: readonly string[];
  counted: ReadonlyMap<string, number>;
};

function add(outcome: Outcome, { report, fault, files, counted }: Ran): void {
  if (fault !== null) outcome.faults.push(`${files.map(shortName).join(', ')}: ${fault}`);
  if (report === null) return;
  outcome.passing += report.passes.length;
  outcome.failures.push(...report.failures);
  for (const file of files) {
    const ran = report.tests.filter((test) => test.file === file).length;
    if (ran !== counted.get(file))
      outcome.faults.push(`${shortName(file)}: ${ran} of ${counted.get(file)} tests ran`);
  }
}

function shortName(file: string): string {
  return relative('dist', file);
}
