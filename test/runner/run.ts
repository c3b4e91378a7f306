/**
 * Runs a suite in several mocha processes side by side: most tests wait more than they work. Mocha's own parallel mode
 * has ended with status 0 and 20 tests short, so this runner counts the tests that each file declares, and fails when a process
 * ends without its report or a file reports another number of tests.
 */
import type { LaneEvent } from '../own-run/lane-reporter.js';
import { batches } from './batches.js';
import { filesOf, runMocha, type Ended } from './mocha.js';
import { batchLines, shortName, summaryLines, type Outcome } from './print.js';
import type { Suite } from './suites.js';

export type RunOptions = {
  /** Mocha processes at a time. */
  lanes: number;
  print: (line: string) => void;
  /** Gets the events of all tests, once, after the last test. @throws Error where they could not be posted */
  post?: (events: readonly LaneEvent[]) => Promise<void>;
};

/** Answers whether every test ran and passed. */
export async function runSuite(suite: Suite, { lanes, print, post }: RunOptions): Promise<boolean> {
  const began = performance.now();
  let tests = 0;
  const outcome: Outcome = { passing: 0, failures: [], faults: [] };
  const events: LaneEvent[] = [];
  const all = filesOf(suite);
  const isAlone = (file: string) => suite.alone?.test(file) === true;
  async function runAll(queue: Iterable<readonly string[]>): Promise<void> {
    for (const files of queue) {
      const started = performance.now();
      const ended = await runMocha(suite, files);
      events.push(...ended.events);
      tests += add(outcome, { ...ended, files });
      for (const line of batchLines({ ...ended, files, ms: performance.now() - started })) print(line);
    }
  }
  await runAll(batches(all.filter(isAlone)));
  const queue = batches(all.filter((file) => !isAlone(file))).values();
  await Promise.all(Array.from({ length: lanes }, () => runAll(queue)));
  const missing = tests - outcome.passing - outcome.failures.length;
  if (missing > 0) outcome.faults.push(`${missing} of ${tests} tests did not run`);
  if (tests === 0) outcome.faults.push('no test was found');
  await post?.(events).catch((error: Error) => outcome.faults.push(error.message));
  for (const line of summaryLines(outcome, performance.now() - began)) print(line);
  return outcome.failures.length === 0 && outcome.faults.length === 0;
}

/** Returns the number of tests that the files declare. */
function add(
  outcome: Outcome,
  { report, fault, files, counts }: Ended & { files: readonly string[] },
): number {
  const tests = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (fault !== null) outcome.faults.push(`${files.map(shortName).join(', ')}: ${fault}`);
  if (report === null) return tests;
  outcome.passing += report.passes.length;
  outcome.failures.push(...report.failures);
  for (const file of files) {
    const ran = report.tests.filter((test) => test.file === file).length;
    const wanted = counts.get(file) ?? 0;
    if (wanted === 0) outcome.faults.push(`${shortName(file)} has no test`);
    if (ran !== wanted) outcome.faults.push(`${shortName(file)}: ${ran} of ${wanted} tests ran`);
  }
  return tests;
}
