import { expect } from 'chai';
import { setMaxListeners } from 'node:events';
import { LEASE_MS, type Holder } from '../../src/leases/lease.js';
import { runAsLeader } from '../../src/leases/run-as-leader.js';
import type { State } from '../../src/ports/state.js';
import { runDispatcher, type DispatcherOptions } from '../../src/webhooks/delivery/dispatcher.js';
import { stateOf } from '../webhooks/memory-stores.js';
import { virtualTime } from '../virtual-time.js';

type Process = { state: State; holder: Holder; signal: AbortSignal; leads: () => void };

describe('another process takes over from one that was killed', () => {
  const time = virtualTime();
  let state: State;
  let leads: string[];
  let renewedAt: number;
  let ends: (() => Promise<unknown>)[];
  beforeEach(() => {
    [state, leads, renewedAt, ends] = [stateOf(), [], -Infinity, []];
  });
  afterEach(() => Promise.all(ends.map((end) => end())));

  /** Starts a process, and returns the function that kills it: none of its calls reaches the state any more. */
  function started(boot: string, run: (process: Process) => Promise<unknown>): () => void {
    const stop = new AbortController();
    // The timers of mocks leave their listeners behind.
    setMaxListeners(0, stop.signal);
    let isKilled = false;
    const refused = () => Promise.reject(new Error('killed'));
    const own: State = {
      ...state,
      get: (...of) => (isKilled ? refused() : state.get(...of)),
      put: async (...of) => {
        if (isKilled) return refused();
        if (boot === 'first') renewedAt = time.now();
        return state.put(...of);
      },
    };
    const holder = { boot, alone: false };
    const ended = run({ state: own, holder, signal: stop.signal, leads: () => void leads.push(boot) });
    ends.push(() => {
      stop.abort();
      return ended;
    });
    return () => {
      isKilled = true;
      stop.abort();
    };
  }

  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

  const leader = ({ leads, ...process }: Process) =>
    runAsLeader({
      ...process,
      name: 'it',
      clock: time.clock,
      report: () => undefined,
      work: (_lease, ended) => {
        leads();
        return until(ended);
      },
    });

  /** Has one webhook, which has something due at all times, and holds its lease for as long as it can. */
  const dispatcher = ({ leads, ...process }: Process) =>
    runDispatcher({
      ...process,
      clock: time.clock,
      report: () => undefined,
      historyMs: 1,
      deliveries: {
        webhooksWithClaimable: async () => ['webhook_1'],
        webhooksWithBlocked: async () => [],
        reschedule: async () => 0,
        purge: async () => 0,
        updatePending: () => {
          leads();
          return until(process.signal);
        },
      },
    } as unknown as DispatcherOptions).done;

  /** Kills the first process at different times after a renewal, and returns how long after its last one the other leads. */
  async function tookOverAfter(
    run: (process: Process) => Promise<unknown>,
    killedAt: number,
  ): Promise<number> {
    const kill = started('first', run);
    expect(await time.passUntil(() => leads.length === 1, 2_000)).to.equal(true);
    started('other', run);
    await time.passUntil(() => leads.length > 1, killedAt);
    expect(leads, 'it renews its lease').to.deep.equal(['first']);
    kill();
    await time.passUntil(() => leads.length === 2, 60_000);
    expect(leads).to.deep.equal(['first', 'other']);
    return time.now() - renewedAt;
  }

  // Renewals come every 2.5 s.
  for (const killedAt of [0, 50, 2_400, 2_500, 3_300, 31_050]) {
    it(`as a leader: at most 1 s after the lease has ended, and not before (killed after ${killedAt} ms)`, async () => {
      expect(await tookOverAfter(leader, killedAt)).to.be.within(LEASE_MS, LEASE_MS + 1_000);
    });

    it(`as a dispatcher: at most 1.25 s after the lease has ended, and not before (killed after ${killedAt} ms)`, async () => {
      expect(await tookOverAfter(dispatcher, killedAt)).to.be.within(LEASE_MS, LEASE_MS + 1_250);
    });
  }
});
