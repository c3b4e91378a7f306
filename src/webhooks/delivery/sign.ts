/** The headers of a message, as Standard Webhooks 1.0 has them. */
import { Webhook } from 'standardwebhooks';

/**
 * What stays the same with every attempt, the id and the body, signed for the time of this one: once with each secret
 * that is valid, the newest first, so that who verifies may know either while they change.
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
