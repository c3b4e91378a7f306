import { expect } from 'chai';
import * as fc from 'fast-check';
import type { FailingLineDocument } from '../../projections/history/failing-lines.js';
import type { GroupDocument, SightingDocument } from '../../projections/history/failure-counts.js';
import type { FailureDocument } from '../../projections/history/failure-documents.js';
import { groupId, sightingId } from '../../projections/history/failure-scopes.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { plainGroup, plainSighting } from '../../src/queries/plain-groups.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { randomHistories } from '../domain/random-histories.js';
import { foldOutbox } from '../webhooks/outbox/outbox-harness.js';
import { rowsOf } from './failing-rows.model.js';
import { failuresOf, momentOf } from './failures.model.js';
import { takeTurns, turns, type Turn } from '../domain/turns.js';
import { unlessRefused } from '../domain/unless-refused.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

/** Histories of few tests, with few errors: nearly every step changes a group that others changed before. */
const histories = fc.oneof(
  randomHistories(80).map(({ events }) => events),
  fc
    .array(
      fc.record({
        kind: fc.constantFrom(
          'result',
          'result',
          'result',
          'submit',
          'turns',
          'retry',
          'correct',
          'describe',
          'delete',
        ),
        which: fc.nat(7),
        status: fc.constantFrom('Failed', 'Failed', 'Failed', 'Passed', 'Passed', 'Skipped', 'Running'),
        name: fc.constantFrom('pays', 'refunds'),
        branch: fc.constantFrom('main', 'main', 'side', null),
        os: fc.constantFrom(null, null, 'linux', 'windows'),
        error_message: fc.constantFrom('no', 'no', 'never'),
        turns,
      }),
      { maxLength: 30, size: 'max' },
    )
    .map(crowded),
);

type Crowding = {
  kind: string;
  which: number;
  status: 'Failed' | 'Passed' | 'Skipped' | 'Running';
  name: string;
  branch: string | null;
  os: string | null;
  error_message: string;
  turns: readonly Turn[];
};

function crowded(steps: readonly Crowding[]): LedgerEvent[] {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  const parents = [ledger.run(project), ledger.run(project), ledger.run(project), project];
  const results: ReturnType<typeof ledger.result>[] = [];
  const perform = ({ kind, which, status, name, branch, os, error_message, turns: all }: Crowding) => {
    const metadata = {
      ...(branch !== null && { branch, commit: `c${which}` }),
      ...(os !== null && { environment: { os } }),
    };
    if (kind === 'result' || results.length === 0) {
      return results.push(ledger.result(parents[which % 4]!, status, { name, metadata }));
    }
    if (kind === 'submit') {
      const items = Array.from({ length: 1 + (which % 3) }, (_, n) => ({
        test_name: name,
        status: n === which % 2 ? status : ('Failed' as const),
        attempt: which < 4 ? n + 1 : 4 - n,
        metadata,
        error_message,
      }));
      return results.push(...ledger.submit(project, items).results);
    }
    const result = results.at(-1 - (which % results.length))!;
    if (kind === 'turns') return results.push(...takeTurns(ledger, result, all));
    if (kind === 'retry') return results.push(ledger.retry(result, status));
    if (kind === 'correct') return ledger.updateResult(result, { status, error_message });
    if (kind === 'describe') return ledger.updateResult(result, { error_message, metadata });
    return ledger.deleteResult(result);
  };
  for (const each of steps) unlessRefused(() => perform(each));
  return ledger.events;
}

const step = { which: 0, name: 'pays', branch: null, os: null, error_message: 'no', turns: [] };

/** Two passes count no more, because another retry takes the place of each. */
const retriedAgain = crowded([
  { ...step, kind: 'result', status: 'Passed' },
  { ...step, kind: 'retry', status: 'Passed' },
  { ...step, kind: 'retry', status: 'Failed' },
]);

/** A failure that is not over any more: it counts in no group, also where the retry in its place is deleted. */
const restoredOpen = crowded([
  { ...step, kind: 'result', status: 'Failed' },
  { ...step, kind: 'retry', status: 'Passed' },
  { ...step, kind: 'correct', which: 1, status: 'Running' },
  { ...step, kind: 'delete', status: 'Failed' },
]);

/** What the model says too, of the documents after these events. */
async function folded(events: readonly LedgerEvent[], batches?: readonly number[]) {
  const { documents } = await foldOutbox(events, batches);
  const of = <T>(collection: string) =>
    [...documents].flatMap(([key, document]): [string, T][] =>
      key.startsWith(`${collection}/`) ? [[key.slice(collection.length + 1), document as unknown as T]] : [],
    );
  return {
    documents,
    failures: of<FailureDocument>('failures').filter(([, { reopened }]) => reopened !== true),
    sightings: of<SightingDocument>('sightings'),
    groups: of<GroupDocument>('groups'),
    lines: of<FailingLineDocument>('failing_lines'),
    tests: of<{ results: number }>('sighted_tests'),
  };
}

const sorted = (pairs: Iterable<readonly [string, unknown]>) =>
  Object.fromEntries([...pairs].sort(([one], [other]) => (one < other ? -1 : 1)));

