import { expect } from 'chai';
import fc from 'fast-check';
import type { Deliveries, VersionedDelivery } from '../../../src/ports/deliveries.js';
import type { ViewReader } from '../../../src/ports/views.js';
import { recover } from '../../../src/webhooks/fan-out/recover.js';
import { newDelivery, type Delivery, type DeliveryState } from '../../../src/domain/messages/delivery.js';
import { memoryDeliveries } from '../deliveries.memory.js';
import { NOW } from '../../stores.js';
import { HOOK, hook, messageOf, positionOf, TEAM } from '../stored-messages.js';

const LATER = '2026-11-22T12:00:00.000Z';
const MUCH_LATER = '2026-11-23T12:00:00.000Z';

/** The work of other processes between two calls of the recovery. */
type Step = 'nothing' | 'takes' | 'succeeds' | 'fails' | 'makes';

const world = fc.record({
  /** For each message: its subject, the state of its delivery before, and the delay of its clock. */
  messages: fc.array(
    fc.record({
      subject: fc.constantFrom('x', 'y', 'z'),
      before: fc.constantFrom<(DeliveryState | 'none' | 'waits')[]>(
        'none',
        'none',
        'pending',
        'waits',
        'delivered',
        'exhausted',
        'cancelled',
      ),
      late: fc.integer({ min: -3, max: 3 }),
    }),
    { minLength: 1, maxLength: 14 },
  ),
  /** The steps during the recovery. */
  coming: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 6 }),
  since: fc.integer({ min: 0, max: 14 }),
  steps: fc.array(
    fc.constantFrom<Step[]>('nothing', 'takes', 'takes', 'succeeds', 'succeeds', 'fails', 'makes'),
    {
      maxLength: 80,
    },
  ),
});

describe('a recovery beside the fan-out and the dispatcher', () => {
  it('sends each message once, and keeps the order of each subject that it began', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ messages, coming, since, steps }) => {
        const all = messages.map(({ subject, late }, n) =>
          messageOf(n + 1, { subject, at: new Date(Date.parse(NOW) + (n + late) * 1_000).toISOString() }),
        );
        const later = coming.map((subject, n) => messageOf(messages.length + n + 1, { subject }));
        const store = memoryDeliveries();
        const times = { next_attempt_at: null };
        const known = messages.flatMap(({ before }, n): Delivery[] => {
          const delivery = newDelivery(all[n]!, HOOK, NOW);
          if (before === 'none') return [];
          if (before === 'pending') return [delivery];
          if (before === 'waits') return [{ ...delivery, tries: 1, next_attempt_at: MUCH_LATER }];
          return [{ ...delivery, ...times, state: before }];
        });
        await store.add(known);

        /** By subject: the number of its taken messages when its first one was queued. */
        const began = new Map<string, number>();
        const taken: Delivery[] = [];
        const underWay: VersionedDelivery[] = [];
        const finish = async (delivery: Partial<Delivery>, at: string) => {
          const held = underWay.shift();
          if (held === undefined) return;
          const present = (await store.get(held.delivery.id))!;
          await store.put({ ...present.delivery, ...delivery }, present.version, at);
        };
        const takes = async (at: string) => {
          const busy = new Set(underWay.map(({ delivery }) => delivery.subject));
          const due = (await store.claimable(HOOK, at, 9)).filter(
            ({ delivery }) => !busy.has(delivery.subject),
          );
          underWay.push(...due);
          taken.push(...due.map(({ delivery }) => delivery));
        };
        const left = [...steps];
        const others = async () => {
          const step = left.shift();
          if (step === 'takes') await takes(LATER);
          else if (step === 'succeeds') await finish({ ...times, state: 'delivered' }, LATER);
          else if (step === 'fails') await finish({ next_attempt_at: MUCH_LATER }, LATER);
          else if (step === 'makes' && later.length > 0) {
            await store.add([newDelivery(later.shift()!, HOOK, LATER)]);
          }
        };
        const watched: Deliveries = {
          ...store,
          get: async (id) => (await others(), store.get(id)),
          add: async (some) => {
            await others();
            const made = await store.add(some);
            if (made > 0) begin(some[0]!.subject);
            return made;
          },
          put: async (delivery, version, at) => {
            await others();
            const done = await store.put(delivery, version, at);
            if (done) begin(delivery.subject);
            return done;
          },
        };
        const begin = (subject: string) => {
          if (!began.has(subject)) began.set(subject, taken.length);
        };

        const asked = new Date(Date.parse(NOW) + since * 1_000).toISOString();
        const wanted = all.filter(
          ({ at }, n) => at >= asked && /none|exhausted|cancelled/.test(messages[n]!.before),
        );
        const options = { deliveries: watched, views: viewsOf(all), historyMs: 30 * 86_400_000 };
        const count = await recover(
          { ...options, freshness: async () => 0, load: async () => hook },
          { team: TEAM, since: asked, now: LATER },
        );
        expect(count).to.equal(wanted.length);
        const { items } = await store.find(HOOK, { direction: 'ascending', offset: 0, limit: 99 });
        expect(items.filter(({ earliest_at }) => earliest_at !== null)).to.deep.equal([]);

        await store.add(later.map((each) => newDelivery(each, HOOK, LATER)));
        for (let before = -1; before !== taken.length || underWay.length > 0;) {
          before = taken.length;
          while (underWay.length > 0) await finish({ ...times, state: 'delivered' }, MUCH_LATER);
          await takes(MUCH_LATER);
        }
        for (const { event_id } of wanted) {
          expect(taken.map((each) => each.event_id)).to.include(event_id);
        }
        for (const [subject, from] of began) {
          const places = taken
            .slice(from)
            .filter((each) => each.subject === subject)
            .map(({ place }) => place);
          expect(places, `${subject} in order`).to.deep.equal(places.toSorted());
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** In the order of an index. */
function viewsOf(messages: readonly ReturnType<typeof messageOf>[]): ViewReader {
  return {
    checkpoints: async () => [],
    lastEvent: async () => null,
    position: async () => positionOf(messages.length),
    find: async (_spec, _collection, { sort, range, after, limit }) => {
      const field = sort.field as 'at' | 'place';
      const sorted = messages
        .filter((each) => each[field] >= String(range?.from))
        .toSorted((one, other) => (key(one, field) < key(other, field) ? -1 : 1));
      const rest = sorted.filter((each) => !after || key(each, field) > `${after.value} ${after.id}`);
      const items = rest.slice(0, Math.min(limit, 4));
      const last = items.at(-1);
      const next = last === undefined || items.length === rest.length ? null : last;
      return {
        items: items as never[],
        next: next === null ? null : { value: next[field], id: next.event_id },
      };
    },
    get: async () => [],
    close: async () => undefined,
  };
}

function key(message: ReturnType<typeof messageOf>, field: 'at' | 'place'): string {
  return `${message[field]} ${message.event_id}`;
}
