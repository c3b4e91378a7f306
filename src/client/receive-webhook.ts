/** Verifies a request of a webhook, and reads its message. */
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { TestledgerError } from './errors.js';
import type { WebhookMessage } from './webhook-messages.js';

/**
 * Which messages were processed. A message comes again until it was answered with a success, so this should outlive the
 * process. A `Set` is one that does not.
 */
export type SeenMessages = {
  has(id: string): Promise<boolean> | boolean;
  /** Called once the message was processed. It is awaited. */
  add(id: string): unknown;
};

export type WebhookRequest = {
  /** `whsec_…`. During a rotation, both. */
  secret: string | readonly string[];
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
  /** As it was sent, to the byte: the signature is that of the bytes. */
  body: string | Uint8Array;
  seen?: SeenMessages | undefined;
};

export type Reception = {
  message: WebhookMessage;
  /** The message was processed before. Answer it with a success, and do nothing. */
  isRepeat: boolean;
};

/** @throws TestledgerError `bad_signature` for a request that testledger did not send, or more than 5 minutes ago. */
export async function receiveWebhook(request: WebhookRequest): Promise<Reception> {
  const { seen, body } = request;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const headers = signedHeaders(request.headers);
  const secrets = typeof request.secret === 'string' ? [request.secret] : request.secret;
  const payload = verified(secrets, text, headers) as Omit<WebhookMessage, 'id'>;
  const message = { id: headers['webhook-id'], ...payload } as WebhookMessage;
  return { message, isRepeat: (await seen?.has(message.id)) ?? false };
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

type SignedHeaders = Record<(typeof names)[number], string>;

function signedHeaders(headers: WebhookRequest['headers']): SignedHeaders {
  // Names of headers have no case. Some frameworks keep them as they were sent.
  const found = new Map(
    headers instanceof Headers
      ? headers
      : Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  );
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? ''])) as SignedHeaders;
}

/** The content, by the first secret that signs it. */
function verified(secrets: readonly string[], text: string, headers: SignedHeaders): unknown {
  let last: unknown = null;
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(text, headers);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      last = error;
    }
  }
  throw new TestledgerError('bad_signature', 'The signature of the webhook is missing, wrong or too old.', {
    cause: last,
  });
}
