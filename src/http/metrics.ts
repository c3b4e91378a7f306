/** The measurements that Prometheus reads from `/metrics`. */
import { LRUCache } from 'lru-cache';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  request(method: string, route: string, status: number, milliseconds: number): void;
  /** Counts a request that was refused before it could be read. */
  refusedUnread(status: number): void;
  append(milliseconds: number, outcome: 'ok' | 'refused' | 'failed'): void;
  /** Counts the bytes of artifacts that were deleted from storage. */
  reclaimed(bytes: number): void;
  /** Those that this process has counted. */
  reclaimedBytes(): Promise<number>;
  artifactDeleted(reason: string): void;
  /** Counts an attempt to deliver a message to a webhook. */
  attempt(outcome: 'delivered' | 'failed', milliseconds: number): void;
  /** Counts a webhook that was disabled because of its endpoint. */
  disabled(reason: string): void;
  /** The page, and its content type. The page may be as old as `PAGE_KEPT_MS`. */
  render(): Promise<{ type: string; body: string }>;
};

export type Gauges = {
  /** Seconds by which each projection is behind. */
  lag: () => Promise<Record<string, number>>;
  /** How many partitions of each projection are stuck at an event that cannot be folded. */
  stuck: () => Promise<Record<string, number>>;
  /** Seconds since the oldest message without deliveries; the number of pending deliveries. */
  backlog: { outbox: () => Promise<number>; deliveries: () => Promise<number> };
};

/** Anyone may ask for the page, and rendering it takes some milliseconds, so it is rendered up to four times a second. */
const PAGE_KEPT_MS = 250;
/** Counting the pending deliveries costs MongoDB a scan of an index, of up to 100,000 entries. */
const COUNT_KEPT_MS = 10_000;

export function createMetrics({ lag, stuck, backlog }: Gauges): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addByProjection(registry, LAG, lag);
  addByProjection(registry, STUCK, stuck);
  addBacklog(registry, { ...backlog, deliveries: keptFor(COUNT_KEPT_MS, backlog.deliveries) });
  const page = keptFor(PAGE_KEPT_MS, () => registry.metrics());
  return {
    request: requestMetrics(registry),
    refusedUnread: refusalMetrics(registry),
    append: appendMetrics(registry),
    ...artifactMetrics(registry),
    ...webhookMetrics(registry),
    render: async () => ({ type: registry.contentType, body: await page() }),
  };
}

/** Shares a result among all calls until it is this old. An error is given to the calls that wait for it, and not kept. */
function keptFor<T extends string | number>(ms: number, work: () => Promise<T>): () => Promise<T> {
  const kept = new LRUCache<'only', T>({ max: 1, ttl: ms, fetchMethod: work });
  return () => kept.forceFetch('only');
}

function requestMetrics(registry: Registry): Metrics['request'] {
  const requests = new Histogram({
    name: 'testledger_http_request_seconds',
    help: 'Requests answered, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const known = new Map<string, { observe(seconds: number): void }>();
  return (method, route, status, ms) => {
    const name = `${method} ${route} ${status}`;
    let series = known.get(name);
    // The map stays small: an unknown path counts under `none`, so names come from routes, methods and statuses.
    if (series === undefined) known.set(name, (series = requests.labels(method, route, String(status))));
    series.observe(ms / 1_000);
  };
}

function refusalMetrics(registry: Registry): Metrics['refusedUnread'] {
  const refused = new Counter({
    name: 'testledger_http_refused_unread_total',
    help: 'Requests refused before they could be read (malformed, too slow, too large headers), by status',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return (status) => refused.inc({ status: String(status) });
}

function appendMetrics(registry: Registry): Metrics['append'] {
  const appends = new Histogram({
    name: 'testledger_append_seconds',
    help: 'Appends to the event log, until they were durable',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'testledger_append_failures_total',
    help: 'Appends that were refused (another revision) or failed (the log)',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return (ms, outcome) => {
    if (outcome === 'ok') appends.observe(ms / 1_000);
    else failures.inc({ outcome });
  };
}

const LAG = {
  name: 'testledger_projection_lag_seconds',
  help: 'Age of the oldest event that a projection has not applied; 0 when it has applied all',
};
const STUCK = {
  name: 'testledger_projection_stuck_partitions',
  help: 'Partitions of a projection that have stopped before an event which cannot be folded',
};

function addByProjection(
  registry: Registry,
  gauge: { name: string; help: string },
  read: () => Promise<Record<string, number>>,
): void {
  new Gauge({
    ...gauge,
    labelNames: ['projection'] as const,
    registers: [registry],
    async collect() {
      // An unavailable store must not take the whole page with it: that is when people read it.
      const values = await read().catch(() => ({}));
      this.reset();
      for (const [projection, each] of Object.entries(values)) this.set({ projection }, each);
    },
  });
}

function addBacklog(registry: Registry, { outbox, deliveries }: Gauges['backlog']): void {
  const add = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // No figure while the store is unavailable: the one before would be taken for true.
        this.set(await read().catch(() => NaN));
      },
    });
  add(
    'testledger_webhook_deliveries_pending',
    'Deliveries that are neither delivered nor given up',
    deliveries,
  );
  add(
    'testledger_webhook_backlog_seconds',
    'Age of the oldest message of which no delivery is recorded; 0 when there is none',
    outbox,
  );
}

function artifactMetrics(
  registry: Registry,
): Pick<Metrics, 'reclaimed' | 'reclaimedBytes' | 'artifactDeleted'> {
  const reclaimed = new Counter({
    name: 'testledger_artifact_bytes_reclaimed_total',
    help: 'Bytes of artifacts that were deleted from storage',
    registers: [registry],
  });
  const deleted = new Counter({
    name: 'testledger_artifacts_deleted_total',
    help: 'Artifacts that were deleted, by reason, as the janitor has seen them in the log',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  return {
    reclaimed: (bytes) => reclaimed.inc(bytes),
    reclaimedBytes: async () => (await reclaimed.get()).values[0]?.value ?? 0,
    artifactDeleted: (reason) => deleted.inc({ reason }),
  };
}

function webhookMetrics(registry: Registry): Pick<Metrics, 'attempt' | 'disabled'> {
  const attempts = new Histogram({
    name: 'testledger_webhook_attempt_seconds',
    help: 'Attempts to deliver a message to a webhook, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  const disabled = new Counter({
    name: 'testledger_webhooks_disabled_total',
    help: 'Webhooks that were disabled because their endpoint was gone or failed for days',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  return {
    attempt: (outcome, ms) => attempts.observe({ outcome }, ms / 1_000),
    disabled: (reason) => disabled.inc({ reason }),
  };
}
