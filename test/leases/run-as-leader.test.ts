import { expect } from 'chai';
import { runAsLeader, type LeaderOptions, type LeaderFault } from '../../src/leases/run-as-leader.js';
import { acquireLease } from '../../src/leases/lease.js';
import { embeddedStores, eventually } from '../stores.js';

describe('runAsLeader', () => {
  const stores = embeddedStores('each test', { log: false });

  function started(boot: string, work: LeaderOptions['work']) {
    const stop = new AbortController();
    const faults: LeaderFault[] = [];
    const { state, clock } = stores;
    const ended = runAsLeader({
      name: 'it',
      state,
      clock,
      holder: { boot, alone: false },
      signal: stop.signal,
      report: (fault) => void faults.push(fault),
      work,
    });
    const end = async () => {
      stop.abort();
      await ended;
    };
    stores.beforeClose(end);
    return { faults, end };
  }

  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  it('lets one process lead, and the other when the first stops', async () => {
    const leaders: string[] = [];
    const work = (boot: string) => (_: unknown, ended: AbortSignal) => {
      leaders.push(boot);
      return until(ended);
    };
    const first = started('one', work('one'));
    await eventually('one leads', () => leaders.length === 1);
    started('other', work('other'));
    await first.end();
    await eventually('the other leads', () => leaders.length === 2);
    expect(leaders).to.deep.equal(['one', 'other']);
  });

  it('ends the work of a leader that lost the lease, and waits for its end', async () => {
    let lost = false;
    started('one', async (_lease, ended) => {
      await until(ended);
      lost = true;
    });
    const held = () => stores.state.get('lease', 'it');
    await eventually('one leads', async () => (await held()) !== null);
    stores.clock.forward(60_000);
    const taken = await acquireLease(stores.state, 'it', { boot: 'other', alone: false }, stores.clock);
    expect(taken?.epoch).to.equal(2);
    await eventually('one has noticed', () => lost);
  });

  it('reports a fault of the work, and begins again after pauses that grow', async () => {
    let tries = 0;
    const fault = new Error('it went wrong');
    const { faults } = started('one', async () => {
      tries += 1;
      throw fault;
    });
    await eventually('it has tried often', () => tries >= 4);
    expect(faults.slice(0, 3)).to.deep.equal(
      [100, 200, 400].map((retryInMs) => ({ type: 'failed', error: fault, retryInMs })),
    );
  });

  it('ends what failed work has begun before it begins again', async () => {
    const tries: AbortSignal[] = [];
    started('one', async (_lease, ended) => {
      expect(tries.every(({ aborted }) => aborted)).to.equal(true);
      tries.push(ended);
      if (tries.length < 3) throw new Error('it went wrong');
      await until(ended);
    });
    await eventually('it works', () => tries.length === 3);
    expect(tries.map(({ aborted }) => aborted)).to.deep.equal([true, true, false]);
  });
});
