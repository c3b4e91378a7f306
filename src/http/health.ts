/** The routes for monitoring, without a key: liveness, readiness, status and metrics. */
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { fail } from '../errors.js';
import type { OpenRoute } from './route.js';
import type { Metrics } from './metrics.js';
import { send } from './handle-request.js';
import { compress } from './protocol/compression.js';

export type Health = {
  log: EventLog;
  views: ViewReader;
  projection: string;
  version: string;
  metrics: Metrics;
  /** The number of partitions of read models whose lanes are stuck at an event. */
  stuck: () => Promise<number>;
  /** True once a stop has begun. */
  stopping: () => boolean;
};

const LIMIT_MS = 1_000;

export function healthRoutes({
  log,
  views,
  projection,
  version,
  metrics,
  stuck,
  stopping,
}: Health): OpenRoute[] {
  const checkLog = shared(async () => {
    await withTimeout(LIMIT_MS, log.head(), () => fail('log_unavailable', 'The event log does not answer.'));
  });
  const check = shared(async () => {
    await checkLog();
    await withTimeout(LIMIT_MS, views.position(projection), () =>
      fail('views_unavailable', 'The read models do not answer.'),
    );
  });
  // A server whose State is away is ready: the log shows whether it can write.
  const checkStuck = shared(() => withTimeout(LIMIT_MS, stuck(), () => 0).catch(() => 0));
  return [
    {
      path: '/v1/test/status',
      operation: {
        id: 'getStatus',
        summary: 'Shows whether the event log and the read models answer',
        answers: { 200: 'Status' },
        errors: ['log_unavailable', 'views_unavailable'],
      },
      async handle(ctx) {
        await check();
        send(ctx, { status: 200, body: { status: 'ok', version } });
      },
    },
    {
      path: '/livez',
      operation: { id: 'getLiveness', summary: 'Shows that the process runs', answers: { 200: 'Liveness' } },
      async handle(ctx) {
        send(ctx, { status: 200, body: { status: 'ok' } });
      },
    },
    {
      path: '/readyz',
      operation: {
        id: 'getReadiness',
        summary: 'Shows whether the server can take writes',
        answers: { 200: 'Readiness' },
        errors: ['log_unavailable', 'shutting_down'],
      },
      async handle(ctx) {
        if (stopping()) fail('shutting_down', 'The server is stopping.');
        // Without the views: writes do not need them, so a load balancer must go on sending them here.
        await checkLog();
        const found = await checkStuck();
        // Anybody may ask: what is stuck, and at which event, is for the command line and Operations.
        const body = found === 0 ? { status: 'ok' } : { status: 'degraded', stuck: found };
        send(ctx, { status: 200, body });
      },
    },
    {
      path: '/metrics',
      operation: {
        id: 'getMetrics',
        summary: 'Shows the metrics for Prometheus',
        answers: { 200: { media: ['text/plain'] } },
      },
      async handle(ctx) {
        const { type, body } = await metrics.render();
        ctx.set('Content-Type', type);
        ctx.body = body;
        await compress(ctx);
      },
    },
  ];
}

/** Requests during a check share it, so that a flood of them asks the stores once. */
function shared<T>(check: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => (running ??= check().finally(() => (running = null)));
}
