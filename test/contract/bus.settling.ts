/** Acknowledging, or not. */
import { expect } from 'chai';
import { consumerOf, messages, place, placesOf, takeAll, type BusUnderTest } from './bus.subject.js';

export function busSettlingContract(subject: BusUnderTest): void {
  const placesFrom = (from: number, to: number) => messages(from, to).map((each) => each.place);

  it('gives again what one who ended did not acknowledge, before all that is later', async () => {
    await subject.bus.publish(messages(1, 6));
    const first = consumerOf(subject.bus, 3);
    await first.next();
    await first.end();
    await subject.bus.publish(messages(7, 8));
    const second = consumerOf(subject.other, 2);
    expect(await takeAll(second, 8)).to.deep.equal(placesFrom(1, 8));
    await second.end();
  });

  it('gives again what was not acknowledged when all was closed', async () => {
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

  it('gives nothing again that was acknowledged', async () => {
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

  it('gives what is to be given again after its while, and nothing later before it', async () => {
    await subject.bus.publish(messages(1, 3));
    const consumer = consumerOf(subject.bus, 3);
    let held = await consumer.next();
    for (let round = 0; round < 2; round += 1) {
      const began = performance.now();
      await held.nak(300);
      await subject.other.publish([messages(4 + round, 4 + round)[0]!]);
      held = await consumer.next();
      expect(performance.now() - began).to.be.greaterThan(290);
      expect(held.messages[0]?.place).to.equal(place(1));
    }
    await held.ack();
    const rest = 5 - held.messages.length;
    expect([...placesOf(held), ...(await takeAll(consumer, rest))]).to.deep.equal(placesFrom(1, 5));
    await consumer.end();
  });

  it('gives at once what is to be given again without a while', async () => {
    await subject.bus.publish(messages(1, 2));
    const consumer = consumerOf(subject.bus, 3);
    await (await consumer.next()).nak(0);
    expect(await takeAll(consumer, 2)).to.deep.equal(placesFrom(1, 2));
    await consumer.end();
  });
}
