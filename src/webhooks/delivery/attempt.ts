/**
 * One attempt of a delivery: it signs the body, unless it is for a chat, POSTs it, and says what happened.
 *
 * Takes: a delivery and its webhook; it has the body of the message rendered. Gives: the HTTP status or the
 * reason of a failure, and the delay for which the endpoint asked. An attempt takes up to 15 s, with the name's look-up
 * and the answer's last byte. If it is aborted, it is unknown whether the endpoint has the message. It is sent again, so
 * an endpoint may get it twice.
 */
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../clock.js';
import { isChat } from '../../domain/messages/chat/format.js';
import type { Delivery } from '../../domain/messages/delivery.js';
import type { WebhookRecord } from '../../domain/messages/webhook.js';
import type { Instant } from '../../domain/event.js';
import { isAppError } from '../../errors.js';
import type { BodyOf, Viewing } from './bodies.js';
import type { Post, Posted, PostRequest } from './post.js';

export type AttemptOptions = {
  post: Post;
  /** The secrets of a webhook that sign at an instant, newest first. */
  secrets: (webhookId: string, now: Instant) => Promise<string[]>;
  /** Where a webhook leads; null where that cannot be read any more. */
  urlOf: (webhook: Pick<WebhookRecord, 'webhook_id' | 'sealed'>) => Promise<string | null>;
  bodyOf: BodyOf;
  clock: Clock;
  /** Called if the secret of a webhook cannot be read, or its message not rendered. */
  report: (error: unknown) => void;
};

/**
 * `sent`: false if nothing was sent because something is missing here, which says nothing about the endpoint. `lost`:
 * the message no longer exists, and no attempt can ever send it.
 */
export type Attempt = Posted & { sent: boolean; lost: boolean };

/**
 * Makes one attempt. Null if it was aborted. @throws AppError `state_unavailable`, or the fault of this machine
 * because of which nothing could be sent.
 */
export async function attempt(
  { post, secrets, urlOf, bodyOf, clock, report }: AttemptOptions,
  wanted: {
    webhook: Pick<WebhookRecord, 'webhook_id' | 'sealed'> & Viewing;
    delivery: Delivery;
    soon: () => readonly Delivery[];
  } & Pick<PostRequest, 'signal' | 'mayBegin'>,
): Promise<Attempt | null> {
  const at = clock();
  const { webhook, delivery, soon, signal, mayBegin } = wanted;
  const { format = 'standard' } = webhook;
  // A chat verifies nothing, and its URL is a secret of its own.
  const isSigned = !isChat(format);
  const { event_id, webhook_id, team_id: team } = delivery;
  let [valid, url]: [string[], string | null] = [[], null];
  try {
    const signing = isSigned ? secrets(webhook_id, at.toISOString()) : [];
    [valid, url] = await Promise.all([signing, urlOf(webhook)]);
  } catch (error) {
    if (!isAppError(error, 'internal')) throw error;
    report(error);
    return unsent(at, 'the secret of this webhook cannot be read here');
  }
  if (isSigned && valid.length === 0) return unsent(at, 'there is no secret to sign with: rotate it');
  if (url === null) return unsent(at, 'the URL of this webhook cannot be read any more: set it again');
  let body: string | null;
  try {
    body = await bodyOf(delivery, soon, webhook);
  } catch (error) {
    if (isTemporary(error)) throw error;
    report(error);
    return unsent(at, 'the message cannot be rendered here');
  }
  if (body === null) return { ...unsent(at, 'the message no longer exists in the log'), lost: true };
  try {
    const headers = isSigned ? signedHeaders(valid, { id: event_id, at, body }) : {};
    return { ...(await post({ team, url, headers, body, at, signal, mayBegin })), sent: true, lost: false };
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

function unsent(at: Date, error: string): Attempt {
  const nothing = { status: null, duration_ms: 0, response: null, retryAfterMs: null };
  return { at: at.toISOString(), ...nothing, error, sent: false, lost: false };
}

/** A store does not answer, or the outbox does not have the message yet. */
function isTemporary(error: unknown): boolean {
  return isAppError(error) && error.code.endsWith('_unavailable');
}

/**
 * The headers of Standard Webhooks 1.0. Id and body stay the same with every attempt. They are signed for the time of
 * this attempt with each valid secret, the newest first, so that a receiver can verify with either during a rotation.
 */
export function signedHeaders(
  secrets: readonly string[],
  message: { id: string; at: Date; body: string },
): Record<string, string> {
  const { id, at, body } = message;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
