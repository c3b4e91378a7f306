/** The routes for monitoring, without a key: liveness, readiness, status and metrics. */
import type { EventLog } from '../ports/event-log.js';
import type { ViewReader } from '../ports/views.js';
import { withTimeout } from '../concurrency/with-timeout.js';
import { fail } from '../errors.js';
import type { OpenRoute } from './route.js';
import type { Metrics } from './metrics.js';
import { send } from './handle-request.js';

export type Health = {
  log: EventLog;
  views: ViewReader;
  projection: string;
  version: string;
  metrics: Metrics;
  /** True once a stop has begun. */
  stopping: () => boolean;
};

const LIMIT_MS = 1_000;

export function healthRoutes({ log, views, projection, version, metrics, stopping }: Health): OpenRoute[] {
  const checkLog = shared(async () => {
    await withTimeout(LIMIT_MS, log.head(), () => fail('log_unavailable', 'The event log does not answer.'));
  });
  const check = shared(async () => {
    await checkLog();
    await withTimeout(LIMIT_MS, views.position(projection), () =>
      fail('views_unavailable', 'The read models do not answer.'),
    );
  });
  return [
    {
      path: '/v1/test/status',
      async handle(ctx) {
        await check();
        send(ctx, { status: 200, body: { status: 'ok', version } });
      },
    },
    { path: '/livez', handle: async (ctx) => send(ctx, { status: 200, body: { status: 'ok' } }) },
    {
      path: '/readyz',
      async handle(ctx) {
        if (stopping()) fail('shutting_down', 'The server is stopping.');
        // Without the views: writes do not need them, so a load balancer must go on sending them here.
        await checkLog();
        send(ctx, { status: 200, body: { status: 'ok' } });
      },
    },
    {
      path: '/metrics',
      async handle(ctx) {
        const { type, body } = await metrics.render();
        ctx.set('Content-Type', type);
        ctx.body = body;
      },
    },
  ];
}

/** Requests during a check share it, so that a flood of them asks the stores once. */
function shared(check: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= check().finally(() => (running = null)));
}
