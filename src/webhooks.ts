/** The roles `publisher` and `dispatcher`: one thread for both, which answers no request. */
import type { Logger } from 'pino';
import { answerAppend, type AppendRequest } from './appends.js';
import type { EventLog } from './core/ports.js';
import { tellOfProjecting } from './projector.js';
import type { ProjectorMessage } from './projector-thread.js';
import { startThread, type ThreadData } from './thread.js';

export type WebhooksMessage =
  | AppendRequest
  | { type: 'publishing'; message: ProjectorMessage }
  | { type: 'failed'; what: string; error: string }
  | { type: 'attempt'; outcome: 'delivered' | 'failed'; ms: number }
  | { type: 'disabled'; reason: string; webhook: string };

export type WebhookMetrics = {
  attempt(outcome: 'delivered' | 'failed', ms: number): void;
  disabled(reason: string): void;
};

/** Starts the thread; answers its stop, which leaves unrecorded what does not end in time. */
export function startWebhooks(
  data: ThreadData,
  { log, metrics }: { log: EventLog; metrics: WebhookMetrics },
  logger: Logger,
): () => Promise<void> {
  const file = new URL('./webhooks-thread.js', import.meta.url);
  const tell = (message: WebhooksMessage, post: (answer: unknown) => void) => {
    switch (message.type) {
      case 'append':
        // Never rejects: a fault is an answer.
        void answerAppend(log, message).then(post);
        return;
      case 'publishing':
        tellOfProjecting(logger, message.message);
        return;
      case 'failed':
        logger.error({ err: { stack: message.error } }, `${message.what} failed`);
        return;
      case 'attempt':
        metrics.attempt(message.outcome, message.ms);
        return;
      case 'disabled':
        logger.warn({ webhook_id: message.webhook, reason: message.reason }, 'a webhook was disabled');
        metrics.disabled(message.reason);
        return;
    }
  };
  return startThread({ name: 'webhooks', file, data, tell }, logger);
}
