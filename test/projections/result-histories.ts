/** Random histories of the results of a few runs, of all kinds. */
import * as fc from 'fast-check';
import type { RunDocument } from '../../projections/records/run-documents.js';
import type { ResultStatus } from '../../src/domain/results/result.js';
import type { Metadata } from '../../src/domain/runs/run.js';
import type { Item } from '../domain/submission.js';
import { keep, onResult, playing, setStatus, shard, takingTurns, which, type Step } from './history-steps.js';

const status = fc.constantFrom<ResultStatus>('Passed', 'Passed', 'Failed', 'Skipped');
/** Of calls, runs and results: mostly without an environment. */
const metadata = fc.constantFrom<Metadata | null>(
  null,
  null,
  null,
  { environment: { os: 'linux' } },
  { environment: { os: 'windows' } },
  { environment: { node: '22' } },
);
/** Of items. */
const itemMetadata = fc.oneof(
  metadata,
  fc.constantFrom<Metadata>(
    { owner: '@shop' },
    { tags: ['slow'], environment: { os: 'linux' } },
    { owner: '@shop', tags: ['slow', 'cart'] },
    { owner: 7, tags: 'slow' },
  ),
);
export const environments = ['', 'os=linux', 'os=windows', 'node=22', 'node=22,os=linux', 'os=macos'];
const item: fc.Arbitrary<Item> = fc.record({
  test_name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  attempt: fc.integer({ min: 1, max: 3 }),
  status,
  metadata: itemMetadata,
});
/** They are in several bodies, and often in several packs. */
const many = (max: number) =>
  fc.tuple(fc.integer({ min: 120, max }), item).map(([count, one]) =>
    Array.from({ length: count }, (_, n): Item => {
      return {
        ...one,
        test_name: `test ${n}`,
        attempt: 1,
        ...(n % 97 === 5 && { status: 'Failed', metadata: { owner: '@shop' } }),
      };
    }),
  );
const few = fc.array(item, { minLength: 1, maxLength: 9 });
const itemsUpTo = (most: number) =>
  fc.oneof({ weight: 5, arbitrary: few }, { weight: 1, arbitrary: many(most) });
const items = itemsUpTo(1_300);
/** Fewer: what they replace is looked up in the whole history. */
const shardItems = itemsUpTo(150);

const oneStep: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(items, metadata).map(
    ([own, of]): Step =>
      (world) =>
        keep(world, world.ledger.submit(world.project, own, { metadata: of })),
  ),
  fc.tuple(items, metadata).map(
    ([own, of]): Step =>
      (world) =>
        keep(world, world.ledger.call(world.project, 'plain', own, { metadata: of })),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(shardItems, shard, metadata).map(([own, of, metadata]): Step => (world) => {
      keep(world, world.ledger.call(world.project, 'sharded', own, { shard: of, metadata }));
    }),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(which, status, metadata).map(([n, of, metadata]): Step => (world) => {
      const { ledger, runs, results } = world;
      results.push(ledger.result(runs[n % runs.length]!, of, { metadata }));
    }),
  },
  { weight: 4, arbitrary: setStatus },
  {
    weight: 2,
    arbitrary: fc.tuple(which, metadata).map(([n, metadata]): Step => ({ ledger, results }) => {
      if (results.length > 0) ledger.updateResult(results[n % results.length]!, { metadata });
    }),
  },
  onResult(({ ledger }, result) => ledger.finishResult(result, { error_message: 'again' })),
  onResult(({ ledger, results }, result) => void results.push(ledger.retry(result, 'Passed'))),
  { weight: 2, arbitrary: takingTurns },
  { weight: 3, arbitrary: onResult(({ ledger }, result) => ledger.deleteResult(result)) },
);

/** Histories of a few runs, of one or more kinds of results each. */
export const histories = playing(oneStep);

/** How many events the batches of a fold have, in turn. */
export const batchSizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

/** `texts`: the folded documents. */
export function runsIn(texts: ReadonlyMap<string, string>): string[] {
  const runs = [...texts].filter(([name]) => name.startsWith('runs/'));
  return runs.map(([, text]) => (JSON.parse(text) as RunDocument).test_run_id);
}
