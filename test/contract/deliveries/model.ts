/** Any sequence of calls, compared with a simple model. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Deliveries } from '../../../src/ports/deliveries.js';
import { memoryDeliveries } from '../../webhooks/deliveries.memory.js';
import { delivery, finished, idsOf, second, type DeliveriesUnderTest } from './subject.js';

const webhook = fc.constantFrom('a', 'b');
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('add'),
      webhook,
      subject: fc.constantFrom('x', 'y'),
      n: fc.nat(4),
      at: fc.nat(9),
      earliest: fc.option(fc.nat(9)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('due'), webhook, limit: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('put'),
      webhook,
      n: fc.nat(4),
      to: fc.constantFrom('delivered', 'exhausted', 'later', 'again'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('all'),
      webhook,
      change: fc.constantFrom('retry-now', 'unblock', 'cancel'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('purge'), limit: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait'), seconds: fc.nat(3) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** How many deliveries an operation ends. */
function endsAtMost(one: Operation): number {
  if (one.type === 'put') return one.to === 'delivered' || one.to === 'exhausted' ? 1 : 0;
  return one.type === 'all' && one.change === 'cancel' ? 2 : 0;
}

export function deliveriesModelContract(subject: DeliveriesUnderTest): void {
  it('answers and stores the same as a simple model, in any sequence of operations', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(operation, fc.boolean()), { maxLength: 40, size: 'max' }),
        async (operations) => {
          const model = memoryDeliveries();
          for (const name of ['a', 'b'])
            await subject.deliveries.updatePending(`run${runs}.${name}`, 'cancel', second(0));
          await subject.deliveries.purge(second(1_000_000), 10_000);
          const prefix = `run${(runs += 1)}`;
          let now = 10;
          /** Of those that ended in one second, no rule says which one a purge takes first. */
          const ended = new Map<number, number>();
          for (const [one, first] of operations) {
            const store = first ? subject.deliveries : subject.other;
            const ends = endsAtMost(one);
            if (ends > 0) ended.set(now, (ended.get(now) ?? 0) + ends);
            const [got, wanted] = [await perform(store, one), await perform(model, one)];
            expect(got, JSON.stringify(one)).to.deep.equal(wanted);
            if (one.type === 'wait') now += one.seconds;
            for (const each of ['a', 'b'])
              expect(await seen(store, each)).to.deep.equal(await seen(model, each));
            const names = { after: prefix, limit: 2 };
            const own = (found: string[]) => found.filter((name) => name.startsWith(`${prefix}.`));
            expect(own(await store.webhooksWithClaimable(second(now), names))).to.deep.equal(
              own(await model.webhooksWithClaimable(second(now), names)),
            );
          }

          async function perform(store: Deliveries, one: Operation): Promise<unknown> {
            const name = 'webhook' in one ? `${prefix}.${one.webhook}` : '';
            switch (one.type) {
              case 'add': {
                // None is added as blocked: only `claimable` blocks, and other tests cover the leftovers of a crash.
                const next_attempt_at = second(now + one.at);
                const created_at = second(now);
                const earliest_at = one.earliest === null ? null : second(now + one.earliest);
                const times = { next_attempt_at, created_at, earliest_at };
                return store.add([delivery(name, one.subject, one.n, times)]);
              }
              case 'due':
                return idsOf(await store.claimable(name, second(now), one.limit));
              case 'put': {
                const held = await store.get(`delivery_${name}_${one.n}`);
                if (held === null) return null;
                const { delivery: read, version } = held;
                const next_attempt_at = second(one.to === 'later' ? now + 6 : now);
                const earliest_at = one.n % 3 === 0 ? null : second(now + one.n);
                const changed =
                  one.to === 'later' || one.to === 'again'
                    ? {
                        ...read,
                        state: 'pending' as const,
                        tries: read.tries + 1,
                        next_attempt_at,
                        earliest_at,
                      }
                    : finished(read, one.to);
                return [
                  await store.put(changed, version, second(now)),
                  await store.put(changed, version, second(now)),
                ];
              }
              case 'all':
                return store.updatePending(name, one.change, second(now));
              case 'purge':
                return store.purge(
                  second(now),
                  [...ended.values()].some((count) => count > 1) ? 1_000 : one.limit,
                );
              default:
                return null;
            }
          }

          async function seen(store: Deliveries, name: string): Promise<unknown> {
            return store.find(`${prefix}.${name}`, { direction: 'ascending', offset: 0, limit: 20 });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
}
