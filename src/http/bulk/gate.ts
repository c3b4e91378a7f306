/** Bounds the bulk submissions at the same time: each can take 32 MiB, and as much again once parsed. */
import type { ServerResponse } from 'node:http';
import { LedgerError } from '../../errors.js';

export type BulkGate = {
  /**
   * Waits for a slot and returns the function that frees it. The next slot goes to the team that holds the fewest, so
   * that one busy team cannot keep the others out. A request whose client has gone gets none.
   * @throws LedgerError `overloaded` after too long a wait; `invalid_json` where the client has gone; `shutting_down`.
   */
  enter(response: ServerResponse, team: string): Promise<() => void>;
  /** Refuses all waiting requests, and later ones that would have to wait: no slot may ever be free again. */
  close(): void;
};

export type GateLimits = { slots: number; waitMs: number };

const RETRY_AFTER_S = 5;

type Waiting = { team: string; letIn(): void; refuse(error: LedgerError): void };

export function openBulkGate({ slots, waitMs }: GateLimits): BulkGate {
  let free = slots;
  let closed = false;
  const held = new Map<string, number>();
  /** In the order of arrival. */
  const queue = new Set<Waiting>();

  function next(): void {
    while (free > 0 && queue.size > 0) {
      let first: Waiting | null = null;
      for (const each of queue) if (first === null || slotsOf(each.team) < slotsOf(first.team)) first = each;
      first!.letIn();
    }
  }
  const slotsOf = (team: string) => held.get(team) ?? 0;

  function take(team: string): () => void {
    free -= 1;
    held.set(team, slotsOf(team) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      if (slotsOf(team) === 1) held.delete(team);
      else held.set(team, slotsOf(team) - 1);
      next();
    };
  }

  return {
    enter(response, team) {
      return new Promise((resolve, reject) => {
        const ended = () => {
          queue.delete(one);
          clearTimeout(timer);
          response.off('close', gone);
        };
        const one: Waiting = {
          team,
          letIn() {
            ended();
            resolve(take(team));
          },
          refuse(error) {
            ended();
            reject(error);
          },
        };
        const gone = () =>
          one.refuse(
            new LedgerError('invalid_json', 'The client closed the connection before its body was read.'),
          );
        const timer = setTimeout(() => one.refuse(tooMany()), waitMs);
        response.once('close', gone);
        queue.add(one);
        next();
        if (closed && queue.has(one)) one.refuse(stopping());
      });
    },
    close() {
      closed = true;
      for (const each of queue) each.refuse(stopping());
    },
  };
}

function tooMany(): LedgerError {
  return new LedgerError('overloaded', 'Too many submissions are in progress. Try again.', {
    retryAfter: RETRY_AFTER_S,
  });
}

function stopping(): LedgerError {
  return new LedgerError('shutting_down', 'The server is stopping.');
}
