import { expect } from 'chai';
import * as fc from 'fast-check';
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import type { RunDocument } from '../../projections/records/run-documents.js';
import { deleteResult } from '../../src/commands/delete-result.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { changeResult, recordResult } from '../../src/commands/results.js';
import { updateRun } from '../../src/commands/runs.js';
import { submitToRun, type KeyedSubmission } from '../../src/commands/submissions/submit-to-run.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { runIdOf } from '../../src/domain/runs/run-key.js';
import type { Metadata } from '../../src/domain/runs/run.js';
import type { ResultStatus } from '../../src/domain/results/result.js';
import type { Shard } from '../../src/domain/runs/run-calls.js';
import { isAppError, type ErrorCode } from '../../src/errors.js';
import { openFeed } from '../../src/log/feed.js';
import { historyEvent } from '../../src/domain/test-history/result-change.js';
import { replacersOf, shardItems, type ShardItem } from '../domain/shards.js';
import { fold } from '../projections/folding.js';
import { shownDocuments, shownModel } from '../projections/shown-documents.js';
import { contextOf, embeddedStores, givenRun, NOW } from '../stores.js';
import { keyedSubmission, type SentItem } from './submissions.given.js';

type Call = {
  run_key: string;
  items: SentItem[];
  shard: Shard | null;
  complete: boolean;
  submission_key: string | null;
  metadata: Metadata | null;
};

type Step =
  | ({ type: 'call' } & Call)
  | { type: 'repeat'; nth: number }
  | { type: 'update'; nth: number; status: ResultStatus; metadata: Metadata | null }
  | { type: 'retry'; nth: number; status: ResultStatus }
  | { type: 'delete'; nth: number }
  | { type: 'complete'; run_key: string };

const status = fc.constantFrom<ResultStatus>('Passed', 'Failed', 'Skipped', 'Running');
const metadata = fc.constantFrom<Metadata | null>(
  null,
  null,
  { environment: { os: 'linux' } },
  { environment: { os: 'windows' } },
);
const item = fc.record({
  test_name: fc.constantFrom('adds up', 'subtracts', 'divides'),
  status,
  attempt: fc.integer({ min: 1, max: 2 }),
  metadata,
});
const items = fc.array(item, { minLength: 1, maxLength: 4 });
/** A shard may have no tests. */
const noItems = fc.constant<SentItem[]>([]);
const run_key = fc.constantFrom('a', 'b');
const shard = fc.record({
  index: fc.integer({ min: 1, max: 2 }),
  total: fc.constantFrom(2, 2, 2, 2, 3),
  attempt: fc.integer({ min: 1, max: 3 }),
});
const nth = fc.nat(40);
const complete = fc.constantFrom(false, false, true);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('call' as const),
      run_key: fc.constant('a'),
      items: fc.oneof({ weight: 9, arbitrary: items }, { weight: 1, arbitrary: noItems }),
      shard,
      complete: fc.constant(false),
      submission_key: fc.constant(null),
      metadata,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('call' as const),
      run_key,
      items,
      shard: fc.constant(null),
      complete,
      submission_key: fc.constantFrom(null, 'first', 'second'),
      metadata,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('repeat' as const), nth }) },
  // A correction may move a result to another environment: supersession stays.
  { weight: 1, arbitrary: fc.record({ type: fc.constant('update' as const), nth, status, metadata }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('retry' as const), nth, status }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('complete' as const), run_key }) },
);

const sent = (test_name: string, index: number, attempt: number, total = 2, os = 'linux'): Step => ({
  type: 'call',
  run_key: 'a',
  items: [{ test_name, status: 'Failed', attempt: 1 }],
  shard: { index, total, attempt },
  complete: false,
  submission_key: null,
  metadata: { environment: { os } },
});
const everyCase: Step[] = [
  sent('adds up', 1, 1),
  sent('adds up', 1, 2),
  { type: 'delete', nth: 1 },
  sent('divides', 1, 2),
  sent('divides', 1, 1, 3),
  { ...sent('divides', 1, 1), shard: null } as Step,
  sent('divides', 2, 3),
  sent('divides', 2, 1),
  sent('divides', 2, 4, 2, 'windows'),
  { type: 'repeat', nth: 0 },
];

/** The events have their contents in them. */
const forgetting = {
  contents: { mark: async () => {}, release: async () => ({ contents: 0, bytes: 0 }) },
  state: { put: async () => 1 },
};

