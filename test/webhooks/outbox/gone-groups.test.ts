import { expect } from 'chai';
import type { TrackDocument } from '../../../projections/verdicts/main-documents.js';
import { openMemoryLedger } from '../../domain/memory-ledger.js';
import { foldOutbox } from './outbox-harness.js';

describe('a group of failures that is gone from the default branch', () => {
  it('takes no room among those that are open, of which a run looks at a bounded number', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const run = (pays: 'Failed' | 'Passed') => {
      const items = [
        { test_name: 'pays', status: pays, error_message: 'the price is missing' },
        { test_name: 'refunds', status: 'Failed', error_message: 'never' } as const,
      ];
      ledger.submit(project, items, { metadata: { branch: 'main' } });
    };
    const open = async () => {
      const { documents } = await foldOutbox(ledger.events);
      const [track] = [...documents].filter(([key]) => key.startsWith('tracks/'));
      return (track![1] as unknown as TrackDocument).open;
    };
    run('Failed');
    const before = await open();
    expect(before).to.have.length(2);
    run('Passed');
    const after = await open();
    expect(after).to.have.length(1);
    expect(before).to.include(after[0]);
  });
});
