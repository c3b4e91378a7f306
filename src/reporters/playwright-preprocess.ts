/**
 * Before Playwright (1.62 and newer) runs its tests: skips those that are known to fail, and chooses the tests of this
 * shard by how long they take. Both follow from one shard plan, so that each test is in exactly one shard.
 */
import { balanceShards } from '../client/balance-shards.js';
import type { ShardPlan } from '../client/shard-plan.js';
import { cutTestName, testName } from '../test-name.js';
import type { FullConfig, Suite, TestCase, TestRun } from './playwright-types.js';

export type Preprocessing = {
  config: Pick<FullConfig, 'shard' | 'projects'>;
  suite: Suite;
  testRun: TestRun;
};

/** Skips the tests whose names are known to fail. Returns how many there are. */
export function skipKnownFailures(
  { suite, testRun }: Preprocessing,
  known: ShardPlan['knownFailures'],
): number {
  let skipped = 0;
  for (const test of suite.allTests()) {
    const reason = known.get(nameOf(test));
    if (reason === undefined || test.expectedStatus === 'skipped') continue;
    if (isAllowed(() => testRun.skip(test, `known failure: ${reason}`))) skipped += 1;
  }
  return skipped;
}

export type Share = { tests: number; ofTests: number; ms: number; ofMs: number };

/** Leaves out the tests of the other shards, in place of Playwright's own sharding. Null where it has no shards. */
export function keepShare({ config, suite, testRun }: Preprocessing, plan: ShardPlan): Share | null {
  if (config.shard === null) return null;
  const { current, total } = config.shard;
  const isShared = sharedProjects(config, suite);
  const own = suite.suites.filter((project) => !isShared(project)).flatMap((project) => project.allTests());
  const msOf = durationsOf(own, plan);
  const parts = suite.suites.flatMap((project) =>
    partsOf(project, testRun).map((tests) => ({
      key: tests[0]!.id,
      tests,
      // In every shard, as far as Playwright says, so it makes no difference between them.
      ms: isShared(project) ? 0 : tests.reduce((sum, test) => sum + msOf(test), 0),
    })),
  );
  const shards = balanceShards(parts, total);
  const kept = new Set(parts.filter((_, n) => shards[n] === current - 1).flatMap(({ tests }) => tests));
  // First: another reporter may have done it, which throws, and then nothing may be left out.
  testRun.skipSharding();
  for (const project of suite.suites.slice()) excludeOthers(project, kept, testRun);
  const ofShard = own.filter((test) => kept.has(test));
  const sum = (tests: readonly TestCase[]) => tests.reduce((ms, test) => ms + msOf(test), 0);
  return { tests: ofShard.length, ofTests: own.length, ms: sum(ofShard), ofMs: sum(own) };
}

/**
 * Projects on which others of this run depend. Playwright runs these in each shard and lets no reporter change them,
 * unless the dependencies are switched off, which only the refusal of a change shows (`isAllowed`).
 */
function sharedProjects(
  { projects }: Preprocessing['config'],
  { suites }: Pick<Suite, 'suites'>,
): (suite: Suite) => boolean {
  const nameOfProject = (suite: Suite) => suite.project()?.name ?? '';
  const running = new Set(suites.map(nameOfProject));
  const shared = new Set(
    projects
      .filter(({ name }) => running.has(name))
      .flatMap(({ dependencies = [], teardown }) => [...dependencies, ...(teardown ? [teardown] : [])]),
  );
  return (suite) => shared.has(nameOfProject(suite));
}

/** False where Playwright refuses the change, because the test is in a project that runs in full in each shard. */
function isAllowed(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (error instanceof Error && /setup or teardown project/.test(error.message)) return false;
    throw error;
  }
}

/** A test without a known duration takes as long as the test in the middle of those with one. */
function durationsOf(tests: readonly TestCase[], { durations }: ShardPlan): (test: TestCase) => number {
  const known = new Map<TestCase, number>();
  for (const test of tests) {
    const ms = durations.get(nameOf(test));
    if (ms !== undefined) known.set(test, ms);
  }
  const middle = [...known.values()].toSorted((a, b) => a - b)[Math.floor(known.size / 2)] ?? 1_000;
  return (test) => (test.expectedStatus === 'skipped' ? 0 : (known.get(test) ?? middle));
}

/** The tests that Playwright keeps in one worker: a file, but in parallel mode a test, or a group with a mode of its own. */
function partsOf(suite: Suite, testRun: TestRun): TestCase[][] {
  const isWhole = suite.type !== 'project' && testRun.mode(suite) !== 'parallel';
  if (isWhole) return [suite.allTests()].filter((tests) => tests.length > 0);
  return [...suite.tests.map((test) => [test]), ...suite.suites.flatMap((inner) => partsOf(inner, testRun))];
}

/** Whole suites where it can: Playwright would prepare a project of which only empty files are left. */
function excludeOthers(suite: Suite, kept: ReadonlySet<TestCase>, testRun: TestRun): void {
  const keeps = (test: TestCase) => kept.has(test);
  const leaveOut = (target: Suite | TestCase) => void isAllowed(() => testRun.exclude(target));
  if (!suite.allTests().some(keeps)) return leaveOut(suite);
  // Over copies, because excluding takes entries out of the lists.
  for (const test of suite.tests.filter((each) => !keeps(each))) leaveOut(test);
  for (const inner of suite.suites.slice()) excludeOthers(inner, kept, testRun);
}

/** The name under which the results of the test are posted. */
function nameOf(test: TestCase): string {
  const [, project = '', ...path] = test.titlePath();
  return cutTestName(testName(path, project || null));
}
