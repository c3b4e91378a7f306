/** Any order of publishing, consuming and stopping, compared with a list. */
import { expect } from 'chai';
import fc from 'fast-check';
import { consumerOf, message, placesOf, type BusUnderTest, type Consumer } from './subject.js';

type Step = { do: 'put'; count: number } | { do: 'take' | 'drop' } | { do: 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('put' as const), count: fc.integer({ min: 1, max: 7 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('take', 'drop') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const) }) },
);

export function busModelContract(subject: BusUnderTest): void {
  it('gives exactly the messages that are not acknowledged, in order, in any sequence of steps', async function () {
    let put = 0;
    let taken = 0;
    const takes = async (consumer: Consumer, how: 'take' | 'drop') => {
      const batch = await consumer.next();
      const first = taken + 1;
      expect(placesOf(batch)).to.deep.equal(batch.messages.map((_, n) => message(first + n).place));
      if (how === 'take') {
        await batch.ack();
        taken += batch.messages.length;
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, limit) => {
          let consumer = consumerOf(subject.bus, limit);
          for (const each of steps) {
            if (each.do === 'put') {
              const sent = Array.from({ length: each.count }, (_, n) => message(put + 1 + n));
              await subject.other.publish(sent);
              put += each.count;
            } else if (each.do === 'end') {
              await consumer.end();
              consumer = consumerOf(subject.other, limit);
            } else if (taken < put) {
              await takes(consumer, each.do);
            }
          }
          while (taken < put) await takes(consumer, 'take');
          await consumer.end();
        },
      ),
      { numRuns: 15 },
    );
  });
}
