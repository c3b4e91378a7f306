import { expect } from 'chai';
import { historyEvent } from '../../../src/domain/test-history/result-change.js';
import { groupOf } from '../../../src/domain/test-history/result-facts.js';
import type { Metadata } from '../../../src/domain/runs/run.js';
import { openMemoryLedger } from '../memory-ledger.js';

const failing = (message: string, more: Metadata = {}): Metadata => ({
  ...more,
  error: { type: 'Error', message },
});

const failed = { test_name: 'pays', error_message: null };

describe('what an event of a result changes in the history of its test', () => {
  /** A run with one result, the ledger that they are in, and the change of the newest event. */
  function given(status: 'Pending' | 'Passed' | 'Failed', metadata: Metadata | null = null) {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const result = ledger.result(project, status, { name: 'pays', metadata });
    const newest = () => historyEvent(ledger.events.at(-1)!);
    return { ledger, project, result, newest };
  }

  it('is nothing before the result has a final status', () => {
    const { ledger, result, newest } = given('Pending');
    expect(newest().change).to.equal(undefined);
    ledger.startResult(result);
    expect(newest().change).to.equal(undefined);
    ledger.updateResult(result, { metadata: { branch: 'main' } });
    expect(newest().change).to.equal(undefined);
  });

  it('says of a final status where the result stands, as its metadata say it by then', () => {
    const { ledger, result, newest } = given('Pending', { owner: 'ada' });
    ledger.updateResult(result, { metadata: { branch: 'main', commit: 'c1', owner: 'ada' } });
    ledger.finishResult(result, { status: 'Passed' });
    const { change } = newest();
    expect(change).to.deep.include({ owner: 'ada', former: null, group: null });
    expect(change!.entry).to.deep.include({ branch: 'main', commit: 'c1', status: 'Passed', again: false });
    expect(change!.result).to.deep.include({ test_name: 'pays', attempt: 1, status: 'Passed' });
  });

  it('names the branch of the entry that a next final status replaces, whatever was changed in between', () => {
    const { ledger, result, newest } = given('Passed', { branch: 'main' });
    ledger.updateResult(result, { metadata: { branch: 'other' } });
    expect(newest().change).to.equal(undefined);
    ledger.updateResult(result, { status: 'Failed' });
    const { change } = newest();
    expect(change!.former).to.deep.equal({ branch: 'main', environment: '' });
    expect(change!.entry).to.deep.include({ branch: 'other', again: true });
  });

  it('moves the entry to another environment where a correction of the metadata says so', () => {
    const { ledger, result, newest } = given('Passed', { branch: 'main', environment: { os: 'linux' } });
    ledger.updateResult(result, { metadata: { branch: 'main', environment: { os: 'mac' } } });
    const { change } = newest();
    expect(change!.former).to.deep.equal({ branch: 'main', environment: 'os=linux' });
    expect(change!.entry).to.deep.include({ environment: 'os=mac', status: 'Passed', again: true });
  });

  it('has the group of a failure by all that the result says of it, not only by what the event says', () => {
    const metadata = failing('no answer from the bank');
    const { ledger, project, result, newest } = given('Pending', metadata);
    ledger.updateResult(result, { status: 'Failed' });
    expect(newest().change!.group).to.deep.equal(groupOf({ ...failed, project_id: project.id, metadata }));
  });

  it('is another group where only the error of a failure changes, and nothing where the error stays', () => {
    const { ledger, project, result, newest } = given('Failed', failing('one'));
    const next = failing('two', { more: true });
    ledger.updateResult(result, { metadata: next });
    expect(newest()).to.have.property('change', undefined);
    expect(newest().regrouped!.group).to.deep.equal(
      groupOf({ ...failed, project_id: project.id, metadata: next }),
    );
    ledger.updateResult(result, { metadata: failing('two', { more: false }) });
    expect(newest().regrouped).to.equal(undefined);
  });

  it('is the loss of the entry where a result is deleted, if it had one', () => {
    const { ledger, result, newest } = given('Failed', { branch: 'main' });
    ledger.deleteResult(result);
    expect(newest().change).to.deep.include({ entry: null, former: { branch: 'main', environment: '' } });
    const pending = given('Pending');
    pending.ledger.deleteResult(pending.result);
    expect(pending.newest().change).to.equal(undefined);
  });

  it('counts the retries of a result, and their retries, in the attempt of its shard', () => {
    const ledger = openMemoryLedger();
    const project = ledger.project(ledger.team());
    const shard = { index: 1, total: 1, attempt: 7 };
    const { results } = ledger.call(project, 'build', [{ status: 'Failed' }], { shard });
    const first = ledger.events.find(({ type }) => type === 'ResultSubmitted')!;
    const retry = ledger.retry(results[0]!, 'Failed');
    const retried = historyEvent(ledger.events.at(-1)!).change!.entry!.attempt;
    ledger.retry(retry, 'Passed');
    const again = historyEvent(ledger.events.at(-1)!).change!.entry!.attempt;
    const item = historyEvent(first).change!.entry!.attempt;
    expect(item)
      .to.be.greaterThan(6 * 32)
      .and.lessThan(retried);
    expect(again).to.equal(retried);
  });
});
