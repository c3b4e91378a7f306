import { expect } from 'chai';
import * as fc from 'fast-check';
import { history } from '../../projections/history/history.js';
import { openAdmission } from '../../src/admission/admission.js';
import type { Document } from '../../src/domain/projection.js';
import type { Metadata } from '../../src/domain/runs/run.js';
import { historyEvent } from '../../src/domain/test-history/result-change.js';
import type { ViewReader } from '../../src/ports/views.js';
import { openComparisons } from '../../src/queries/comparisons.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { fold } from '../projections/folding.js';
import { comparisonsOf } from './comparisons.model.js';

const statuses = ['Passed', 'Passed', 'Failed', 'Skipped', 'KnownFail'] as const;
const environments = [undefined, { os: 'linux' }, { os: 'windows' }];
const words = ['fit', 'unfit', null] as const;

type Move = {
  kind: 'run' | 'part' | 'say' | 'correct' | 'move' | 'delete' | 'add' | 'again';
  which: number;
  branch: string;
  tool: string | undefined;
  environment: number;
  items: { name: number; status: number; environment: number }[];
};

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Move['kind'][]>(
      ...(['run', 'run', 'run', 'run', 'part', 'say', 'correct', 'move', 'delete', 'add', 'again'] as const),
    ),
    which: fc.nat(40),
    branch: fc.constantFrom('main', 'main', 'main', 'feature'),
    tool: fc.constantFrom(undefined, undefined, 'jest'),
    environment: fc.constantFrom(0, 0, 1),
    items: fc.uniqueArray(
      fc.record({ name: fc.nat(9), status: fc.nat(4), environment: fc.constantFrom(0, 0, 1, 2) }),
      { selector: ({ name, environment }) => `${name} ${environment}`, minLength: 1, maxLength: 10 },
    ),
  }),
  { minLength: 8, maxLength: 40, size: 'max' },
);

const plain: Move = {
  kind: 'run',
  which: 0,
  branch: 'main',
  tool: undefined,
  environment: 0,
  items: [0, 1, 2, 3].map((name) => ({ name, status: 0, environment: 0 })),
};
const [first, ...others] = plain.items;

/** A newer run is passed over as a baseline, once for each reason: random moves may all leave one out. */
const passedOver: Move[][] = [
  [plain, { ...plain, kind: 'say', which: 1 }, plain],
  [plain, { ...plain, items: [{ ...first!, status: 3 }] }, plain],
  [plain, { ...plain, kind: 'part' }, plain],
  [plain, { ...plain, items: [first!] }, { ...plain, items: others }],
];

const inEnvironment = (n: number): Metadata =>
  environments[n] === undefined ? {} : { environment: environments[n] };

function ledgerOf(all: readonly Move[]) {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  const runs: ReturnType<typeof ledger.run>[] = [];
  const results: ReturnType<typeof ledger.result>[] = [];
  const gone = new Set<string>();
  for (const [n, { kind, which, branch, tool, environment, items }] of all.entries()) {
    const metadata = { branch, ...(tool && { tool }), ...inEnvironment(environment) };
    const given = items.map((item) => ({
      test_name: `test ${item.name}`,
      status: statuses[item.status]!,
      metadata: inEnvironment(item.environment),
    }));
    const [run, result] = [runs[which % runs.length], results[which % results.length]];
    if (kind === 'run' || kind === 'part' || run === undefined || result === undefined) {
      const shard = { index: 1, total: 2, attempt: 1 };
      const made =
        kind === 'part'
          ? ledger.call(project, `build ${n}`, given, { metadata, shard })
          : ledger.submit(project, given, { metadata });
      if (kind === 'part') ledger.updateRun(made.run, { status: 'Completed' });
      runs.push(made.run);
      results.push(...made.results);
    } else if (kind === 'say') ledger.updateRun(run, { baseline: words[which % 3]! });
    else if (kind === 'again') ledger.updateRun(run, { status: which % 2 === 0 ? 'Running' : 'Completed' });
    else if (kind === 'add') {
      const { name, status } = items[0]!;
      results.push(
        ledger.result(run, statuses[status]!, { name: `test ${name}`, metadata: inEnvironment(environment) }),
      );
    } else if (!gone.has(result.id)) {
      if (kind === 'correct') ledger.updateResult(result, { status: statuses[items[0]!.status]! });
      else if (kind === 'move') ledger.updateResult(result, { metadata: inEnvironment(environment) });
      else {
        ledger.deleteResult(result);
        gone.add(result.id);
      }
    }
  }
  return { events: ledger.events, runs, project };
}

describe('the baseline and the comparison of any run', () => {
  it('are those of a model that keeps everything, over random runs, environments, corrections and words', async () => {
    const seen: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(moves, fc.integer({ min: 1, max: 20 }), async (all, size) => {
        const { events, runs, project } = ledgerOf(all);
        const { texts } = await fold(events.map(historyEvent), [size], history);
        const reader = {
          get: async (_: unknown, collection: string, ids: readonly string[]) =>
            ids.map((id) => {
              const text = texts.get(`${collection}/${id}`);
              return text === undefined ? null : (JSON.parse(text) as Document);
            }),
        } as unknown as ViewReader;
        const comparisons = openComparisons(reader, openAdmission());
        const expected = comparisonsOf(events);
        for (const { id } of runs) {
          const found = await comparisons.summary({ team: project.team, runId: id, baseline: undefined });
          const { baseline, passed_over, counts, tests, baseline_tests } = found;
          const { new_failures, still_failing, fixed, removed } = counts;
          const said = { new_failures, still_failing, fixed, removed, tests, baseline_tests };
          expect({ baseline: baseline?.id ?? null, passed_over, ...said }).to.deep.equal(expected(id));
          const kind = passed_over?.reason ?? (baseline === null ? 'none' : 'fit');
          seen[kind] = (seen[kind] ?? 0) + 1;
        }
      }),
      { numRuns: 60, examples: passedOver.map((all) => [all, 1]) },
    );
    for (const kind of ['fit', 'none', 'set_aside', 'empty', 'incomplete', 'too_small']) {
      expect(seen[kind] ?? 0, kind).to.be.above(0);
    }
  });
});
