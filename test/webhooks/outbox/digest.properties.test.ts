import { expect } from 'chai';
import * as fc from 'fast-check';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { sumOfParts, type DayNumbers } from '../../../src/domain/messages/digest.js';
import { eventPositionOf } from '../../../src/domain/messages/message.js';
import { aloneMessageId, messageIdOf } from '../../../src/domain/test-history/test.js';
import { foldOutbox, openOutboxHarness } from './outbox-harness.js';
import { DAY, newsHistories } from './random-news.js';

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

type Closed = LedgerEvent<'DayClosed'>;

function numbersIn({ about }: MessageDocument): DayNumbers {
  if (about.kind !== 'day') throw new Error(`a digest is about a ${about.kind}`);
  return about.numbers;
}

/** What the messages of the project before it say. All of them are of one day. */
function countsBefore(messages: readonly MessageDocument[], { position, data, meta }: Closed) {
  const before = messages.filter(
    ({ place, at, about }) =>
      eventPositionOf(place) < position &&
      at.startsWith(data.day) &&
      ('test' in about ? about.test.project_id : 'project_id' in about ? about.project_id : '') ===
        data.project_id,
  );
  const count = (type: string) =>
    before.filter((one) => one.type === type && one.team_id === meta.team_id).length;
  return { new: count('group.new'), fixed: count('group.gone'), flaky: count('test.flaky') };
}

/** The known failures that are set to end on the day after, unless somebody ended or replaced them. */
function endingBefore(events: readonly LedgerEvent[], { position, data }: Closed): number {
  const ending = new Map<string, boolean>();
  for (const event of events) {
    if (event.position >= position) break;
    if (event.type === 'KnownFailureSet' && event.data.project_id === data.project_id)
      ending.set(event.data.test_id, event.data.expires_at.startsWith('2026-11-22'));
    if (event.type === 'KnownFailureEnded' && event.data.ended === 'requested')
      ending.delete(event.data.test_id);
  }
  return [...ending.values()].filter(Boolean).length;
}

describe('the daily digest, for any history', () => {
  it('counts what the messages of its day say, in all and for each owner', async () => {
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(newsHistories, sizes, async (events, batches) => {
        const { messages } = await foldOutbox(events, batches);
        for (const event of events) {
          if (event.type !== 'DayClosed' || event.data.day !== DAY) continue;
          const { project_id, due_at } = event.data;
          const id = messageIdOf(aloneMessageId(project_id, event.id, 'digest.daily'));
          const digest = messages.find(({ event_id }) => event_id === id);
          const expected = { ...countsBefore(messages, event), known_ending: endingBefore(events, event) };
          if (digest === undefined) {
            expect(Object.values(expected)).to.deep.equal([0, 0, 0, 0]);
            continue;
          }
          seen += 1;
          expect(digest).to.include({ at: due_at, subject: project_id });
          const { parts } = numbersIn(digest);
          expect(sumOfParts(parts)).to.deep.include(expected);
          const owners = parts.map(({ owner }) => owner);
          expect(new Set(owners).size).to.equal(owners.length);
        }
      }),
      { numRuns: 80 },
    );
    expect(seen).to.be.above(10);
  });

  it('is the same after a rebuild, and told of once', async () => {
    await fc.assert(
      fc.asyncProperty(newsHistories, sizes, async (events, batches) => {
        const harness = openOutboxHarness(events);
        await harness.run(batches);
        const digestsOf = () => harness.passed().messages.filter(({ type }) => type === 'digest.daily');
        const live = digestsOf();
        const told = harness.told().filter(({ type }) => type === 'digest.daily');
        expect(told).to.have.length(live.filter(({ outgoing }) => outgoing !== null).length);
        harness.forget();
        await harness.run([3]);
        expect(harness.told()).to.deep.equal([]);
        expect(digestsOf()).to.deep.equal(live);
      }),
      { numRuns: 15 },
    );
  });
});
