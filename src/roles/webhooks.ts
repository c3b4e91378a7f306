/** The roles `publisher` and `dispatcher`: one thread for both, which answers no request. */
import type { Logger } from 'pino';
import { outbox } from '../../projections/publication.js';
import { busCrossesProcesses } from '../adapters/open.js';
import { answerAppend, type AppendRequest } from './remote-append.js';
import type { Config } from '../config.js';
import type { EventLog } from '../ports/event-log.js';
import { logProjectorMessage } from './projector.js';
import type { ProjectorMessage } from './projector.thread.js';
import { startThread, type ThreadData } from './thread.js';

export type WebhooksMessage =
  | AppendRequest
  | { type: 'publishing'; message: ProjectorMessage }
  | { type: 'failed'; what: string; error: string }
  | { type: 'attempt'; outcome: 'delivered' | 'failed'; ms: number }
  | { type: 'refused'; address: string; name: string }
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
  const file = new URL('./webhooks.thread.js', import.meta.url);
  if (endsHere(data.config)) {
    logger.warn(
      'BUS_URL is local, and publisher and dispatcher are different processes: webhooks are sent up to 2 s late, over NATS at once',
    );
  }
  const tell = (message: WebhooksMessage, post: (answer: unknown) => void) => {
    switch (message.type) {
      case 'append':
        // Never rejects: a fault is an answer.
        void answerAppend(log, message).then(post);
        return;
      case 'publishing':
        logProjectorMessage(logger, outbox.name, message.message);
        return;
      case 'failed':
        logger.error({ err: { stack: message.error } }, `${message.what} failed`);
        return;
      case 'attempt':
        metrics.attempt(message.outcome, message.ms);
        return;
      case 'refused':
        logger.warn(
          { address: message.address, name: message.name },
          'a webhook leads to an address that is not allowed',
        );
        return;
      case 'disabled':
        logger.warn({ webhook_id: message.webhook, reason: message.reason }, 'a webhook was disabled');
        metrics.disabled(message.reason);
        return;
    }
  };
  return startThread({ name: 'webhooks', file, data, tell }, logger);
}

/**
 * What is put on the bus here is taken by nobody, or nobody puts anything there: the other role is another process. What
 * it misses it takes from the read models, so nothing is wrong but the delay, which nobody would know the reason of.
 */
function endsHere(config: Config): boolean {
  const { roles } = config;
  return !busCrossesProcesses(config) && roles.includes('publisher') !== roles.includes('dispatcher');
}
