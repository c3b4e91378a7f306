/** How many bulk submissions are worked on at a time: each may be 32 MiB, and what it becomes. */
import type { ServerResponse } from 'node:http';
import { LedgerError } from '../../errors.js';

export type BulkGate = {
  /**
   * Waits for a turn; answers what ends it. The next turn is that of the team with the fewest places, so that one that
   * submits without end leaves the others a place. Whose client has gone is not let in.
   * @throws LedgerError `overloaded` when it took too long; `invalid_json` where the client has gone; `shutting_down`.
   */
  enter(response: ServerResponse, team: string): Promise<() => void>;
  /** Turns away all who wait, and who would have to: nobody can say when there will be a place again. */
  close(): void;
};

export type GateLimits = { places: number; waitMs: number };

const RETRY_AFTER_S = 5;

type Waiting = { team: string; letIn(): void; refuse(error: LedgerError): void };

export function openBulkGate({ places, waitMs }: GateLimits): BulkGate {
  let free = places;
  let closed = false;
  const held = new Map<string, number>();
  /** In the order in which they came. */
  const queue = new Set<Waiting>();

  function next(): void {
    while (free > 0 && queue.size > 0) {
      let first: Waiting | null = null;
      for (const each of queue)
        if (first === null || placesOf(each.team) < placesOf(first.team)) first = each;
      first!.letIn();
    }
  }
  const placesOf = (team: string) => held.get(team) ?? 0;

  function take(team: string): () => void {
    free -= 1;
    held.set(team, placesOf(team) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += 1;
      if (placesOf(team) === 1) held.delete(team);
      else held.set(team, placesOf(team) - 1);
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
          one.refuse(new LedgerError('invalid_json', 'The client went away before its body was read.'));
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
  return new LedgerError('overloaded', 'Too many submissions are being worked on; try again.', {
    retryAfter: RETRY_AFTER_S,
  });
}

function stopping(): LedgerError {
  return new LedgerError('shutting_down', 'The server is stopping.');
}
