/** Keeps a thread running: one that dies is reported and started again. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Holder } from '../leases/lease.js';
import { reasonOf } from '../errors.js';

export type ThreadData = { config: Config; holder: Holder };

/** What a thread tells of a fault: an error crosses as its text. */
export type Failed = { type: 'failed'; error: string; retryInMs: number };

export function textOf(error: unknown): string {
  return error instanceof Error ? `${reasonOf(error)}\n${error.stack ?? ''}` : String(error);
}

type Thread<Message> = {
  /** For messages of the log. */
  name: string;
  file: URL;
  data: ThreadData;
  /** `post` answers the thread that told it. */
  tell: (message: Message, post: (answer: unknown) => void) => void;
};

const AGAIN_AFTER_MS = 1_000;

/** Starts the thread; answers its stop, which waits for its end. */
export function startThread<Message>(
  { name, file, data, tell }: Thread<Message>,
  logger: Logger,
): () => Promise<void> {
  const stopping = new AbortController();
  let worker: Worker | null = null;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const started = new Worker(file, {
        // A holder of its own: the thread that died must not keep the next from its leases.
        workerData: { ...data, holder: { ...data.holder, boot: randomUUID() } },
        // Each thread has a young generation of its own, which grows to three times 16 MiB where nobody says otherwise.
        resourceLimits: { maxYoungGenerationSizeMb: 12 },
      });
      worker = started;
      started.on('message', (message: Message) => tell(message, (answer) => started.postMessage(answer)));
      const ended = new Promise<void>((resolve) => started.once('exit', () => resolve()));
      started.on('error', (err) => logger.error({ err }, `the thread of the ${name} died`));
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
