/** The surroundings of a role in a thread: its configuration, its stop signal, and its way to the main thread. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock as clock, type Clock } from '../clock.js';
import type { Config } from '../config.js';
import { reasonOf } from '../errors.js';
import type { Holder } from '../leases/lease.js';
import { collectWhenIdle } from '../memory/collect-when-idle.js';
import { useWriter, type ConnectWriter } from '../adapters/open.js';
import { answerCalls, callsTo } from '../concurrency/thread-calls.js';
import type { Appended, EventLog } from '../ports/event-log.js';
import type { ProjectorReport } from '../projecting/leading.js';

/** Everything that a thread gets at its start. */
export type ThreadData = { config: Config; holder: Holder };

/** What a thread asks of the main thread, which logs, counts and appends for it. */
export type MainCalls = {
  /** A log in files has one writer. A log on a server takes appends from any thread. */
  append(appending: Parameters<EventLog['append']>): Promise<Appended>;
  connect: ConnectWriter;
  log(line: { level: 'info' | 'warn' | 'error'; fields: object; text: string }): void;
  attempts(made: readonly AttemptMade[]): void;
  disabled(reason: string): void;
};

/** An attempt of a delivery, for the metrics. */
export type AttemptMade = { outcome: 'delivered' | 'failed'; ms: number };

/** What the main thread asks of a thread. */
export type RoleCalls = { stop(nothing: null): void };

/** The declarations of this file need a name for the type of its signal. */
type LoopContext = { holder: Holder; clock: Clock; signal: AbortSignal };

export type RoleContext = ReturnType<typeof openRoleContext>;

/**
 * Call it once, at the start of a thread. It keeps the thread alive until `close`, and lets it collect its garbage when it is
 * idle.
 */
export function openRoleContext() {
  collectWhenIdle();
  const { config, holder } = workerData as ThreadData;
  const port = parentPort!;
  const stop = new AbortController();
  const loop: LoopContext = { holder, clock, signal: stop.signal };
  const main = callsTo<MainCalls>(port);
  answerCalls<RoleCalls>(port, { stop: () => stop.abort() });
  useWriter({ connect: (connection) => main.tell('connect', connection, [connection.port]) });
  const log = (level: 'info' | 'warn' | 'error', fields: object, text: string): void =>
    main.tell('log', { level, fields, text });
  return {
    config,
    /** For each loop of a role. */
    loop,
    /** Counts attempts, and webhooks that were disabled, for the metrics. */
    tell: main.tell,
    /** Appends in the main thread. */
    append: ((...appending) => main.call('append', appending)) satisfies EventLog['append'],
    log,
    /** Returns a function that logs an error: `<activity> failed`. */
    logFailure: (activity: string) => (error: unknown) =>
      log('error', { err: asText(error) }, `${activity} failed`),
    /** Returns a function that logs the faults and rebuilds of a projection. */
    logProjection: (projection: string) => (report: ProjectorReport) => {
      switch (report.type) {
        case 'failed': {
          const { error, retryInMs } = report;
          return log(
            'error',
            { projection, retry_in_ms: retryInMs, err: asText(error) },
            'projecting failed',
          );
        }
        case 'stuck': {
          const { partitions, event, error, retryInMs } = report;
          const fields = {
            projection,
            partitions,
            event_id: event?.id ?? null,
            event_type: event?.type ?? null,
            stream: event?.stream ?? null,
            position: event?.position ?? report.position,
            retry_in_ms: retryInMs,
            err: asText(error),
          };
          return log(
            'error',
            fields,
            'an event cannot be folded: its partition waits before it, and the others go on',
          );
        }
        case 'unstuck':
          return log('info', { projection, partitions: report.partitions }, 'the partition goes on');
        case 'spare': {
          const text =
            'a newer version of testledger has built the read models: this process does not fold them';
          return log('warn', { projection, version: report.version }, text);
        }
        case 'rebuilding':
          return log(
            'info',
            { projection, build: report.build },
            'rebuilding the views beside the live ones',
          );
        case 'rebuilt':
          return log('info', { projection, build: report.build }, 'the views are rebuilt and live');
      }
    },
    close: () => port.close(),
  };
}

/** An error that crosses to another thread loses its class and its fields; its text stays. */
function asText(error: unknown): { stack: string } {
  return { stack: error instanceof Error ? `${reasonOf(error)}\n${error.stack}` : String(error) };
}
