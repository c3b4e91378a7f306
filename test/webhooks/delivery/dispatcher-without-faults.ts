/** The dispatcher harness with waits for its work. Any fault fails the test. */
import { expect } from 'chai';
import { eventually } from '../../stores.js';
import { dispatcherHarness, type Call } from './dispatcher-harness.js';

export function dispatcherWithoutFaults() {
  const given = dispatcherHarness();
  afterEach(() => expect(given.faults).to.deep.equal([]));
  return {
    given,
    numbers: (calls: readonly Call[] = given.calls) => calls.map(({ eventId }) => Number(eventId.slice(6))),
    sent: (count: number) =>
      eventually(`${count} attempts`, () => given.calls.length >= count || given.faults.length > 0),
    settled: (count = 0) =>
      eventually(`${count} pending`, async () => (await given.deliveries.pending()) === count),
    /** Waits until this number of attempts is logged. */
    logged: (webhook: string, n: number, count: number) =>
      eventually(`${count} logged`, async () => (await given.get(webhook, n)).attempts.length >= count),
  };
}
