/** Limits the guesses of tokens of links and badges, and the reads of badges, by address. A right token of a link is always let in. */
import type { IncomingMessage } from 'node:http';
import { openPoints } from '../../concurrency/points.js';
import { fail, isAppError } from '../../errors.js';
import { clientAddress } from '../../http/client-address.js';
import { oneClient } from '../../people/client.js';

export type Guesses = {
  /** Before a badge is looked up: anybody may ask as often as they can. @throws AppError `rate_limited` */
  mayRead(request: IncomingMessage): void;
  /**
   * What a token leads to. The answer is the same for a token that was never right and for one that has ended.
   * @throws AppError `not_found`, `rate_limited`
   */
  right<T>(request: IncomingMessage, find: () => Promise<T | null>): Promise<T>;
  /**
   * The error that the reader gets: everything that does not exist for them is that same answer. `lag`: how far the read
   * models are behind. @throws it
   */
  refuse(error: unknown, lag: number): never;
};

const [WRONG, INTERVAL_MS] = [20, 15 * 60_000];
/** A proxy of a forge asks for all of its readers, and keeps each picture for a minute. */
const [READS, READS_MS] = [600, 60_000];

export function openGuesses(trustedProxies: readonly string[]): Guesses {
  const points = openPoints(WRONG, INTERVAL_MS);
  const reads = openPoints(READS, READS_MS);
  const clientOf = (request: IncomingMessage) => oneClient(clientAddress(request, trustedProxies));
  const refusal = 'This link is not right, or it has ended.';
  return {
    mayRead(request) {
      const client = clientOf(request);
      const wait = reads.waitMs(client);
      if (wait > 0)
        fail('rate_limited', 'Too many badges were read from this address.', {
          retryAfter: Math.ceil(wait / 1_000),
        });
      reads.take(client, 1);
    },
    refuse(error, lag) {
      if (!isAppError(error, 'not_found')) throw error;
      if (lag > 0) failBehind();
      return fail('not_found', refusal);
    },
    async right(request, find) {
      const found = await find();
      if (found !== null) return found;
      const client = clientOf(request);
      const wait = points.waitMs(client);
      if (wait > 0)
        fail('rate_limited', 'Too many links from this address were not right.', {
          retryAfter: Math.ceil(wait / 1_000),
        });
      points.take(client, 1);
      return fail('not_found', refusal);
    },
  };
}

/** What is not in the read models yet may exist, and what they say may be old. @throws AppError `views_behind` */
export function failBehind(): never {
  return fail('views_behind', 'The read models are behind. Try again in a moment.', { retryAfter: 1 });
}
