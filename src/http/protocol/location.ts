/** The `Location` of what a request has created. */
import type { RenderedReply } from '../idempotent.js';

/**
 * `below` is the path below which the created thing has its own. The id comes from the body, because the stored answer
 * to an earlier request with the same Idempotency-Key has nothing else.
 */
export function locationOf({ status, body }: RenderedReply, below: string | undefined): string | null {
  if (status !== 201 || body === null || below === undefined) return null;
  const { data } = JSON.parse(body) as { data: { id: string } };
  return `${below}/${data.id}`;
}
