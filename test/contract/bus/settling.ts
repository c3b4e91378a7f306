/** Acknowledged messages, and messages that were not acknowledged. */
import { expect } from 'chai';
import { consumerOf, messages, place, placesOf, takeAll, type BusUnderTest } from './subject.js';

export function busSettlingContract(subject: BusUnderTest): void {
  const placesFrom = (from: number, to: number) => messages(from, to).map((each) => each.place);

  it('gives unacknowledged messages of a consumer that ended again, before all later ones', async () => {
    await subject.bus.publish(messages(1, 6));
    const first = consumerOf(subject.bus, 3);
    await first.next();
    await first.end();
    await subject.bus.publish(messages(7, 8));
    const second = consumerOf(subject.other, 2);
    expect(await takeAll(second, 8)).to.deep.equal(placesFrom(1, 8));
    await second.end();
  });

  it('gives unacknowledged messages again after everything was closed', async () => {
    await subject.bus.publish(messages(1, 6));
    const first = consumerOf(subject.bus, 4);
    await first.take();
    const taken = placesOf(await first.next());
    await first.end();
    await subject.reopen();
    const second = consumerOf(subject.bus, 10);
    expect(await takeAll(second, 2)).to.deep.equal(placesFrom(5, 6));
    expect(taken).to.deep.equal(placesFrom(5, 6));
    await second.end();
  });

  it('gives no acknowledged message again', async () => {
    await subject.bus.publish(messages(1, 4));
    const first = consumerOf(subject.bus, 4);
    await takeAll(first, 4);
    await first.end();
    await subject.reopen();
    await subject.bus.publish([messages(5, 5)[0]!]);
    const second = consumerOf(subject.other, 10);
    expect(await second.take()).to.deep.equal([place(5)]);
    await second.end();
  });

  it('gives unacknowledged messages again at once, and nothing later before them', async () => {
    await subject.bus.publish(messages(1, 3));
    const consumer = consumerOf(subject.bus, 3);
    const first = placesOf(await consumer.next());
    await subject.other.publish(messages(4, 4));
    expect(await takeAll(consumer, 4)).to.deep.equal(placesFrom(1, 4));
    expect(first).to.deep.equal(placesFrom(1, first.length));
    await consumer.end();
  });
}
