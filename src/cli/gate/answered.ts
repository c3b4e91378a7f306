/** What the server answers, and whether the answer may be too old to judge by. */
import { unwrap } from '../../client/index.js';

export type Answer<T> = {
  body: T;
  /** The answer is older than a write that was answered. */
  isStale: boolean;
};

/** @throws TestledgerError */
export async function answered<T>(
  answering: Promise<{ data?: unknown; error?: unknown; response: Response }>,
): Promise<Answer<T>> {
  const answer = await answering;
  const body = (await unwrap(Promise.resolve(answer))) as T;
  return { body, isStale: answer.response.headers.has('X-Read-Lag') };
}
