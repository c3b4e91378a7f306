/** The role `projector`: a thread of its own. */
import type { Logger } from 'pino';
import { ledgerViews } from '../../projections/index.js';
import type { ProjectorMessage } from './projector.thread.js';
import { startThread, type ThreadData } from './thread.js';

/** Starts the thread; answers its stop, which waits for the commit under way. */
export function startProjector(data: ThreadData, logger: Logger): () => Promise<void> {
  const file = new URL('./projector.thread.js', import.meta.url);
  const tell = (message: ProjectorMessage) => logProjectorMessage(logger, ledgerViews.name, message);
  return startThread({ name: 'projector', file, data, tell }, logger);
}

export function logProjectorMessage(logger: Logger, projection: string, message: ProjectorMessage): void {
  switch (message.type) {
    case 'failed':
      logger.error(
        { projection, retry_in_ms: message.retryInMs, err: { stack: message.error } },
        'projecting failed',
      );
      return;
    case 'rebuilding':
      logger.info({ projection, build: message.build }, 'rebuilding the views beside the live ones');
      return;
    case 'rebuilt':
      logger.info({ projection, build: message.build }, 'the views are rebuilt and live');
      return;
  }
}
