/** Random histories of runs: several of a commit, retried, reopened, moved and corrected. */
import * as fc from 'fast-check';
import type { LedgerEvent } from '../../../src/domain/events.js';
import type { ResultStatus } from '../../../src/domain/results/result.js';
import type { Metadata } from '../../../src/domain/runs/run.js';
import type { Item } from '../../domain/submission.js';
import {
  keep,
  onResult,
  playing,
  setStatus,
  shard,
  takingTurns,
  which,
  type Step,
  type World,
} from '../history-steps.js';

const status = fc.constantFrom<ResultStatus>('Passed', 'Passed', 'Failed', 'Failed', 'Skipped', 'KnownFail');
const duration = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: null });
const environment = fc.constantFrom<Metadata>({}, {}, {}, { environment: { os: 'linux' } });
const metadata = fc
  .record({
    branch: fc.constantFrom('main', 'main', 'side'),
    commit: fc.constantFrom('a', 'a', 'b', ''),
    tool: fc.constantFrom('jest', 'jest', 'vitest'),
    of: environment,
  })
  .map(({ of, ...own }): Metadata => ({ ...own, ...of }));
const item: fc.Arbitrary<Item> = fc.record({
  test_name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  attempt: fc.integer({ min: 1, max: 3 }),
  status,
  execution_time_ms: duration,
  metadata: environment,
});
/** Of more than one bucket of tests. */
const many = fc.tuple(fc.integer({ min: 60, max: 300 }), duration).map(([count, execution_time_ms]) =>
  Array.from({ length: count }, (_, n): Item => {
    return {
      test_name: `test ${n}`,
      attempt: 1,
      execution_time_ms,
      ...(n % 37 === 5 && { status: 'Failed' }),
    };
  }),
);
/** A first attempt that failed, and a second one. */
const retried = fc.tuple(item, status).map(([first, of]): Item[] => [
  { ...first, attempt: 1, status: 'Failed' },
  { ...first, attempt: 2, status: of },
]);
const items = fc.oneof(
  { weight: 2, arbitrary: fc.array(retried, { minLength: 1, maxLength: 3 }).map((all) => all.flat()) },
  { weight: 6, arbitrary: fc.array(item, { minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: many },
);

const onRun = (work: (world: World, run: World['runs'][number]) => void) =>
  which.map(
    (n): Step =>
      (world) =>
        work(world, world.runs[n % world.runs.length]!),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(items, metadata, fc.boolean()).map(([own, of, isTimed]): Step => (world) => {
      const started_at = isTimed ? '2026-11-21T00:00:00.000Z' : null;
      keep(world, world.ledger.submit(world.project, own, { metadata: of, started_at }));
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(items, shard, metadata).map(([own, of, about]): Step => (world) => {
      keep(world, world.ledger.call(world.project, 'sharded', own, { shard: of, metadata: about }));
    }),
  },
  metadata.map(
    (of): Step =>
      ({ ledger, project, runs }) =>
        void runs.push(ledger.run(project, null, of)),
  ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(which, status, fc.constantFrom('a', 'b', 'c'))
      .map(([n, of, name]): Step => ({ ledger, runs, results }) => {
        results.push(ledger.result(runs[n % runs.length]!, of, { name }));
      }),
  },
  { weight: 2, arbitrary: onRun(({ ledger }, run) => ledger.updateRun(run, { status: 'Running' })) },
  { weight: 5, arbitrary: onRun(({ ledger }, run) => ledger.updateRun(run, { status: 'Completed' })) },
  onRun(({ ledger }, run) => ledger.updateRun(run, { status: 'Pending' })),
  {
    weight: 2,
    arbitrary: fc.tuple(which, metadata).map(([n, of]): Step => ({ ledger, runs }) => {
      ledger.updateRun(runs[n % runs.length]!, { metadata: of });
    }),
  },
  fc.constantFrom('main', 'side').map(
    (default_branch): Step =>
      ({ ledger, project }) =>
        ledger.changeProject(project, { default_branch }),
  ),
  { weight: 3, arbitrary: setStatus },
  {
    weight: 2,
    arbitrary: fc.tuple(which, duration).map(([n, execution_time_ms]): Step => ({ ledger, results }) => {
      if (results.length > 0) ledger.updateResult(results[n % results.length]!, { execution_time_ms });
    }),
  },
  fc.tuple(which, environment).map(([n, of]): Step => ({ ledger, results }) => {
    if (results.length > 0) ledger.updateResult(results[n % results.length]!, { metadata: of });
  }),
  onResult(({ ledger }, result) => ledger.startResult(result)),
  onResult(({ ledger }, result) => ledger.finishResult(result, { error_message: 'again' })),
  onResult(({ ledger, results }, result) => void results.push(ledger.retry(result, 'Passed'))),
  { weight: 2, arbitrary: takingTurns },
  { weight: 3, arbitrary: onResult(({ ledger }, result) => ledger.deleteResult(result)) },
);

const DAY_MS = 86_400_000;

export const runHistories = historiesOn((n) => n % 9);

/** Over some months, in no order. */
export const longRunHistories = historiesOn((n) => (n * 53) % 170);

/** `dayOf`: of the completion that is the n-th event. */
function historiesOn(dayOf: (n: number) => number): fc.Arbitrary<LedgerEvent[]> {
  return playing(step).map((events) => events.map((event, n) => onDay(event, dayOf(n))));
}

/** All commands of the ledger come on one day. */
function onDay(event: LedgerEvent, day: number): LedgerEvent {
  if (event.type !== 'RunCompleted') return event;
  const finished_at = new Date(Date.parse(event.data.finished_at) + day * DAY_MS).toISOString();
  return { ...event, data: { ...event.data, finished_at } };
}
