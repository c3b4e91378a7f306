/** Bounds the memory of bodies or answers in this process, with a share for each team and each key. */
import type { ServerResponse } from 'node:http';
import { openFairSemaphore } from '../concurrency/fair-semaphore.js';
import { LedgerError } from '../errors.js';
import type { KeyEntry } from '../keys/api-keys.js';
import { untilGone } from './backpressure/until-gone.js';

/** `bytes` for all together; `ofTeam` and `ofKey` bound one of them. */
export type BudgetLimits = {
  bytes: number;
  ofTeam: number;
  ofKey: number;
  /** The requests that may wait at the same time, half of them of one team: each keeps what its connection has buffered. */
  waiting: number;
  waitMs: number;
};

/** Begins with no bytes for a request with this key. */
export type MemoryBudget = (owner: Owner, response: ServerResponse) => Reservation;

/** The bytes of one request. More than the share of a key counts as that share, because it would never be free. */
export type Reservation = {
  /**
   * Reserves bytes in place of those so far, as soon as they are free.
   * @throws LedgerError `overloaded` after too long a wait, or at once where too many wait; `malformed_request` where the
   *   client has gone.
   */
  reserve(bytes: number): Promise<void>;
  /** True if this number of bytes is free, in place of those so far. */
  fits(bytes: number): boolean;
  /** Counts the bytes that the request really holds, in place of those so far. */
  hold(bytes: number): void;
  /** Gives all back, for good: a handler may go on after its client has gone, and nothing would release its bytes. */
  release(): void;
};

export type Owner = Pick<KeyEntry, 'team_id' | 'key_id'>;

const RETRY_AFTER_S = 2;

/**
 * Makes a budget. A request whose bytes are not free waits a short time, which slows its client down: bursts of CI jobs
 * then succeed. Only after that it is refused.
 */
export function openMemoryBudget(limits: BudgetLimits): MemoryBudget {
  const byTeam = openFairSemaphore(limits.bytes, { perKey: limits.ofTeam });
  const byKey = openFairSemaphore(Infinity, { perKey: limits.ofKey });
  const line = openFairSemaphore(limits.waiting, { perKey: limits.waiting / 2 });

  function takeNow({ team_id, key_id }: Owner, bytes: number): (() => void) | null {
    const ofKey = byKey.tryAcquire(key_id, bytes);
    if (ofKey === null) return null;
    const ofTeam = byTeam.tryAcquire(team_id, bytes);
    if (ofTeam !== null) return both(ofKey, ofTeam);
    ofKey();
    return null;
  }

  async function takeInTurn(owner: Owner, bytes: number, response: ServerResponse): Promise<() => void> {
    const leaveLine = line.tryAcquire(owner.team_id);
    if (leaveLine === null) throw overloaded();
    const abort = new AbortController();
    const stopWatching = untilGone(response, () => abort.abort());
    try {
      const { signal } = abort;
      const end = performance.now() + limits.waitMs;
      const left = () => ({ permits: bytes, withinMs: Math.max(1, end - performance.now()), signal });
      // Those that wait for the share of their key do not stand in the line of their team.
      const ofKey = await byKey.acquire(owner.key_id, left());
      const ofTeam = ofKey && (await byTeam.acquire(owner.team_id, left()));
      if (ofKey !== null && ofTeam !== null) return both(ofKey, ofTeam);
      ofKey?.();
      throw signal.aborted ? gone() : overloaded();
    } finally {
      leaveLine();
      stopWatching();
    }
  }

  return (owner, response) => {
    let held = 0;
    let release = nothing;
    let isOver = false;
    const counted = (bytes: number): number => Math.min(bytes, limits.ofKey);
    function replace(bytes: number, taken: () => void): void {
      const before = release;
      held = bytes;
      release = taken;
      before();
    }
    return {
      async reserve(wanted) {
        const bytes = counted(wanted);
        replace(0, nothing);
        if (isOver) throw gone();
        if (bytes === 0) return;
        const taken = takeNow(owner, bytes) ?? (await takeInTurn(owner, bytes, response));
        replace(bytes, taken);
        if (!isOver) return;
        replace(0, nothing);
        throw gone();
      },
      fits(wanted) {
        const more = counted(wanted) - held;
        return more <= 0 || (byKey.isFree(owner.key_id, more) && byTeam.isFree(owner.team_id, more));
      },
      hold(wanted) {
        if (isOver) return;
        const bytes = counted(wanted);
        // Taken before those so far are released: no one else gets in between.
        replace(bytes, both(byKey.take(owner.key_id, bytes), byTeam.take(owner.team_id, bytes)));
      },
      release() {
        isOver = true;
        replace(0, nothing);
      },
    };
  };
}

function nothing(): void {}

function both(one: () => void, other: () => void): () => void {
  return () => {
    one();
    other();
  };
}

function overloaded(): LedgerError {
  return new LedgerError('overloaded', 'Too many requests are in progress. Try again.', {
    retryAfter: RETRY_AFTER_S,
  });
}

function gone(): LedgerError {
  return new LedgerError(
    'malformed_request',
    'The client closed the connection before its request was read.',
  );
}
