/** The measurements that Prometheus reads from `/metrics`. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  request(method: string, route: string, status: number, milliseconds: number): void;
  append(milliseconds: number, outcome: 'ok' | 'refused' | 'failed'): void;
  /** Counts the bytes of artifacts that were deleted from storage. */
  reclaimed(bytes: number): void;
  artifactDeleted(reason: string): void;
  /** Counts an attempt to deliver a message to a webhook. */
  attempt(outcome: 'delivered' | 'failed', milliseconds: number): void;
  /** Counts a webhook that was disabled because of its endpoint. */
  disabled(reason: string): void;
  /** The page, and its content type. */
  render(): Promise<{ type: string; body: string }>;
};

export type Gauges = {
  /** Seconds by which each projection is behind. */
  lag: () => Promise<Record<string, number>>;
  /** Seconds since the oldest message without deliveries; the number of pending deliveries. */
  backlog: { outbox: () => Promise<number>; deliveries: () => Promise<number> };
};

export function createMetrics({ lag, backlog }: Gauges): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addLag(registry, lag);
  addBacklog(registry, backlog);
  return {
    request: requestMetrics(registry),
    append: appendMetrics(registry),
    ...artifactMetrics(registry),
    ...webhookMetrics(registry),
    render: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
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

function addLag(registry: Registry, lag: Gauges['lag']): void {
  new Gauge({
    name: 'testledger_projection_lag_seconds',
    help: 'Age of the oldest event that a projection has not applied; 0 when it has applied all',
    labelNames: ['projection'] as const,
    registers: [registry],
    async collect() {
      // An unavailable store must not take the whole page with it: that is when people read it.
      const seconds = await lag().catch(() => ({}));
      this.reset();
      for (const [projection, each] of Object.entries(seconds)) this.set({ projection }, each);
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

function artifactMetrics(registry: Registry): Pick<Metrics, 'reclaimed' | 'artifactDeleted'> {
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
