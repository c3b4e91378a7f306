import { expect } from 'chai';
import { streamName, type RecordedEvent } from '../../../src/domain/event.js';
import { openStateAsOf } from '../../../src/webhooks/outbox/state-as-of.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { openMemoryLog } from './memory-log.js';

/** The statuses of a result, one event after the other. */
const statuses = {
  initial: [] as readonly unknown[],
  evolve: (before: readonly unknown[], { data }: RecordedEvent) => [
    ...before,
    (data as { status?: unknown }).status,
  ],
};

describe('the state of a submitted result', () => {
  it('is that of each position, in one call too, and whichever is asked for first', async () => {
    const ledger = openMemoryLedger();
    const { team, ...project } = ledger.project(ledger.team());
    const { results } = ledger.submit({ team, ...project }, [{ status: 'Passed' }]);
    ledger.updateResult(results[0]!, { status: 'Failed' });
    const [submitted, updated] = ledger.events.filter(({ type }) => /^Result(Submitted|Updated)$/.test(type));
    const stream = streamName('result', team, results[0]!.id);
    for (const order of [
      [submitted, updated],
      [updated, submitted],
    ]) {
      const stateAt = openStateAsOf(openMemoryLog(ledger.events), statuses, 1_000_000);
      const call = {};
      for (const event of [...order, ...order]) {
        const wanted = event === submitted ? ['Passed'] : ['Passed', 'Failed'];
        expect(await stateAt(stream, event!.position, call)).to.deep.equal(wanted);
      }
    }
  });
});
