/** The threads of the roles: one table, and a supervisor that starts a thread again when it dies. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { Logger } from 'pino';
import { connectToWriter } from '../adapters/open.js';
import { answerCalls, callsTo, type Caller } from '../concurrency/thread-calls.js';
import type { Config } from '../config.js';
import { programFolder } from '../folders.js';
import type { Holder } from '../leases/lease.js';
import type { EventLog } from '../ports/event-log.js';
import type { MainCalls, RoleCalls, ThreadData } from './role-context.js';

type ThreadRow = { file: string; limits: ResourceLimits };

/** Each thread has a young generation of its own, which would grow to 48 MiB without a limit. */
const maxYoungGenerationSizeMb = 12;

/**
 * Every thread that a role runs in, beside the main thread, which answers HTTP for the role `api`. Stores in files add one
 * that writes them. Their calls: `role-context.ts` for the first two, those of the others in their own files.
 */
const threads = {
  projector: { file: 'roles/projector.thread.js', limits: { maxYoungGenerationSizeMb } },
  webhooks: { file: 'roles/webhooks.thread.js', limits: { maxYoungGenerationSizeMb } },
  // The role starts it with the first submission (`bulk.ts`). It has room for four of 32 MiB, packed, and for garbage.
  bulk: {
    file: 'roles/bulk.thread.js',
    limits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb: 256 },
  },
  // The role starts it with the first question about the past (`pasts.ts`).
  pasts: {
    file: 'roles/pasts.thread.js',
    limits: { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 768 },
  },
} as const satisfies Record<string, ThreadRow>;

/** Starts a thread of the table, once. */
export function spawnThread(
  name: keyof typeof threads,
  {
    workerData = null,
    limits = threads[name].limits,
  }: { workerData?: unknown; limits?: ResourceLimits } = {},
): Worker {
  const url = new URL(threads[name].file, programFolder);
  return new Worker(url, { name, workerData, resourceLimits: limits });
}

export type RoleThreads = {
  start(name: 'projector' | 'webhooks'): void;
  /** Stops the threads, last first, and waits for each: a commit or an attempt under way ends before. */
  stop(): Promise<void>;
};

export type ThreadMetrics = {
  attempt(outcome: 'delivered' | 'failed', ms: number): void;
  disabled(reason: string): void;
};

export type RoleThreadsOptions = {
  config: Config;
  holder: Holder;
  /** Takes the appends of the threads: a log in files has one writer. */
  log: Pick<EventLog, 'append'>;
  metrics: ThreadMetrics;
  logger: Logger;
};

/** The threads of the roles, none of which is started yet. */
export function openRoleThreads({ config, holder, log, metrics, logger }: RoleThreadsOptions): RoleThreads {
  if (isSplit(config)) {
    logger.warn(
      'BUS_URL is not set, and publisher and dispatcher are different processes: webhooks are sent up to 2 s late, over NATS at once',
    );
  }
  const answers: MainCalls = {
    append: (appending) => log.append(...appending),
    connect: connectToWriter,
    log: ({ level, fields, text }) => logger[level](fields, text),
    attempts(made) {
      for (const { outcome, ms } of made) metrics.attempt(outcome, ms);
    },
    disabled: metrics.disabled,
  };
  const running: (() => Promise<void>)[] = [];
  return {
    start: (name) => void running.push(supervise(name, { config, holder }, logger, answers)),
    async stop() {
      for (const stop of running.toReversed()) await stop();
    },
  };
}

const RESTART_AFTER_MS = 1_000;

/** Keeps a thread running, and returns its stop. A thread that dies is logged and started again. */
function supervise(
  name: keyof typeof threads,
  data: ThreadData,
  logger: Logger,
  answers: MainCalls,
): () => Promise<void> {
  const stopping = new AbortController();
  let role: Caller<RoleCalls> | null = null;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // A holder of its own: otherwise the leases of the thread that died would keep the next one waiting.
      const holder = { ...data.holder, boot: randomUUID() };
      const started = spawnThread(name, { workerData: { ...data, holder } });
      answerCalls(started, answers);
      role = callsTo<RoleCalls>(started);
      started.on('error', (err) => logger.error({ err }, `the thread ${name} died`));
      await new Promise<void>((resolve) => started.once('exit', () => resolve()));
      await pause(RESTART_AFTER_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const ended = run();
  return async () => {
    stopping.abort();
    role?.tell('stop', null);
    await ended;
  };
}

/**
 * Whether no commit of the history wakes the dispatcher. Nothing is lost then, because the fan-out also looks by itself; but
 * webhooks are late, and an operator should know why.
 */
function isSplit({ bus, roles }: Config): boolean {
  return bus === null && roles.includes('publisher') !== roles.includes('dispatcher');
}
