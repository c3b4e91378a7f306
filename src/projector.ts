/** Keeps a projector thread running: one that dies is reported and started again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { ProjectorData, ProjectorMessage } from './projector-thread.js';

const AGAIN_AFTER_MS = 1_000;

/** Starts the thread; answers its stop, which waits for the commit under way. */
export function startProjector(data: ProjectorData, logger: Logger): () => Promise<void> {
  const stopping = new AbortController();
  let worker: Worker | null = null;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      worker = new Worker(new URL('./projector-thread.js', import.meta.url), {
        // A holder of its own: the thread that died must not keep the next from its lease.
        workerData: { ...data, holder: { ...data.holder, boot: randomUUID() } },
        // Each thread has a young generation of its own, which grows to three times 16 MiB where nobody says otherwise.
        resourceLimits: { maxYoungGenerationSizeMb: 12 },
      });
      worker.on('message', (message: ProjectorMessage) => tell(logger, message));
      const ended = new Promise<void>((resolve) => worker!.once('exit', () => resolve()));
      worker.on('error', (err) => logger.error({ err }, 'the projector thread died'));
      await ended;
      await pause(AGAIN_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return async () => {
    stopping.abort();
    worker?.postMessage('stop');
    await running;
  };
}

function tell(logger: Logger, message: ProjectorMessage): void {
  switch (message.type) {
    case 'failed':
      logger.error({ retry_in_ms: message.retryInMs, err: { stack: message.error } }, 'projecting failed');
      return;
    case 'rebuilding':
      logger.info({ build: message.build }, 'rebuilding the views beside the live ones');
      return;
    case 'rebuilt':
      logger.info({ build: message.build }, 'the views are rebuilt and live');
      return;
  }
}
