import { expect } from 'chai';
import * as fc from 'fast-check';
import type { LedgerEvent } from '../../../src/domain/events.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { eventIdOf } from '../../../src/domain/test-history/test.js';
import { isAppError } from '../../../src/errors.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { randomHistories } from '../../domain/random-histories.js';
import { expectedNews, type News } from './expected-news.js';
import { foldOutbox, openOutboxHarness } from './outbox-harness.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

const kinds = [
  'group.new',
  'group.gone',
  'group.back',
  'run.incomplete',
  'main.red',
  'main.green',
  'digest.daily',
];

type Move = {
  kind: string;
  status: 'Failed' | 'Passed' | 'Skipped';
  name: string;
  error_message: string;
  track: number;
  which: number;
};

/** Few tests, causes and tracks, so that the same ones fail, pass and are left out again and again. */
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom(
    'run',
    'run',
    'run',
    'run',
    'shard',
    'shard',
    'late',
    'complete again',
    'result',
    'retry',
    'correct',
    'delete',
    'known',
    'end',
    'branch',
  ),
  status: fc.constantFrom('Failed', 'Passed', 'Passed', 'Skipped'),
  name: fc.constantFrom('pays', 'refunds'),
  error_message: fc.constantFrom('no', 'no', 'never'),
  track: fc.nat(3),
  which: fc.nat(7),
});

const tracks = [
  { branch: 'main' },
  { branch: 'main', tool: 'jest' },
  { branch: 'main', environment: { os: 'linux' } },
  { branch: 'feature' },
];

function performed(moves: readonly Move[]): LedgerEvent[] {
  const ledger = openMemoryLedger();
  const project = ledger.project(ledger.team());
  ledger.webhook(project.team, ['*']);
  const runs: ReturnType<typeof ledger.run>[] = [];
  const results: ReturnType<typeof ledger.result>[] = [];
  const perform = ({ kind, status, name, error_message, track, which }: Move) => {
    const metadata = tracks[track]!;
    const other = { test_name: 'other', status: which % 3 === 0 ? status : 'Passed', error_message } as const;
    const own = { test_name: name, status, error_message };
    const items = which % 2 === 0 ? [own] : [own, other];
    const result = results.at(-1 - (which % Math.max(results.length, 1)));
    const run = runs.at(-1 - (which % Math.max(runs.length, 1)));
    if (kind === 'run') {
      const submitted = ledger.submit(project, items, { metadata });
      return results.push(...submitted.results) + runs.push(submitted.run);
    }
    if (kind === 'shard' || kind === 'late') {
      const shard = { index: 1 + (which % 2), total: 2, attempt: 1 + (which % 3) };
      const key = `run ${kind === 'late' ? track : ledger.events.length} ${track}`;
      const called = ledger.call(project, key, items, { metadata, shard });
      if (!runs.some(({ id }) => id === called.run.id)) runs.push(called.run);
      return results.push(...called.results);
    }
    if (kind === 'known') return ledger.setKnownFailure(project, name, { seconds: 9 });
    if (kind === 'end') return ledger.endKnownFailure(project, name);
    if (kind === 'branch')
      return ledger.changeProject(project, { default_branch: which < 6 ? 'main' : 'feature' });
    if (run !== undefined) {
      if (kind === 'complete again') {
        ledger.updateRun(run, { status: 'Running' });
        return ledger.updateRun(run, { status: 'Completed' });
      }
      if (kind === 'result') return results.push(ledger.result(run, status, { name }));
    }
    if (result === undefined) return;
    if (kind === 'retry') return results.push(ledger.retry(result, status));
    if (kind === 'correct') return ledger.updateResult(result, { status, error_message });
    if (kind === 'delete') return ledger.deleteResult(result);
  };
  for (const each of moves) {
    try {
      perform(each);
    } catch (error) {
      if (!isAppError(error)) throw error;
    }
  }
  return ledger.events;
}

const histories = fc.oneof(
  { weight: 3, arbitrary: fc.array(move, { maxLength: 40, size: 'max' }).map(performed) },
  { weight: 1, arbitrary: randomHistories(60).map(({ events }) => events) },
);

function newsIn(messages: readonly MessageDocument[]): News[] {
  return messages
    .filter(({ type }) => kinds.includes(type))
    .map(({ type, event_id, subject, at }) => ({ type, event_id, subject, at }));
}

/** Those of one event in any order. */
function sorted(news: readonly News[]): string[] {
  return news.map((each) => JSON.stringify(each)).sort();
}

describe('the messages of groups and of the default branch, for any history', () => {
  it('are those of a model that walks through the whole history at each event', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const { messages } = await foldOutbox(events, batches);
        const found = newsIn(messages);
        for (const { type } of found) seen.add(type);
        expect(sorted(found)).to.deep.equal(sorted(expectedNews(events)));
      }),
      { numRuns: 200 },
    );
    expect([...seen].sort()).to.deep.equal(kinds.filter((one) => one !== 'digest.daily').sort());
  });

  it('have the id of their event in the log, one each, however often the fold dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.record({ appends: fc.nat(4), commits: fc.nat(6), batches: sizes }), { maxLength: 5 }),
        async (events, lives) => {
          const passing = openOutboxHarness(events);
          for (const { appends, commits, batches } of lives) {
            Object.assign(passing.failing, { appends, commits });
            await passing.run(batches).catch((error: unknown) => {
              if (!/died at/.test(`${String(error)} ${String((error as Error).cause)}`)) throw error;
            });
          }
          Object.assign(passing.failing, { appends: Infinity, commits: Infinity });
          await passing.run([7]);
          const { messages, transitions } = passing.passed();
          const appended = transitions.filter(({ type }) => /^(Group|Main|RunFound)/.test(type));
          const ids = newsIn(messages).map(({ event_id }) => event_id);
          expect(appended.map(({ id }) => eventIdOf(id)).sort()).to.deep.equal(ids.sort());
          expect(new Set(ids).size).to.equal(ids.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are the same after a rebuild in the middle, which says nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(histories, sizes, async (events, batches) => {
        const whole = await foldOutbox(events, batches);
        const harness = openOutboxHarness(events);
        await harness.run(batches);
        harness.told();
        harness.forget();
        await harness.run([3]);
        expect(harness.told()).to.deep.equal([]);
        expect(harness.passed()).to.deep.equal(whole);
      }),
      { numRuns: 40 },
    );
  });
});
