/**
 * Admits requests. Each takes places or bytes of its kind, as `kinds.ts` bounds them for the process, for each team and
 * for each key. A request that finds none waits for a short time, which slows its client down: bursts of CI jobs then
 * succeed. Only after that it is refused. Free places go to the team that has the fewest.
 */
import { setImmediate } from 'node:timers/promises';
import { openFairSemaphore } from '../concurrency/fair-semaphore.js';
import { AppError } from '../errors.js';
import { kinds, type Kind, type KindName } from './kinds.js';

/** Whose shares a request takes. `key`: needed where keys have a share. */
export type Holder = {
  team: string;
  key?: string;
  /** Nothing is admitted after its abort. */
  signal?: AbortSignal;
  /** Calls back once the client has gone, which ends the wait. Returns the function that removes the callback. */
  untilGone?: (gone: () => void) => () => void;
};

/** Gives places or bytes back. Only its first call counts. */
export type Release = () => void;

/**
 * All throw the AppError of the kind where it is full, and also at the end of a wait that its client left: nobody
 * reads that one.
 */
export type Admission = {
  /** Takes a place, and waits for it. @throws AppError that of the kind, or `shutting_down`. */
  admit(kind: KindName, holder: Holder): Promise<Release>;
  /** Does the work in a place, and waits for it. @throws as `admit`, and what the work throws. */
  run<T>(kind: KindName, holder: Holder, work: () => Promise<T>): Promise<T>;
  /** Takes a place, or is refused at once. @throws AppError that of the kind. */
  admitNow(kind: KindName, holder: Holder): Release;
  /** Begins with no bytes. */
  reserve(kind: KindName, holder: Holder): Reservation;
  /** Refuses all that wait for this kind, and later ones that would have to wait: no place may ever be free again. */
  close(kind: KindName): void;
};

/** The bytes of one request. More than a share counts as that share, because it would never be free. */
export type Reservation = {
  /** Reserves at least this number of bytes in place of those so far, as soon as they are free. @throws as `admit` */
  take(bytes: number): Promise<void>;
  /** True if this number of bytes is free, in place of those so far. */
  fits(bytes: number): boolean;
  /** Counts the bytes that the request really holds, in place of those so far. */
  hold(bytes: number): void;
  /** Gives all back, for good: a handler may go on after its client has gone, and nothing would release its bytes. */
  release: Release;
};

/** `changes`: for tests. */
export function openAdmission(changes: Partial<Record<KindName, Partial<Kind>>> = {}): Admission {
  const opened = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, openKind({ ...kind, ...changes[name as KindName] })]),
  ) as Record<KindName, OpenKind>;
  return {
    admit: async (kind, holder) => opened[kind].take(holder, 1),
    async run(kind, holder, work) {
      const release = await opened[kind].take(holder, 1);
      try {
        return await work();
      } finally {
        release();
      }
    },
    admitNow: (kind, holder) => opened[kind].takeNow(holder, 1),
    reserve: (kind, holder) => reservationIn(opened[kind], holder),
    close: (kind) => opened[kind].close(),
  };
}

type OpenKind = ReturnType<typeof openKind>;

