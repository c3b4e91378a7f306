import { expect } from 'chai';
import { sumOfParts } from '../../../src/domain/messages/digest.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { foldOutbox } from './outbox-harness.js';
import { DAY } from './random-news.js';

const DAY_BEFORE = '2026-11-20';

describe('a daily digest that comes late', () => {
  it('counts a known failure whose time is over meanwhile, and none that was taken back', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    ledger.webhook(project.team, ['*']);
    for (const name of ['pays', 'refunds']) {
      ledger.result(project, 'Failed', { name });
      ledger.setKnownFailure(project, name, { seconds: 3 });
    }
    ledger.endKnownFailure(project, 'refunds');
    ledger.submit(project, [{ test_name: 'other', status: 'Passed' }]);
    ledger.expireKnownFailure(project, 'pays');
    ledger.closeDays(project, DAY_BEFORE);
    const ended = ledger.events.flatMap(({ type, data, meta }) =>
      type === 'KnownFailureEnded'
        ? [{ test: data.test_name, ended: data.ended, on: meta.at.slice(0, 10) }]
        : [],
    );
    expect(ended).to.deep.equal([
      { test: 'refunds', ended: 'requested', on: DAY },
      { test: 'pays', ended: 'expired', on: DAY },
    ]);
    const { messages } = await foldOutbox(ledger.events, [1]);
    const digests = messages.flatMap(({ about }) => (about.kind === 'day' ? [about.numbers] : []));
    expect(digests.map(({ day, parts }) => [day, sumOfParts(parts).known_ending])).to.deep.equal([
      [DAY_BEFORE, 1],
    ]);
  });
});
