/** Fan-outs, each like a process of its own that may die at any of its calls. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { partitionOf } from '../../src/domain/partition.js';
import type { LeaderFault } from '../../src/leases/run-as-leader.js';
import type { State } from '../../src/ports/state.js';
import { runFanOut, type FanOutOptions } from '../../src/webhooks/fan-out/fan-out.js';
import { openUnread, type Unread } from '../../src/webhooks/fan-out/unread.js';
import { readCheckpoints, type FanOutCheckpoint } from '../../src/webhooks/outbox/checkpoint.js';
import { eventually, testClock } from '../stores.js';
import { deliveriesOf, outboxOf, stateOf, team, watched, type Before } from './memory-stores.js';

export type World = ReturnType<typeof openWorld>;

/** All stores, and the started processes, which `stop` ends. */
export function openWorld() {
  const unread = new Set<Unread>();
  const ends: (() => Promise<void>)[] = [];
  return {
    clock: testClock(),
    views: outboxOf(),
    state: stateOf(),
    deliveries: deliveriesOf(),
    unread,
    ends,
    /** Wakes every process, as a commit of the outbox does. */
    committed: () => {
      for (const each of unread) each.add(partitionOf(team));
    },
    stop: async () => {
      for (const end of ends.splice(0)) await end();
    },
  };
}

export type Process = {
  faults: LeaderFault[];
  /** The call at which it died; null while it lives. */
  died(): string | null;
  /** Resolves when it has died or was stopped. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

type Options = Partial<FanOutOptions> & {
  /** It dies at its n-th call: this call and all later ones are refused. */
  diesAt?: number;
  before?: Before;
};

/** Looks every 20 ms, if the options say nothing else. */
export function startFanOut(world: World, { diesAt = Infinity, before, ...more }: Options = {}): Process {
  const unread = openUnread();
  world.unread.add(unread);
  const stop = new AbortController();
  const faults: LeaderFault[] = [];
  let calls = 0;
  let died: string | null = null;
  const each: Before = (call) => {
    calls += 1;
    if (calls >= diesAt) {
      died ??= call;
      stop.abort();
      throw new Error(`died at ${call}`);
    }
    before?.(call);
  };
  const running = runFanOut({
    views: watched('views', world.views, each),
    state: watched('state', more.state ?? world.state, each),
    deliveries: watched('deliveries', more.deliveries ?? world.deliveries, each),
    head: more.head ?? (async () => '~'),
    unread,
    holder: { boot: randomUUID(), alone: true },
    clock: world.clock,
    signal: stop.signal,
    report: (fault) => void faults.push(fault),
    lookEveryMs: more.lookEveryMs ?? 20,
    ...(more.added && { added: more.added }),
  });
  const end = async () => {
    stop.abort();
    await running;
  };
  world.ends.push(end);
  return { faults, died: () => died, ended: running, stop: end };
}

/** A State with leases of its own: its process believes that it leads, even if another process leads. */
export function staleIn(state: State): State {
  const own = stateOf();
  const of = (kind: string) => (kind === 'lease' ? own : state);
  return {
    ...state,
    get: (kind, key) => of(kind).get(kind, key),
    put: (kind, key, ...rest) => of(kind).put(kind, key, ...rest),
  };
}

/** Waits until the checkpoint is at the last outgoing message. */
export async function allFannedOut(world: World, limitMs = 10_000): Promise<void> {
  const last = [...world.views.messages]
    .filter(({ outgoing }) => outgoing !== null)
    .map(({ place }) => place)
    .sort()
    .at(-1);
  await eventually('all is recorded', async () => (await checkpointOf(world)) === (last ?? ''), limitMs);
}

export async function checkpointOf({ state }: World): Promise<string> {
  return (await checkpointIn(state)).place;
}

/** The fan-out's checkpoint of the team's partition. */
export async function checkpointIn(state: State): Promise<FanOutCheckpoint> {
  return (await readCheckpoints(state)).get(partitionOf(team))!;
}

/** Long enough for wrong work to happen, in tests that nothing happens. */
export const aWhile = (): Promise<void> => pause(60);
