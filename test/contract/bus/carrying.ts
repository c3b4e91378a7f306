/** Publishing and consuming. */
import { expect } from 'chai';
import type { Bus } from '../../../src/ports/bus.js';
import { isLedgerError } from '../../../src/errors.js';
import { consumerOf, message, messages, place, takeAll, type BusUnderTest } from './subject.js';

export function busCarryingContract(subject: BusUnderTest): void {
  it('gives what was published, whole and in the order of publishing', async () => {
    const sent = [...messages(1, 7), message(8, '{"text":"ünï ✓ 𝄞 \\u0000 \\"#\\""}'), ...messages(9, 30)];
    await subject.bus.publish(sent.slice(0, 12));
    await subject.bus.publish(sent.slice(12));
    const consumer = consumerOf(subject.other, 100);
    const taken: unknown[] = [];
    while (taken.length < sent.length) {
      const batch = await consumer.next();
      taken.push(...batch.messages);
      await batch.ack();
    }
    expect(taken).to.deep.equal(sent);
    await consumer.end();
  });

  it('gives a later message to a consumer that waits already, from this opening or another', async () => {
    for (const [n, from] of [subject.bus, subject.other, subject.bus].entries()) {
      const consumer = consumerOf(subject.other);
      const waiting = consumer.take();
      await from.publish([message(n + 1)]);
      expect(await waiting).to.deep.equal([place(n + 1)]);
      await consumer.end();
    }
  });

  it('gives at most the limit at a time, and everything in the end', async () => {
    await subject.bus.publish(messages(1, 25));
    const consumer = consumerOf(subject.bus, 10);
    const taken: string[] = [];
    while (taken.length < 25) {
      const places = await consumer.take();
      expect(places).to.have.lengthOf.within(1, 10);
      taken.push(...places);
    }
    expect(taken).to.deep.equal(messages(1, 25).map((each) => each.place));
    await consumer.end();
  });

  it('carries large batches of large messages', async () => {
    const text = 'x'.repeat(20_000);
    const sent = Array.from({ length: 500 }, (_, n) => message(n + 1, text));
    await subject.bus.publish(sent);
    const consumer = consumerOf(subject.other, 500);
    expect(await takeAll(consumer, 500)).to.deep.equal(sent.map((each) => each.place));
    await consumer.end();
  });

  it('accepts an empty list of messages, and then holds none', async () => {
    await subject.bus.publish([]);
    expect(await subject.bus.last()).to.equal(null);
  });

  it('knows the place of the last published message, also after all were consumed, and null when it is new', async () => {
    for (const bus of [subject.bus, subject.other]) expect(await bus.last()).to.equal(null);
    await subject.bus.publish(messages(1, 3));
    for (const bus of [subject.bus, subject.other]) expect(await bus.last()).to.equal(place(3));
    const consumer = consumerOf(subject.other);
    await takeAll(consumer, 3);
    await consumer.end();
    expect(await subject.bus.last()).to.equal(place(3));
    await subject.reopen();
    expect(await subject.bus.last()).to.equal(place(3));
  });

  it('gives the messages of a repeated publish in order: they come twice, or once', async () => {
    await subject.bus.publish(messages(1, 5));
    await subject.bus.publish(messages(3, 9));
    const consumer = consumerOf(subject.other, 4);
    const taken = new Set<string>();
    while (!taken.has(place(9))) for (const each of await consumer.take()) taken.add(each);
    expect([...taken]).to.deep.equal(messages(1, 9).map((each) => each.place));
    await consumer.end();
  });

  it('ends a consumer with its signal, also one that waits', async () => {
    const stop = new AbortController();
    const ended = drained(subject.bus, stop.signal);
    stop.abort();
    await ended;
  });

  it('ends its consumers when it is closed, and refuses everything after that', async () => {
    const ended = drained(subject.bus, new AbortController().signal);
    await subject.bus.close();
    await ended;
    for (const call of [subject.bus.publish([message(1)]), subject.bus.last()]) {
      const error: unknown = await call.then(
        () => 'done',
        (reason: unknown) => reason,
      );
      expect(isLedgerError(error, 'bus_unavailable'), String(error)).to.equal(true);
    }
    await subject.bus.close();
  });
}

async function drained(bus: Bus, signal: AbortSignal): Promise<void> {
  for await (const batch of bus.consume({ limit: 10, signal })) await batch.ack();
}
