/** The stores of the main thread, and what every role needs: the command handler, metrics, the holder of leases. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { isLogInFiles, openDeliveries, openForApi, useWriter } from '../adapters/open.js';
import type { OnStop } from '../adapters/adapter.js';
import { systemClock as clock } from '../clock.js';
import { openCommandHandler, type CommandHandler } from '../commands/command-handler.js';
import { firstStart } from '../commands/teams.js';
import { unshared } from '../concurrency/shared-points.js';
import type { Config } from '../config.js';
import type { Instant } from '../domain/event.js';
import { createMetrics, type Gauges, type Metrics } from '../http/metrics.js';
import type { Holder } from '../leases/lease.js';
import { openFeed } from '../log/feed.js';
import { measuredLog } from '../log/measured-log.js';
import { validatedLog } from '../log/validated-log.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import { secretKeysOf } from '../adapters/files/secret-key.js';
import { isAppError } from '../errors.js';
import { refuseOtherKeys } from '../secret-key/sealed-with.js';
import { readStuck } from '../projecting/stuck.js';
import { lagSeconds } from '../projecting/lag.js';
import { refuseViewsOfOtherLog } from '../projecting/refuse-other-log.js';
import { outboxLag } from '../webhooks/outbox/outgoing.js';
import { openOtherServers } from './other-servers.js';

export type Core = Awaited<ReturnType<typeof openCore>>;

/** This process, as the page of operations shows it. */
export type ProcessFacts = {
  started_at: Instant;
  memory_bytes: number;
  /** The bytes of artifacts that were deleted since the start. */
  reclaimed_bytes: number;
};

/** Opens the stores. @throws Error when one cannot be opened. */
export async function openCore(config: Config, logger: Logger, onStop: OnStop) {
  const report = (err: unknown) => logger.error({ err }, 'a store failed');
  useWriter({ died: report });
  const notice = (text: string) => logger.warn(text);
  const {
    log: opened,
    storedLog,
    views,
    historyViews,
    state,
    contents,
    masks,
  } = await openForApi(config, onStop, report, notice);
  await refuseOtherKeysOf(config, state, notice);
  if (isLogInFiles(config)) {
    // As stored: the last event may be of a newer program, which `opened` refuses to read.
    await refuseViewsOfOtherLog(openFeed(storedLog), [
      { views, name: records.name },
      { views: historyViews, name: history.name },
    ]);
  }
  const deliveries = await openDeliveries(config);
  onStop(() => deliveries.close());
  const gauges: Gauges = {
    lag: async () => ({
      [records.name]: await lagSeconds(opened, views, records.name, clock),
      [history.name]: await lagSeconds(opened, historyViews, history.name, clock),
    }),
    stuck: async () => ({
      [records.name]: (await readStuck(state, records.name)).length,
      [history.name]: (await readStuck(state, history.name)).length,
    }),
    backlog: {
      outbox: () => outboxLag(state, historyViews, clock),
      deliveries: () => deliveries.pending(),
    },
  };
  const metrics: Metrics = createMetrics(gauges);
  const facts = async (): Promise<ProcessFacts> => ({
    started_at: new Date(clock().getTime() - process.uptime() * 1_000).toISOString(),
    memory_bytes: process.memoryUsage.rss(),
    reclaimed_bytes: await metrics.reclaimedBytes(),
  });
  const log: EventLog = measuredLog(config.validateEvents ? validatedLog(opened) : opened, metrics.append);
  const commands: CommandHandler = openCommandHandler(log);
  const points = config.roles.includes('api') ? await openOtherServers(config, onStop, report) : null;
  return {
    config,
    log,
    storedLog,
    commands,
    views,
    /** The views of the history. */
    historyViews,
    state,
    contents,
    masks,
    deliveries,
    holder: { boot: randomUUID(), alone: state.singleServer } satisfies Holder,
    metrics,
    facts,
    /** The allowances, shared with the other servers where there is a way to them. */
    points: points ?? (() => unshared),
    /** Logs a fault that no caller can receive. */
    report,
    /** Logs what an operator should know, and what is no fault of the server. */
    notice,
    onStop,
    /** Makes the first team in an empty log, with the key that the operator has chosen. */
    async recordFirstStart(): Promise<void> {
      const isFirst = await firstStart(log, commands, clock, config.bootstrapApiKey);
      if (!isFirst && config.bootstrapApiKey !== null) {
        logger.warn('BOOTSTRAP_API_KEY is ignored: the log is not empty');
      }
    },
  };
}

/** @throws Error as `refuseOtherKeys` does. A state that is away stops no start: the next one looks. */
async function refuseOtherKeysOf(
  config: Config,
  state: State,
  notice: (text: string) => void,
): Promise<void> {
  try {
    await refuseOtherKeys(state, await secretKeysOf(config));
  } catch (error) {
    if (!isAppError(error, 'state_unavailable')) throw error;
    notice('the state is away: whether SECRET_KEY is that of the state is not known');
  }
}
