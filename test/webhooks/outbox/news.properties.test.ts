import { expect } from 'chai';
import * as fc from 'fast-check';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { chatBody } from '../../../src/domain/messages/chat/chat-body.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { eventIdOf } from '../../../src/domain/test-history/test.js';
import { expectedNews, type News } from './expected-news.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { foldOutbox, openOutboxHarness, renderOf } from './outbox-harness.js';
import { cameBack, newsHistories } from './random-news.js';
import { unitsOf } from './units.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

const kinds = ['group.new', 'group.gone', 'group.back', 'run.incomplete', 'main.red', 'main.green'];

function newsIn(messages: readonly MessageDocument[]): News[] {
  return messages
    .filter(({ type }) => kinds.includes(type))
    .map(({ type, event_id, subject, at }) => ({ type, event_id, subject, at }));
}

/** Those of one event in any order. */
function sorted(news: readonly News[]): string[] {
  return news.map((each) => JSON.stringify(each)).sort();
}

/** One deletion lets two failures count again, each the first of its group. */
const restoredTogether = (() => {
  const ledger = openMemoryLedger();
  const item = (status: 'Failed' | 'Passed', attempt: number, error_message: string | null) => {
    return { test_name: 'pays', status, attempt, error_message };
  };
  const items = [item('Failed', 1, 'no'), item('Failed', 1, 'never'), item('Passed', 2, null)];
  const { results } = ledger.submit(ledger.project(ledger.team()), items);
  ledger.deleteResult(results[2]!);
  return ledger.events;
})();

describe('the messages of groups and of the default branch, for any history', () => {
  it('are those of a model that walks through the whole history at each event', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(newsHistories, sizes, async (events, batches) => {
        const { messages } = await foldOutbox(events, batches);
        const found = newsIn(messages);
        for (const { type } of found) seen.add(type);
        expect(sorted(found)).to.deep.equal(sorted(expectedNews(events)));
      }),
      {
        numRuns: 200,
        examples: [
          [restoredTogether, [1]],
          [cameBack, [1]],
        ],
      },
    );
    expect([...seen].sort()).to.deep.equal(kinds.toSorted());
  });

  it('have the id of their event in the log, one each, however often the fold dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        newsHistories,
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
      fc.asyncProperty(newsHistories, sizes, async (events, batches) => {
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

  it('say the same bytes in each format when they happen and after a rebuild', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(newsHistories, sizes, async (events, batches) => {
        const units = unitsOf(events);
        const happened = units.slice(0, Math.ceil(units.length / 2)).flat();
        const harness = openOutboxHarness(happened);
        await harness.run(batches);
        const first = await bodiesOf(happened, harness.passed().messages);
        const rebuilt = await foldOutbox(events, [3]);
        const again = new Map(await bodiesOf(events, rebuilt.messages));
        for (const [id, bodies] of first) expect(again.get(id)?.join('\n'), id).to.equal(bodies.join('\n'));
        for (const [, [payload]] of first) seen.add(JSON.parse(payload!).type);
      }),
      // One history in six has a digest, and one a red branch.
      { numRuns: 80 },
    );
    expect([...seen]).to.include.members(['group.new', 'main.red', 'digest.daily']);
  });
});

const pages = { origin: 'https://tests.example.org', team: 'team_01j00000000000000000000001' };

/** By id: the body in each format. */
async function bodiesOf(
  events: readonly LedgerEvent[],
  messages: readonly MessageDocument[],
): Promise<[string, string[]][]> {
  return (await renderOf(events, messages)).map(({ event_id, body }) => [
    event_id,
    [body, chatBody(body, 'slack', pages), chatBody(body, 'teams', pages)],
  ]);
}
