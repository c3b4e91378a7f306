/** What the page of operations shows: read from the stores when somebody opens it. */
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { describeStore } from '../adapters/open.js';
import { storageBytes } from '../adapters/storage-bytes.js';
import { instant, systemClock as clock } from '../clock.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import type { Operations, ProjectionFacts } from '../dashboard/server-facts.js';
import { ALL_PARTITIONS } from '../domain/partition.js';
import type { ProjectionSpec } from '../domain/projection.js';
import { readLeases } from '../leases/read-leases.js';
import type { ViewReader } from '../ports/views.js';
import { lagSeconds } from '../projecting/lag.js';
import { readRebuild } from '../projecting/rebuild.js';
import { readStuck } from '../projecting/stuck.js';
import { version } from '../version.js';
import { outboxLag } from '../webhooks/outbox/outgoing.js';
import type { Core } from './core.js';

/** A store that does not answer leaves its part out: that is when people look at the page. */
const LIMIT_MS = 2_000;
const orNull = <T>(work: Promise<T>): Promise<T | null> =>
  withTimeout(LIMIT_MS, work, () => null).catch(() => null);

export async function readOperations(core: Core): Promise<Operations> {
  const { config, log, views, historyViews, state, deliveries } = core;
  const specs = [
    [records, views],
    [history, historyViews],
  ] as const;
  const leases = [
    ...specs.flatMap(([{ name, version }]) => [name, `${name}@${version}`]),
    'fan-out',
    'janitor',
  ];
  const [head, events, storage, projections, outboxSeconds, pending, held, facts] = await Promise.all([
    orNull(log.head()),
    orNull(log.eventCount?.() ?? Promise.resolve(null)),
    orNull(storageBytes(config)),
    Promise.all(specs.map(([spec, reader]) => projectionFacts(core, spec, reader))),
    orNull(outboxLag(state, historyViews, clock)),
    orNull(deliveries.pending()),
    orNull(readLeases(state, leases, instant(clock))),
    core.facts(),
  ]);
  return {
    process: {
      version,
      roles: config.roles,
      ...facts,
    },
    log: { place: describeStore(config.events), head, events },
    storage: storage ?? [],
    projections,
    queues: { outbox_seconds: outboxSeconds, deliveries_pending: pending },
    leases: held,
  };
}

async function projectionFacts(
  { log, state }: Core,
  { name, version }: ProjectionSpec,
  reader: ViewReader,
): Promise<ProjectionFacts> {
  const [position, checkpoints, lag, rebuild, stuck] = await Promise.all([
    orNull(reader.position(name)),
    orNull(reader.checkpoints(name)),
    orNull(lagSeconds(log, reader, name, clock)),
    orNull(readRebuild(state, name)),
    orNull(readStuck(state, name)),
  ]);
  return {
    name,
    version,
    progress:
      position === null || checkpoints === null || lag === null
        ? null
        : { position, lag_seconds: lag, checkpoints: checkpoints.length },
    rebuild: rebuild && {
      status: rebuild.status,
      build: rebuild.build,
      events: rebuild.events,
      requested_at: rebuild.requested_at,
      finished_at: rebuild.finished_at,
      error: rebuild.error,
    },
    stuck: (stuck ?? []).map(({ partitions, since, event, error }) => ({
      partitions: partitions === ALL_PARTITIONS ? 'all' : partitions,
      since,
      event: event && `${event.type} in ${event.stream}, position ${event.position}`,
      error,
    })),
  };
}