describe('runs from any sequence of calls', function () {
  this.timeout(180_000);
  const stores = embeddedStores('each suite');

  it('equal a naive model after every step, in the read models and in the messages', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14, size: 'max' }), async (steps) => {
        const world = await newWorld();
        for (const one of steps) {
          const code = await world.perform(one);
          if (code !== null) seen.add(code);
          await check(await world.events(), seen);
        }
      }),
      // Random steps may miss a case.
      { numRuns: 12, examples: [[everyCase]] },
    );
    const codes = ['shard_exists', 'shard_total', 'shard_mixed'];
    const kinds = ['replaced', 'replaced at once', 'restored', 'apart', 'completed again'];
    expect([...seen]).to.include.members([...codes, ...kinds]);
  });

  async function newWorld() {
    const { log } = stores;
    const { team, project_id } = await givenRun(log);
    const commands = openCommandHandler(log);
    const context = () => contextOf(team);
    const calls: Call[] = [];
    const events = async () => {
      const filter = {
        streams: ['project', 'run', 'items', 'result'].map((category) => `${category}-${team}.`),
      };
      const feed = openFeed(log);
      const all: LedgerEvent[] = [];
      for (let after = '', caughtUp = false; !caughtUp;) {
        const page = await feed.read({ after, limit: 1_000, filter });
        all.push(...(page.events as LedgerEvent[]));
        ({ position: after, caughtUp } = page);
      }
      return all;
    };
    const submit = ({ items: sent, ...more }: Call) => {
      const submission: KeyedSubmission = keyedSubmission(project_id, sent, more);
      return submitToRun(commands, log, context(), submission);
    };
    const resultAt = async (at: number) => {
      const results = (await events()).flatMap(({ type, data }) =>
        type === 'ResultSubmitted' ? [data] : [],
      );
      return results.length === 0 ? null : results[at % results.length]!;
    };
    const run: { [T in Step['type']]: (one: Extract<Step, { type: T }>) => Promise<unknown> } = {
      async call({ type: _, ...one }) {
        await submit(one);
        calls.push(one);
      },
      async repeat({ nth: at }) {
        const one = calls[at % Math.max(1, calls.length)];
        if (one === undefined) return;
        const before = await log.head();
        await submit(one);
        if (one.shard !== null) expect(await log.head(), 'a repeat writes nothing').to.equal(before);
        if (one.submission_key !== null) {
          const { events: written } = await openFeed(log).read({ after: before, limit: 1_000 });
          expect(
            written.map(({ type }) => type),
            'a repeat adds no items',
          ).to.not.include('ItemsSubmitted');
        }
      },
      async update({ nth: at, status: to, metadata: own }) {
        const found = await resultAt(at);
        const command = { type: 'UpdateResult', at: NOW, changes: { status: to, metadata: own } } as const;
        if (found !== null)
          await changeResult(
            commands,
            context(),
            { id: found.result_id, marked: async () => new Map() },
            command,
          );
      },
      async retry({ nth: at, status: to }) {
        const found = await resultAt(at);
        if (found === null) return;
        const { run_id: test_run_id, result_id: retry_of, test_name, metadata } = found;
        await recordResult(commands, log, context(), {
          project_id,
          test_run_id,
          retry_of,
          test_name,
          metadata,
          status: to,
        });
      },
      async delete({ nth: at }) {
        const found = await resultAt(at);
        if (found !== null) await deleteResult(commands, { log, forgetting }, context(), found.result_id);
      },
      complete: ({ run_key: key }) =>
        updateRun(commands, context(), runIdOf(project_id, key)!, { status: 'Completed' }),
    };
    const perform = async (one: Step): Promise<ErrorCode | null> => {
      try {
        await run[one.type](one as never);
        return null;
      } catch (error) {
        if (!isAppError(error)) throw error;
        return error.code;
      }
    };
    return { events, perform };
  }
});

async function check(events: readonly LedgerEvent[], seen: Set<string>): Promise<void> {
  const { texts } = await fold(events, [5]);
  const model = shownModel(events);
  expect(await shownDocuments(texts, events)).to.deep.equal(model);
  const outgoing = (await fold(events.map(historyEvent), [7], history)).texts;
  for (const [key, document] of model) {
    if (!key.startsWith('runs/')) continue;
    const { counts, count_snapshot, completions, test_run_id } = document as RunDocument;
    const counted = JSON.parse(outgoing.get(key)!) as RunDocument;
    expect({ counts: counted.counts, count_snapshot: counted.count_snapshot }).to.deep.equal({
      counts,
      count_snapshot,
    });
    const messages = [...outgoing.values()].map(
      (text) => JSON.parse(text) as { type?: string; about?: About },
    );
    const ends = messages.filter(
      ({ type, about }) => type === 'run.completed' && about?.run_id === test_run_id,
    );
    expect(ends.map(({ about }) => about!.completion).sort((a, b) => a - b)).to.deep.equal(
      Array.from({ length: completions }, (_, n) => n + 1),
    );
    expectRelated(events, test_run_id, seen);
  }
  expect(records.collections.map((each) => each.name)).to.include('submissions');
  expect(
    [...texts.keys()].filter((key) => key.startsWith('submissions/')),
    'nothing is left arriving',
  ).to.deep.equal([]);
  note(events, seen);
}

type About = { run_id: string; completion: number };

/** Expects of each item what the plainest reading of the contract says that it replaces. */
function expectRelated(events: readonly LedgerEvent[], run: string, seen: Set<string>): void {
  const all = shardItems(events, run);
  for (const one of all) {
    const before = all.filter(({ nth }) => nth < one.nth);
    const replaces = before.filter((other) => replacersOf(other, all).includes(one)).map(({ id }) => id);
    const replaced_by = replacersOf(one, [...before, ...all.filter(({ nth }) => nth === one.nth)]).map(
      ({ id }) => id,
    );
    const { replaces: said = [], replaced_by: saidBy = [] } = one.item;
    expect(said).to.have.members(replaces);
    expect(saidBy).to.deep.equal(replaced_by);
    const isApart = (other: ShardItem) =>
      other.index === one.index &&
      other.attempt > one.attempt &&
      other.item.test_name === one.item.test_name &&
      other.environment !== one.environment;
    if (all.some(isApart)) seen.add('apart');
  }
}

function note(events: readonly LedgerEvent[], seen: Set<string>): void {
  for (const { type, data } of events) {
    if (type === 'ResultSubmitted' && data.replaces !== undefined) seen.add('replaced');
    if (type === 'ResultSubmitted' && data.replaced_by !== undefined) seen.add('replaced at once');
    if (type === 'ResultDeleted' && data.replaces !== undefined) seen.add('restored');
    if (type === 'RunCompleted' && data.completion > 1) seen.add('completed again');
  }
}
