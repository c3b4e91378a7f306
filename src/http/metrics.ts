/** What Prometheus reads from `/metrics`. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  request(method: string, route: string, status: number, milliseconds: number): void;
  append(milliseconds: number, outcome: 'ok' | 'refused' | 'failed'): void;
  /** Bytes of artifacts that were deleted from storage. */
  reclaimed(bytes: number): void;
  artifactDeleted(reason: string): void;
  /** An attempt to deliver a message to a webhook. */
  attempt(outcome: 'delivered' | 'failed', milliseconds: number): void;
  /** A webhook that was disabled because of its endpoint. */
  disabled(reason: string): void;
  /** The page, and its content type. */
  render(): Promise<{ type: string; body: string }>;
};

export type Gauges = {
  /** Seconds by which each projection is behind. */
  lag: () => Promise<Record<string, number>>;
  /** Seconds since the oldest message without deliveries; how many deliveries are pending. */
  backlog: { publication: () => Promise<number>; deliveries: () => Promise<number> };
};

export function createMetrics({ lag, backlog }: Gauges): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'testledger_http_request_seconds',
    help: 'Requests answered, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const appends = new Histogram({
    name: 'testledger_append_seconds',
    help: 'Appends to the event log, until they were durable',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1],
    registers,
  });
  const failures = new Counter({
    name: 'testledger_append_failures_total',
    help: 'Appends that were refused (another revision) or failed (the log)',
    labelNames: ['outcome'] as const,
    registers,
  });
  new Gauge({
    name: 'testledger_projection_lag_seconds',
    help: 'Age of the oldest event that a projection has not applied; 0 when it has applied all',
    labelNames: ['projection'] as const,
    registers,
    async collect() {
      // A store that is away must not take the whole page with it: that is when it is read.
      const seconds = await lag().catch(() => ({}));
      this.reset();
      for (const [projection, each] of Object.entries(seconds)) this.set({ projection }, each);
    },
  });
  const reclaimed = new Counter({
    name: 'testledger_artifact_bytes_reclaimed_total',
    help: 'Bytes of artifacts that were deleted from storage',
    registers,
  });
  const deleted = new Counter({
    name: 'testledger_artifacts_deleted_total',
    help: 'Artifacts that are gone, by reason, as the janitor has seen them in the log',
    labelNames: ['reason'] as const,
    registers,
  });
  // A store that is away leaves the gauge without a figure: the one before would be taken for true.
  const asked = (name: string, help: string, figure: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await figure().catch(() => NaN));
      },
    });
  asked(
    'testledger_webhook_deliveries_pending',
    'Deliveries that are neither delivered nor given up',
    backlog.deliveries,
  );
  asked(
    'testledger_webhook_backlog_seconds',
    'Age of the oldest message of which no delivery is recorded; 0 when there is none',
    backlog.publication,
  );
  const attempts = new Histogram({
    name: 'testledger_webhook_attempt_seconds',
    help: 'Attempts to deliver a message to a webhook, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  });
  const disabled = new Counter({
    name: 'testledger_webhooks_disabled_total',
    help: 'Webhooks that were disabled because their endpoint was gone or failed for days',
    labelNames: ['reason'] as const,
    registers,
  });
  const known = new Map<string, { observe(seconds: number): void }>();
  return {
    request(method, route, status, ms) {
      const name = `${method} ${route} ${status}`;
      let series = known.get(name);
      // There are as many as routes, methods and statuses: a path that is not there counts under `none`.
      if (series === undefined) known.set(name, (series = requests.labels(method, route, String(status))));
      series.observe(ms / 1_000);
    },
    append(ms, outcome) {
      if (outcome === 'ok') appends.observe(ms / 1_000);
      else failures.inc({ outcome });
    },
    reclaimed: (bytes) => reclaimed.inc(bytes),
    artifactDeleted: (reason) => deleted.inc({ reason }),
    attempt: (outcome, ms) => attempts.observe({ outcome }, ms / 1_000),
    disabled: (reason) => disabled.inc({ reason }),
    render: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}
