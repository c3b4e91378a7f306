/** The Idempotency-Key of a POST around a handler (docs/api.md, section 1). */
import { createHash } from 'node:crypto';
import type {
  StoredAnswer,
  IdempotentRequest,
  Idempotency,
  AnswerRetention,
} from '../commands/idempotency.js';
import { errors, invalid, AppError } from '../errors.js';
import type { Reply } from './route.js';
import { limits } from '../limits.js';

/** An answer ready to send: the body is the exact text on the wire. */
export type RenderedReply = { status: number; body: string | null };

type Options = {
  /** The header as the client sent it. */
  key: string;
  /** The scope of the key: team, method, full path with query. */
  scope: readonly string[];
  /** SHA-256 of the body after decompression, in hexadecimal digits. */
  bodyHash: string;
  project_ids: readonly string[] | null;
  keeping: AnswerRetention;
};

/**
 * Returns the first answer to this key, or runs `work` with the ids that are stored for it.
 * @throws AppError `validation_failed` for a malformed key, `idempotency_mismatch`, `in_flight`, `already_answered`,
 *   `state_unavailable`, and what `work` throws
 */
export async function idempotently(
  idempotency: Idempotency,
  { key, scope, bodyHash, project_ids, keeping }: Options,
  work: (attempt: IdempotentRequest) => Promise<Reply>,
): Promise<RenderedReply> {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyLength) {
    const most = limits.idempotencyKeyLength;
    invalid('Idempotency-Key', 'malformed', `must be 1 to ${most} visible ASCII characters`);
  }
  const begun = await idempotency({
    scope: hash([...scope, key].join('\n')),
    bodyHash,
    project_ids,
  });
  if (!isAttempt(begun)) return begun;
  try {
    return await begun.answered(toSent(await work(begun)), keeping);
  } catch (error) {
    const refused = error instanceof AppError && errors[error.code].status < 500;
    // The key of a resumed attempt stays bound: an earlier attempt may have written what this one was refused.
    await (refused && !begun.resumed ? begun.refused() : begun.unknown());
    throw error;
  }
}

export function toSent({ status, body, type }: Reply): RenderedReply {
  // A text with a type is written already.
  if (typeof body === 'string' && type !== undefined) return { status, body };
  return { status, body: body === undefined ? null : JSON.stringify(body) };
}

function isAttempt(begun: StoredAnswer | IdempotentRequest): begun is IdempotentRequest {
  return 'ids' in begun;
}

/** SHA-256 of a text that holds bytes (latin1) or ASCII, in hexadecimal digits. */
export function hash(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
