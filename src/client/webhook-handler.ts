/** An endpoint for webhooks: the handler of a Node HTTP server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestledgerError } from './errors.js';
import { receiveWebhook, type WebhookRequest } from './receive-webhook.js';
import type { WebhookMessage } from './webhook-messages.js';

export type WebhookHandling = Pick<WebhookRequest, 'secret' | 'seen'> & {
  /** Called once for each message. If it throws, the answer is 500 and the message comes again. */
  onMessage(message: WebhookMessage): Promise<void> | void;
  /** Called with what `onMessage` or `seen` threw. */
  onError(error: unknown): void;
};

/** testledger sends 20,000 bytes at most, and a long error message beside them. */
const BODY_BYTES = 1024 * 1024;

/**
 * Answers 204 for a message that was processed, now or before, and 401 for a wrong signature. An answer must come within
 * 15 s, so let `onMessage` only store what takes longer. @returns the listener for `http.createServer`
 */
export function webhookHandler(
  handling: WebhookHandling,
): (request: IncomingMessage, response: ServerResponse) => void {
  const underWay = new Map<string, Promise<void>>();
  return (request, response) => {
    answerTo(handling, underWay, request).then(
      (status) => response.writeHead(status, status === 413 ? { Connection: 'close' } : {}).end(),
      (error: unknown) => {
        handling.onError(error);
        response.writeHead(500).end();
      },
    );
  };
}

/** Returns the status of the answer. */
async function answerTo(
  { secret, seen, onMessage }: WebhookHandling,
  underWay: Map<string, Promise<void>>,
  request: IncomingMessage,
): Promise<number> {
  const body = await bodyOf(request);
  if (body === null) return 413;
  const message = await messageOf({ secret, headers: request.headers, body });
  if (message === null) return 401;

  // After 15 s the message is sent again, while this process may still work on it.
  let work = underWay.get(message.id);
  if (work === undefined) {
    work = processOnce(message, { seen, onMessage }).finally(() => underWay.delete(message.id));
    underWay.set(message.id, work);
  }
  await work;
  return 204;
}

async function processOnce(
  message: WebhookMessage,
  { seen, onMessage }: Pick<WebhookHandling, 'seen' | 'onMessage'>,
): Promise<void> {
  if (await seen?.has(message.id)) return;
  await onMessage(message);
  await seen?.add(message.id);
}

/** Null for a wrong signature. */
async function messageOf(request: WebhookRequest): Promise<WebhookMessage | null> {
  try {
    return (await receiveWebhook(request)).message;
  } catch (error) {
    if (error instanceof TestledgerError && error.code === 'bad_signature') return null;
    throw error;
  }
}

/** Null for a body that is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  // An answer needs the connection, also for a body that is not read to its end.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > BODY_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