describe('groups of failures, for any history', () => {
  it('have each failing result once, with the group of its newest error', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { failures } = await folded(events, batches);
        const listed = failures.flatMap(
          ([id, { listed_in, group, test_id, branch, environment = '', placed, ...moment }]) =>
            listed_in === null
              ? []
              : [
                  [
                    id,
                    {
                      listed_in,
                      group: group.id,
                      test_id,
                      branch,
                      environment,
                      opened: placed,
                      ...momentOf(moment),
                    },
                  ] as const,
                ],
        );
        const expected = [...failuresOf(events).failing].map(
          ([id, { result_id, project_id: _, ...failing }]) =>
            [id, { listed_in: `${failing.run_id ?? result_id}#${failing.group}`, ...failing }] as const,
        );
        expect(sorted(listed)).to.deep.equal(sorted(expected));
      }),
      { numRuns: 15 },
    );
  });

  it('count the results and the tests of each run, and begin with its first failure', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { sightings, tests } = await folded(events, batches);
        const model = stored(failuresOf(events).sightings);
        expect(
          sorted(
            byKeys(sightings, model).map(([id, { results, tests, opened, ...moment }]) => [
              id,
              { results, opened, ...(tests !== null && { tests }), moment: momentOf(moment) },
            ]),
          ),
        ).to.deep.equal(
          sorted(
            [...model].map(([id, { tests, ...sighting }]) => [
              id,
              { ...sighting, ...(isCounting(id) && { tests }) },
            ]),
          ),
        );
        const counted = [...model]
          .filter(([id]) => isCounting(id))
          .reduce((n, [, { tests }]) => n + tests, 0);
        expect(tests.length).to.equal(counted);
      }),
      { numRuns: 15 },
    );
  });

  it('count the runs and the results of each project and branch, and know when they were seen', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { groups, sightings } = await folded(events, batches);
        const model = stored(failuresOf(events).groups);
        const shown = groups.map(([id, { runs, results, first, last, last_at }]) => {
          const own = sightings.map(([, one]) => one).filter(({ scope }) => scope === id);
          own.sort((one, other) => (one.opened < other.opened ? -1 : 1));
          expect(own.every(({ at }) => at <= last_at)).to.equal(true);
          const seen = { first: momentOf(first ?? own[0]!), last: momentOf(last ?? own.at(-1)!) };
          return [id, { runs, results, ...seen }] satisfies [string, unknown];
        });
        expect(sorted(byKeys(shown, model))).to.deep.equal(sorted(model));
      }),
      { numRuns: 15, examples: [[restoredOpen, [1]]] },
    );
  });

  it('have what is left of them without an environment', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { groups, sightings } = await folded(events, batches);
        const model = failuresOf(events);
        const left = <T extends object>(documents: [string, T][], plain: (one: T) => T | null) =>
          documents.flatMap(([id, one]) => {
            const rest = id.includes('#@') ? null : plain(one);
            return rest === null ? [] : [[id, rest] as const];
          });
        expect(
          sorted(
            left(byKeys(sightings, stored(model.sightings)), plainSighting).map(
              ([id, { results, tests }]) => [id, { results, ...(isCounting(id) && { tests }) }],
            ),
          ),
        ).to.deep.equal(
          sorted(
            without(model.sightings).map(([id, { results, tests }]) => [
              id,
              { results, ...(isCounting(id) && { tests }) },
            ]),
          ),
        );
        expect(
          sorted(
            left(byKeys(groups, stored(model.groups)), plainGroup).map(([id, { runs, results }]) => [
              id,
              { runs, results },
            ]),
          ),
        ).to.deep.equal(
          sorted(without(model.groups).map(([id, { runs, results }]) => [id, { runs, results }])),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('know since when each test fails on its branch, and on which branches it fails', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { failures, lines } = await folded(events, batches);
        const { rows, failing } = rowsOf(events);
        const exact = failures.filter(([id]) => rows.get(id) !== null);
        expect(
          sorted(exact.map(([id, { failing_since, last_passed }]) => [id, { failing_since, last_passed }])),
        ).to.deep.equal(sorted([...rows].filter(([, row]) => row !== null)));
        const known = lines.filter(([id]) => failing.get(id) !== null);
        expect(sorted(known.map(([id, { test_id }]) => [id, id.startsWith(test_id)]))).to.deep.equal(
          sorted([...failing].filter(([, fails]) => fails === true)),
        );
      }),
      { numRuns: 15, examples: [[retriedAgain, [1]]] },
    );
  });

  it('are the same documents, byte by byte, in batches of any size', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const texts = async (sizes?: readonly number[]) =>
          sorted([...(await folded(events, sizes)).documents].map(([id, one]) => [id, JSON.stringify(one)]));
        expect(await texts(batches)).to.deep.equal(await texts());
      }),
      { numRuns: 15 },
    );
  });
});

/** Those that are stored: what is without an environment follows from the whole. */
function stored<T>(model: ReadonlyMap<string, T>): Map<string, T> {
  return new Map([...model].filter(([key]) => !isWithout(key)));
}

/** The documents by the keys of the model, whose texts can be read. One that the model does not have keeps its id. */
function byKeys<T>(documents: [string, T][], model: ReadonlyMap<string, unknown>): [string, T][] {
  const keys = new Map([...model.keys()].map((key) => [idOf(key), key]));
  return documents.map(([id, one]) => [keys.get(id) ?? id, one]);
}

function idOf(key: string): string {
  const [, whole = '', group = '', environment, branch] = /^(.+?)#(group_\w+)(?:#@([^#]*))?(?:#=(.*))?$/.exec(
    key,
  )!;
  const by = { environment, branch };
  return whole.startsWith('project_') ? groupId(whole, group, by) : sightingId(whole, group, by);
}

/** Those without an environment, by the ids of the whole. */
function without<T>(model: ReadonlyMap<string, T>): [string, T][] {
  return [...model].flatMap(([id, one]) => (isWithout(id) ? [[id.replace('#@', ''), one]] : []));
}

function isWithout(id: string): boolean {
  return id.endsWith('#@') || id.includes('#@#');
}

/** Different tests are counted in a run as a whole. */
function isCounting(sighting: string): boolean {
  return sighting.startsWith('run_') && !sighting.includes('#=');
}
