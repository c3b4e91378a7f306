/** Metrics for an app without read models and without webhooks. */
import { createMetrics, type Metrics } from '../../../src/http/metrics.js';

export function idleMetrics(): Metrics {
  return createMetrics({
    lag: async () => ({}),
    stuck: async () => ({}),
    backlog: { outbox: async () => 0, deliveries: async () => 0 },
  });
}
