import { expect } from 'chai';
import type { TestDocument } from '../../projections/history/tests.js';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { openMemoryLedger } from '../domain/memory-ledger.js';
import { foldOutbox } from '../webhooks/outbox/outbox-harness.js';

describe('a known failure', () => {
  it('counts a result once, also if it is taken back and fails again', async () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    ledger.result(project, 'Passed', { name: 'pays' });
    ledger.setKnownFailure(project, 'pays');
    const one = ledger.result(project, 'Failed', { name: 'pays' });
    const { results } = ledger.submit(project, [{ test_name: 'pays', status: 'Failed' }]);
    for (const result of [one, ...results]) {
      ledger.updateResult(result, { status: 'Running' });
      ledger.updateResult(result, { status: 'Failed' });
      ledger.updateResult(result, { status: 'Passed' });
    }
    const { documents } = await foldOutbox(ledger.events, [1]);
    const test = documents.get(`tests/${testIdOf(project.id, 'pays')}`) as unknown as TestDocument;
    expect(test.known_failure?.hidden_results).to.equal(2);
  });
});
