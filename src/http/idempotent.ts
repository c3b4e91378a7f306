/** The Idempotency-Key of a POST around a handler (docs/api.md, section 1). */
import { createHash } from 'node:crypto';
import type {
  StoredAnswer,
  IdempotentRequest,
  Idempotency,
  AnswerRetention,
} from '../commands/idempotency.js';
import { errors, invalid, LedgerError } from '../errors.js';
import type { Reply } from './route.js';
import { limits } from '../limits.js';

/** An answer ready to send: the body is the text that went, or will go, over the wire. */
export type RenderedReply = { status: number; body: string | null };

type Options = {
  /** As it was sent. */
  key: string;
  /** What the key is scoped to: team, method, full path with query. */
  scope: readonly string[];
  /** SHA-256 of the body after inflation, as hexadecimal digits. */
  bodyHash: string;
  keeping: AnswerRetention;
};

/** Answers as the first time, or works under the ids that were kept for this key. */
export async function idempotently(
  idempotency: Idempotency,
  { key, scope, bodyHash, keeping }: Options,
  work: (attempt: IdempotentRequest) => Promise<Reply>,
): Promise<RenderedReply> {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyLength) {
    const most = limits.idempotencyKeyLength;
    invalid('Idempotency-Key', 'malformed', `must be 1 to ${most} visible ASCII characters`);
  }
  const begun = await idempotency({
    scope: hash([...scope, key].join('\n')),
    bodyHash,
  });
  if (!isAttempt(begun)) return begun;
  try {
    return await begun.answered(toSent(await work(begun)), keeping);
  } catch (error) {
    const refused = error instanceof LedgerError && errors[error.code].status < 500;
    // After a resumed try the key stays bound: the try before it may have written what this one was refused.
    await (refused && !begun.resumed ? begun.refused() : begun.unknown());
    throw error;
  }
}

export function toSent({ status, body }: Reply): RenderedReply {
  return { status, body: body === undefined ? null : JSON.stringify(body) };
}

function isAttempt(begun: StoredAnswer | IdempotentRequest): begun is IdempotentRequest {
  return 'ids' in begun;
}

/** Of a text that holds bytes (latin1) or ASCII. */
export function hash(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
