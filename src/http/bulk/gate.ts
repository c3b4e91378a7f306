/** How many bulk submissions are worked on at a time: each may be 32 MiB, and what it becomes. */
import type { ServerResponse } from 'node:http';
import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { fail } from '../../errors.js';

export type Gate = {
  /**
   * Waits for its turn; answers what ends it. Whose client has gone is not let in.
   * @throws LedgerError `overloaded` when it took too long; `invalid_json` where the client has gone.
   */
  enter(response: ServerResponse): Promise<() => void>;
};

export type GateLimits = { places: number; waitMs: number };

const RETRY_AFTER_S = 5;

export function openGate({ places, waitMs }: GateLimits): Gate {
  const semaphore = withTimeout(new Semaphore(places), waitMs);
  return {
    async enter(response) {
      const turn = semaphore.acquire().then(
        ([, leave]) => leave,
        (error: unknown) => {
          if (error !== E_TIMEOUT) throw error;
          return fail('overloaded', 'Too many submissions are being worked on; try again.', {
            retryAfter: RETRY_AFTER_S,
          });
        },
      );
      let leaveQueue = (): void => undefined;
      const gone = new Promise<'gone'>((resolve) => {
        leaveQueue = () => resolve('gone');
        response.once('close', leaveQueue);
      });
      const first = await Promise.race([turn, gone]).finally(() => response.off('close', leaveQueue));
      if (first !== 'gone') return first;
      // Its turn passes to the next one when it comes.
      turn.then((leave) => leave(), ignored);
      return fail('invalid_json', 'The client went away before its body was read.');
    },
  };
}

/** Nobody waits for this turn any more. */
function ignored(): void {}