function openKind({ places, waits, refusal: { code = 'overloaded', retryAfter, ...texts } }: Kind) {
  const { all, perTeam, perKey = Infinity } = places;
  const { ms: waitMs = 0, all: mostWaiting = Infinity, perTeam: waitingOfTeam = mostWaiting } = waits ?? {};
  const keys = openFairSemaphore(Infinity, { perKey });
  const teams = openFairSemaphore(all, { perKey: perTeam });
  const line = openFairSemaphore(mostWaiting, { perKey: waitingOfTeam });
  const ends = new Set<() => void>();
  let isClosed = false;

  const stopping = () => new AppError('shutting_down', 'The server is stopping.');
  function refusal(full: 'ofKey' | 'ofTeam' | 'ofLine'): AppError {
    const detail = full === 'ofTeam' ? texts.detail : (texts[full] ?? texts.detail);
    return new AppError(code, detail, { retryAfter });
  }

  /** Returns the share that is used up, where one is. */
  function tryNow({ team, key = team, signal }: Holder, amount: number): Release | 'ofKey' | 'ofTeam' {
    if (signal?.aborted === true) return 'ofTeam';
    const ofKey = keys.tryAcquire(key, amount);
    if (ofKey === null) return 'ofKey';
    const ofTeam = teams.tryAcquire(team, amount);
    if (ofTeam !== null) return both(ofKey, ofTeam);
    ofKey();
    return 'ofTeam';
  }

  /** As `tryNow`. Those that wait for the share of their key do not stand in the line of their team. */
  async function wait({ team, key = team }: Holder, permits: number, signal: AbortSignal) {
    const end = performance.now() + waitMs;
    const ofKey = await keys.acquire(key, { permits, withinMs: waitMs, signal });
    if (ofKey === null) return 'ofKey';
    const withinMs = Math.max(1, end - performance.now());
    const ofTeam = await teams.acquire(team, { permits, withinMs, signal });
    if (ofTeam !== null) return both(ofKey, ofTeam);
    ofKey();
    return 'ofTeam';
  }

  async function takeInTurn(holder: Holder, amount: number): Promise<Release> {
    if (isClosed) throw stopping();
    const leaveLine = line.tryAcquire(holder.team);
    if (leaveLine === null) throw refusal('ofLine');
    const abort = new AbortController();
    const end = () => abort.abort();
    ends.add(end);
    holder.signal?.addEventListener('abort', end);
    const stopWatching = holder.untilGone?.(end);
    try {
      const taken = await wait(holder, amount, abort.signal);
      if (typeof taken === 'function') {
        // Whoever gave the place back goes on without a pause: many that waited would hold up all others one by one.
        await setImmediate();
        return taken;
      }
      throw isClosed ? stopping() : refusal(taken);
    } finally {
      leaveLine();
      ends.delete(end);
      holder.signal?.removeEventListener('abort', end);
      stopWatching?.();
    }
  }

  function takeNow(holder: Holder, amount: number): Release {
    const taken = tryNow(holder, amount);
    if (typeof taken === 'function') return taken;
    throw refusal(taken);
  }

  return {
    refusal,
    takeNow,
    /** Without a promise where it need not wait. */
    take(holder: Holder, amount: number): Release | Promise<Release> {
      if (waits === undefined || holder.signal?.aborted === true) return takeNow(holder, amount);
      const taken = tryNow(holder, amount);
      return typeof taken === 'function' ? taken : takeInTurn(holder, amount);
    },
    /** Counts what is held already. */
    hold: ({ team, key = team }: Holder, amount: number) =>
      both(keys.take(key, amount), teams.take(team, amount)),
    isFree: ({ team, key = team }: Holder, amount: number) =>
      keys.isFree(key, amount) && teams.isFree(team, amount),
    most: Math.min(all, perTeam, perKey),
    close() {
      isClosed = true;
      for (const end of ends) end();
    },
  };
}

function reservationIn(kind: OpenKind, holder: Holder): Reservation {
  let held = 0;
  let releaseHeld: Release = nothing;
  let isOver = false;
  const counted = (bytes: number): number => Math.min(bytes, kind.most);
  function replace(bytes: number, taken: Release): void {
    const before = releaseHeld;
    [held, releaseHeld] = [bytes, taken];
    before();
  }
  const release = () => {
    isOver = true;
    replace(0, nothing);
  };
  return {
    async take(wanted) {
      const bytes = counted(wanted);
      if (bytes <= held && !isOver) return;
      replace(0, nothing);
      if (isOver) throw kind.refusal('ofTeam');
      const taken = kind.take(holder, bytes);
      replace(bytes, taken instanceof Promise ? await taken : taken);
      if (!isOver) return;
      release();
      throw kind.refusal('ofTeam');
    },
    fits(wanted) {
      const more = counted(wanted) - held;
      return more <= 0 || kind.isFree(holder, more);
    },
    hold(wanted) {
      if (isOver) return;
      const bytes = counted(wanted);
      // Taken before those so far are released: no one else gets in between.
      replace(bytes, kind.hold(holder, bytes));
    },
    release,
  };
}

function nothing(): void {}

function both(one: Release, other: Release): Release {
  return () => {
    one();
    other();
  };
}
