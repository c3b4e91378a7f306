/** Bounds the bulk submissions at the same time: each can take 32 MiB, and as much again once parsed. */
import type { ServerResponse } from 'node:http';
import { openFairSemaphore } from '../../concurrency/fair-semaphore.js';
import { LedgerError } from '../../errors.js';
import { untilGone } from '../backpressure/until-gone.js';

export type BulkGate = {
  /**
   * Waits for a slot and returns the function that frees it. The next slot goes to the team that holds the fewest, and
   * no team gets more than its share, so that one busy team cannot keep the others out. A request whose client has gone
   * gets none.
   * @throws LedgerError `overloaded` after too long a wait; `invalid_json` where the client has gone; `shutting_down`.
   */
  enter(response: ServerResponse, team: string): Promise<() => void>;
  /** Refuses all waiting requests, and later ones that would have to wait: no slot may ever be free again. */
  close(): void;
};

export type GateLimits = { slots: number; ofTeam: number; waitMs: number };

const RETRY_AFTER_S = 5;

export function openBulkGate({ slots, ofTeam, waitMs }: GateLimits): BulkGate {
  const semaphore = openFairSemaphore(slots, { perKey: ofTeam });
  const waiting = new Set<AbortController>();
  let closed = false;

  return {
    async enter(response, team) {
      const free = semaphore.tryAcquire(team);
      if (free !== null) return free;
      if (closed) throw stopping();
      const abort = new AbortController();
      waiting.add(abort);
      const stopWatching = untilGone(response, () => abort.abort());
      try {
        const leave = await semaphore.acquire(team, { signal: abort.signal, withinMs: waitMs });
        if (leave !== null) return leave;
        if (closed) throw stopping();
        throw abort.signal.aborted ? gone() : tooMany();
      } finally {
        stopWatching();
        waiting.delete(abort);
      }
    },
    close() {
      closed = true;
      for (const each of waiting) each.abort();
    },
  };
}

function gone(): LedgerError {
  return new LedgerError('invalid_json', 'The client closed the connection before its body was read.');
}

function tooMany(): LedgerError {
  return new LedgerError('overloaded', 'Too many submissions are in progress. Try again.', {
    retryAfter: RETRY_AFTER_S,
  });
}

function stopping(): LedgerError {
  return new LedgerError('shutting_down', 'The server is stopping.');
}
