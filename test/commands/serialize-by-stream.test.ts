import { expect } from 'chai';
import { serializeByStream } from '../../src/commands/serialize-by-stream.js';
import type { CommandContext } from '../../src/commands/command-context.js';
import type { CommandHandler } from '../../src/commands/command-handler.js';
import { run } from '../../src/domain/runs/run.js';
import { AppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf } from '../stores.js';

describe('serialized commands', () => {
  const command = { type: 'CompleteIdleRun', at: '' } as const;

  /** A serialized ledger whose commands run a function of the test. */
  function given(work: (stream: string) => Promise<void>) {
    const execute: CommandHandler['execute'] = async (decider, stream) => {
      await work(stream);
      return { state: decider.initial, appended: null };
    };
    const executeTogether = () => Promise.resolve(null);
    const commands = serializeByStream({ execute, executeTogether } as unknown as CommandHandler);
    return (stream: string) => commands.execute(run, stream, contextOf('team_1'), command);
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
      if ((calls += 1) === 1) throw new AppError('not_found', 'There is no such run.');
    });
    const [first, second] = [execute('run-1'), execute('run-1')];
    await refusal(first, 'not_found');
    await second;
  });

  it('are tried again a few times if other writers come first', async () => {
    let calls = 0;
    const until = (n: number) =>
      given(async () => {
        if ((calls += 1) < n) throw new AppError('write_conflict', 'Others were first.', { retryAfter: 1 });
      });
    await until(5)('run-1');
    expect(calls).to.equal(5);
    calls = 0;
    await refusal(until(100)('run-1'), 'write_conflict');
    expect(calls).to.equal(5);
  });

  describe('that wait for the same stream', () => {
    type Shared = Awaited<ReturnType<CommandHandler['executeTogether']>>;

    /** Each command is named; `share` gets the names of those that are executed together. */
    function named(share: (names: string[]) => Promise<Shared>) {
      const alone: string[] = [];
      const execute: CommandHandler['execute'] = async (decider, _, { correlationId }) => {
        alone.push(correlationId);
        await new Promise((resolve) => setImmediate(resolve));
        return { state: decider.initial, appended: null };
      };
      const executeTogether: CommandHandler['executeTogether'] = (_, __, requests) =>
        share(requests.map(({ context }) => context.correlationId)) as never;
      const commands = serializeByStream({ execute, executeTogether } as CommandHandler);
      const call = (name: string, more: Partial<CommandContext> = {}) =>
        commands.execute(run, 'run-1', { ...contextOf('team_1', more), correlationId: name }, command);
      return { alone, call };
    }
    const done = (names: string[]): NonNullable<Shared> =>
      names.map(() => ({ status: 'fulfilled', value: { state: run.initial, appended: null } }));

    it('are executed together, up to 16 of them', async () => {
      const shared: string[][] = [];
      const { alone, call } = named(async (names) => {
        shared.push(names);
        return done(names);
      });
      const names = Array.from({ length: 20 }, (_, n) => `${n}`);
      await Promise.all(names.map((name) => call(name)));
      expect([...alone, ...shared.flat()].sort()).to.deep.equal(names.toSorted());
      expect(Math.max(...shared.map(({ length }) => length))).to.equal(16);
    });

    it('are executed alone if they look for an earlier try', async () => {
      const { alone, call } = named(async () => expect.fail('none may share'));
      await Promise.all([
        call('one', { resumed: true }),
        call('two', { resumed: true }),
        call('three', { takenOver: async () => false }),
        call('four', { takenOver: async () => false }),
      ]);
      expect(alone).to.deep.equal(['one', 'two', 'three', 'four']);
    });

    it('are executed alone, each in its turn, if another writer comes before them', async () => {
      const { alone, call } = named(async () => null);
      await Promise.all(['one', 'two', 'three'].map((name) => call(name)));
      expect(alone).to.deep.equal(['one', 'two', 'three']);
    });

    it('get each its own refusal', async () => {
      const { call } = named(async (names) => [
        { status: 'rejected', reason: new AppError('not_found', 'There is no such run.') },
        ...done(names).slice(1),
      ]);
      const [first, second] = [call('one'), call('two')];
      await refusal(first, 'not_found');
      await second;
    });

    it('all fail with an append that may have happened, and none is executed again', async () => {
      const { alone, call } = named(() => Promise.reject(new AppError('log_unavailable', 'No answer.')));
      const calls = ['one', 'two', 'three'].map((name) => call(name));
      await Promise.all(calls.map((each) => refusal(each, 'log_unavailable')));
      expect(alone).to.deep.equal([]);
    });
  });

  it('are not tried again if a decider has refused them', async () => {
    let calls = 0;
    const execute = given(async () => {
      calls += 1;
      throw new AppError('write_conflict', 'The run exists already.');
    });
    await refusal(execute('run-1'), 'write_conflict');
    expect(calls).to.equal(1);
  });
});
