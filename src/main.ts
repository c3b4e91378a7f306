/**
 * The program: `node dist/src/main.js`. Everything that starts is stopped in the reverse order.
 *
 * | Role         | Thread      | Work                                                                  |
 * | ------------ | ----------- | --------------------------------------------------------------------- |
 * | `api`        | main        | answers HTTP, completes idle runs, deletes artifacts (`roles/api.ts`) |
 * |              | `bulk`      | reads large submissions, from the first one on (`roles/bulk.ts`)      |
 * | `projector`  | `projector` | folds the log into the read models (`roles/projector.thread.ts`)      |
 * | `publisher`  | `webhooks`  | folds the log into the outbox and publishes it (`roles/publisher.ts`) |
 * | `dispatcher` | `webhooks`  | delivers messages to webhooks (`roles/dispatcher.ts`)                 |
 *
 * With `HTTP_WORKERS` above 1, other processes answer HTTP instead (`http-worker.ts`).
 *
 * Every process listens, whatever its roles: health and metrics need none.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { OnStop } from './adapters/open.js';
import type { Config } from './config.js';
import { onThisMachine } from './http/origin.js';
import { runProcess } from './process.js';
import { openCore, type Core } from './roles/core.js';
import { openRoleThreads } from './roles/threads.js';

export type Program = {
  url: string;
  /** Every route, as `METHOD /path`. */
  routes: readonly string[];
  /** Stops everything within 10 s. @throws AggregateError the faults, after everything else is closed. */
  stop(): Promise<void>;
};

/** Shows secrets to the operator. They are shown once, and never logged. */
export type Show = {
  /** Called as soon as the first key is recorded, because it exists even if the start fails after that. */
  firstKey(key: string): void;
  /** Called while the operator's team has no owner: the page at this URL makes its first owner. */
  firstStart(url: string): void;
};

/** Starts the configured roles. @throws Error that says why it cannot start. */
export async function startProgram(
  config: Config,
  logger: Logger,
  show: Show | null = null,
): Promise<Program> {
  const { onStop, stop } = openStopList();
  try {
    const answers = config.roles.includes('api') && config.httpWorkers > 1 ? startWorkers : startHere;
    // The modules of HTTP load while the threads of the stores start.
    const [core] = await Promise.all([
      openCore(config, logger, onStop),
      ...(answers === startHere ? [import('./roles/api.js'), import('./roles/http.js')] : []),
    ]);
    await core.recordFirstStart((key) => show?.firstKey(key));
    const threads = openRoleThreads({ ...core, logger });
    onStop(threads.stop);
    const http = await answers(core, logger, show !== null);
    onStop(http.stop);
    // The threads would take the processor from this one until it listens.
    threads.start();
    const token = await http.firstStart();
    if (token !== null)
      show?.firstStart(`${config.publicUrl ?? onThisMachine(http.url)}/first-start/${token}`);
    return { url: http.url, routes: http.routes, stop };
  } catch (error) {
    await stop().catch((err: unknown) => logger.error({ err }, 'closing after a failed start failed'));
    throw error;
  }
}

type Http = Pick<Program, 'url' | 'routes' | 'stop'> & { firstStart(): Promise<string | null> };

/** Answers HTTP in this process. */
async function startHere(core: Core, logger: Logger, makesFirstStart: boolean): Promise<Http> {
  const [{ openApi }, { startHttp }] = await Promise.all([
    import('./roles/api.js'),
    import('./roles/http.js'),
  ]);
  const api = core.config.roles.includes('api') ? await openApi(core) : null;
  const http = await startHttp(core, api, logger);
  const firstStart = async () => (makesFirstStart && api !== null ? api.newFirstStart() : null);
  return { ...http, firstStart };
}

/** Answers HTTP in processes of their own. */
async function startWorkers(core: Core, logger: Logger, makesFirstStart: boolean): Promise<Http> {
  const [{ openBackgroundWork }, { startHttpWorkers }] = await Promise.all([
    import('./roles/background.js'),
    import('./roles/http-workers/start.js'),
  ]);
  await openBackgroundWork(core);
  const { url, routes, firstStart, stop } = await startHttpWorkers(core, { makesFirstStart, logger });
  return { url, routes, stop, firstStart: async () => firstStart };
}

/** Takes what has to be closed, and closes it last in, first out. */
function openStopList(): { onStop: OnStop; stop: () => Promise<void> } {
  const closing: (() => Promise<void> | void)[] = [];
  return {
    onStop: (close) => void closing.push(close),
    async stop() {
      const faults: unknown[] = [];
      for (const close of closing.splice(0).toReversed()) {
        // One that fails must not keep the others open: the lock of the folder is the last.
        await Promise.resolve()
          .then(close)
          .catch((error: unknown) => void faults.push(error));
      }
      if (faults.length > 0) throw new AggregateError(faults, 'not everything could be closed');
    },
  };
}

// Tests and the command line import this module without starting it.
const entry = process.argv[1];
if (entry !== undefined && realpathSync(entry) === fileURLToPath(import.meta.url))
  await runProcess(startProgram);
