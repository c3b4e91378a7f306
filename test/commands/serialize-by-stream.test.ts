import { expect } from 'chai';
import { serializeByStream } from '../../src/commands/serialize-by-stream.js';
import type { Ledger } from '../../src/commands/ledger.js';
import { run } from '../../src/domain/runs/run.js';
import { LedgerError } from '../../src/errors.js';
import { refusal } from '../contract/event-log.events.js';
import { contextOf } from '../stores.js';

describe('serialized commands', () => {
  const command = { type: 'CompleteIdleRun', at: '' } as const;

  /** A serialized ledger whose commands run a function of the test. */
  function given(work: (stream: string) => Promise<void>) {
    const execute: Ledger['execute'] = async (decider, stream) => {
      await work(stream);
      return { state: decider.initial, appended: null };
    };
    const ledger = serializeByStream({ execute } as Ledger);
    return (stream: string) => ledger.execute(run, stream, contextOf('team_1'), command);
  }

  it('run one at a time and in order on one stream, and at once on different streams', async () => {
    const under = new Map<string, number>();
    let [most, all] = [0, 0];
    const execute = given(async (stream) => {
      const now = (under.get(stream) ?? 0) + 1;
      under.set(stream, now);
      expect(now).to.equal(1);
      most = Math.max(most, (all += 1));
      await new Promise((resolve) => setImmediate(resolve));
      under.set(stream, now - 1);
      all -= 1;
    });
    await Promise.all(Array.from({ length: 30 }, (_, n) => execute(`run-${n % 3}`)));
    expect(most).to.equal(3);
  });

  it('go on after a command that fails', async () => {
    let calls = 0;
    const execute = given(async () => {
      if ((calls += 1) === 1) throw new LedgerError('not_found', 'There is no such run.');
    });
    const [first, second] = [execute('run-1'), execute('run-1')];
    await refusal(first, 'not_found');
    await second;
  });

  it('are tried again a few times if other writers come first', async () => {
    let calls = 0;
    const until = (n: number) =>
      given(async () => {
        if ((calls += 1) < n)
          throw new LedgerError('write_conflict', 'Others were first.', { retryAfter: 1 });
      });
    await until(5)('run-1');
    expect(calls).to.equal(5);
    calls = 0;
    await refusal(until(100)('run-1'), 'write_conflict');
    expect(calls).to.equal(5);
  });

  it('are not tried again if a decider has refused them', async () => {
    let calls = 0;
    const execute = given(async () => {
      calls += 1;
      throw new LedgerError('write_conflict', 'The run exists already.');
    });
    await refusal(execute('run-1'), 'write_conflict');
    expect(calls).to.equal(1);
  });
});
