import { expect } from 'chai';
import * as fc from 'fast-check';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { eventIdOf } from '../../../src/domain/test-history/test.js';
import { expectedNews, type News } from './expected-news.js';
import { foldOutbox, openOutboxHarness } from './outbox-harness.js';
import { newsHistories } from './random-news.js';

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
      { numRuns: 200 },
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
});
