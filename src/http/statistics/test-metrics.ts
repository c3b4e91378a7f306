/**
 * What is counted of tests, for Prometheus (`TEST_METRICS=on`): of the last days, by project, environment and owner, as far as the
 * key may see. All are gauges, because a correction can lower what was counted.
 */
import { everyTest } from '../../queries/tests/listed-tests.js';
import { LRUCache } from 'lru-cache';
import { Gauge, Registry } from 'prom-client';
import { laterDay } from '../../domain/statistics/days.js';
import type { Totals } from '../../domain/statistics/totals.js';
import type { KeyEntry } from '../../keys/api-keys.js';
import { findProjects } from '../../queries/projects.js';
import { openStatistics, type Window } from '../../queries/statistics/statistics.js';
import type { SurfaceRoutes } from '../app.js';
import type { RouteServices } from '../handle-request.js';
import type { Sources } from '../sources.js';

const DAYS = 7;
/** So many series there are at most of each metric: the first projects, and of each the environments and owners with most. */
const [PROJECTS, ENVIRONMENTS, OWNERS] = [100, 20, 20];
/** The tests of a project that are looked at for its owners: those that lost most time. */
const TESTS = 100;
/** A page costs some reads for each project. */
const KEPT_MS = 60_000;

export function testMetricsSurface(sources: Sources, services: RouteServices): SurfaceRoutes {
  const { log, views, tests, historyViews } = sources;
  const statistics = openStatistics(historyViews);
  const pages = new LRUCache<string, Promise<string>>({ max: 100, ttl: KEPT_MS });

  async function render(key: KeyEntry, at: string): Promise<string> {
    const to = at.slice(0, 10);
    const window = { from: laterDay(to, 1 - DAYS), to };
    const { registry, count, owned } = openGauges();
    const { items } = await findProjects(views, key, { status: 'Active', limit: PROJECTS });
    for (const { project_id, name: project } of items) {
      const found = [...(await statistics.byEnvironment(project_id, window))];
      const most = found.sort(([, one], [, other]) => other.tests - one.tests).slice(0, ENVIRONMENTS);
      for (const [environment, totals] of most) count({ project, project_id, environment }, totals);
      for (const [owner, sums] of await ownersOf(key, project_id, window))
        owned({ project, project_id, owner }, sums);
    }
    return registry.metrics();
  }

  async function ownersOf(key: KeyEntry, project: string, window: Window): Promise<[string, Owned][]> {
    const sorting = { ...window, sort: 'lost', order: 'desc', ...everyTest } as const;
    const asked = { ...sorting, branch_class: undefined, branch: undefined, environment: undefined };
    const { items } = await tests.listSorted(key, project, asked, { offset: 0, limit: TESTS });
    const owners = new Map<string, Owned>();
    for (const { owner, failures, flaky_runs, lost_ms } of items) {
      const own = owners.get(owner ?? '') ?? { failures: 0, flaky_runs: 0, lost_ms: 0 };
      own.failures += failures;
      own.flaky_runs += flaky_runs;
      own.lost_ms += lost_ms;
      owners.set(owner ?? '', own);
    }
    return [...owners].sort(([, one], [, other]) => other.lost_ms - one.lost_ms).slice(0, OWNERS);
  }

  return {
    base: '/metrics',
    services,
    routes: [
      {
        method: 'GET',
        path: '/tests',
        operation: {
          id: 'getTestMetrics',
          summary: 'Shows what is counted of tests for Prometheus',
          answers: { 200: { media: ['text/plain'] } },
        },
        role: 'viewer',
        async handle({ key, context, waitFor }) {
          const isCurrent = await waitFor('records', 'history');
          // A page may show what was forgotten since: a name, an environment or an owner.
          const page = `${key.key_id} ${await log.forgotten?.()}`;
          const kept = pages.get(page) ?? render(key, context.at);
          if (isCurrent) pages.set(page, kept, { ttl: pages.getRemainingTTL(page) || KEPT_MS });
          kept.catch(() => pages.delete(page));
          return { status: 200, type: 'text/plain', body: await kept };
        },
      },
    ],
  };
}

type Owned = { failures: number; flaky_runs: number; lost_ms: number };

function openGauges() {
  const registry = new Registry();
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({
      name: `testledger_${name}`,
      help: `${help}, of the last ${DAYS} days`,
      labelNames: ['project', 'project_id', ...labelNames],
      registers: [registry],
    });
  const runs = gauge('runs', 'Completed runs by outcome', 'environment', 'outcome');
  const results = gauge('results', 'Results of completed runs by status', 'environment', 'status');
  const tests = gauge('tests', 'Tests that ran', 'environment');
  const durations = gauge('run_duration_seconds', 'Duration of runs', 'environment', 'quantile');
  const failures = gauge('new_failures', 'New failures', 'environment');
  const flaky = gauge('flaky_results', 'Results that were flaky', 'environment');
  const lost = gauge('lost_seconds', 'Time of failures that were no fault of the commit', 'environment');
  const byOwner = {
    failures: gauge('owner_failures', 'Runs in which tests failed that lost most time', 'owner'),
    flaky_runs: gauge('owner_flaky_runs', 'Runs in which these tests were flaky', 'owner'),
    lost_ms: gauge('owner_lost_seconds', 'Time that these tests lost', 'owner'),
  };
  return {
    registry,
    count(of: { project: string; project_id: string; environment: string }, totals: Totals): void {
      for (const [outcome, value] of Object.entries(totals.runs)) runs.set({ ...of, outcome }, value);
      for (const [status, value] of Object.entries(totals.results)) results.set({ ...of, status }, value);
      tests.set(of, totals.tests);
      for (const [quantile, ms] of [
        ['0.5', totals.duration_ms.p50],
        ['0.95', totals.duration_ms.p95],
      ] as const)
        if (ms !== null) durations.set({ ...of, quantile }, ms / 1_000);
      failures.set(of, totals.new_failures);
      flaky.set(of, totals.flaky_tests);
      lost.set(of, totals.lost_ms / 1_000);
    },
    owned(of: { project: string; project_id: string; owner: string }, sums: Owned): void {
      byOwner.failures.set(of, sums.failures);
      byOwner.flaky_runs.set(of, sums.flaky_runs);
      byOwner.lost_ms.set(of, sums.lost_ms / 1_000);
    },
  };
}
