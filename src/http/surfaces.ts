/** The routes of both surfaces, by noun. A new file of routes is a line here. */
import type { SurfaceRoutes } from './app.js';
import type { RouteServices } from './handle-request.js';
import { answeringPast } from './as-of/as-of.js';
import { hidingUnmasked } from './hide-unmasked.js';
import type { Route } from './route.js';
import type { Sources } from './sources.js';
import { artifactRoutes } from './surface-a/artifacts.js';
import { projectReadRoutes } from './surface-a/projects.js';
import { resultRoutes } from './surface-a/results.js';
import { runRoutes } from './surface-a/runs.js';
import { auditRoutes } from './surface-b/audit.js';
import { causeRoutes } from './surface-b/causes.js';
import { comparisonRoutes } from './surface-b/runs/comparisons.js';
import { eventRoutes } from './surface-b/events.js';
import { exportRoutes } from './surface-b/exports.js';
import { failureRoutes } from './surface-b/failures.js';
import { forgottenRoutes } from './surface-b/forgetting/forgotten.js';
import { historyRoutes } from './surface-b/histories.js';
import { keyRoutes } from './surface-b/keys.js';
import { knownFailureRoutes } from './surface-b/known-failures.js';
import { overviewRoutes } from './surface-b/project-overviews.js';
import { projectRoutes } from './surface-b/projects.js';
import { purgeRoutes } from './surface-b/forgetting/purges.js';
import { retentionRoutes } from './surface-b/forgetting/retention.js';
import { badgeRoutes, linkRoutes } from './surface-b/shares.js';
import { statisticsRoutes } from './statistics/routes.js';
import { teamRoutes } from './surface-b/team.js';
import { redactionRoutes } from './surface-b/forgetting/redactions.js';
import { testResultRoutes } from './surface-b/runs/test-results.js';
import { testRunChanges } from './surface-b/runs/test-run-changes.js';
import { testRunReads } from './surface-b/runs/test-run-reads.js';
import { submissionRoutes } from './surface-b/runs/test-runs.js';
import { testRoutes } from './surface-b/tests.js';
import { teamWideRoutes } from './surface-b/team-wide.js';
import { trustRoutes } from './surface-b/trusts.js';
import { webhookRoutes } from './surface-b/webhooks.js';

type Noun = (sources: Sources) => Route[];

const surfaceA: readonly Noun[] = [projectReadRoutes, runRoutes, resultRoutes, artifactRoutes];

const surfaceB: readonly Noun[] = [
  projectRoutes,
  retentionRoutes,
  trustRoutes,
  badgeRoutes,
  overviewRoutes,
  statisticsRoutes,
  teamWideRoutes,
  submissionRoutes,
  testRunReads,
  testRunChanges,
  linkRoutes,
  testResultRoutes,
  redactionRoutes,
  purgeRoutes,
  comparisonRoutes,
  failureRoutes,
  causeRoutes,
  testRoutes,
  knownFailureRoutes,
  historyRoutes,
  eventRoutes,
  exportRoutes,
  webhookRoutes,
  keyRoutes,
  teamRoutes,
  auditRoutes,
  forgottenRoutes,
];

/** Those with routes that say of what they are (`Route.asOf`). */
const shownAsOf: readonly Noun[] = [
  testRunReads,
  testResultRoutes,
  comparisonRoutes,
  failureRoutes,
  testRoutes,
];

export function surfacesOf(sources: Sources, services: RouteServices): SurfaceRoutes[] {
  const asOf = answeringPast(sources, (past) => shownAsOf.flatMap((noun) => noun(past)));
  const routesOf = (nouns: readonly Noun[]) =>
    nouns.flatMap((noun) => noun(sources)).map((route) => hidingUnmasked(asOf(route), sources.masks));
  return [
    { base: '/v1/test', routes: routesOf(surfaceA), services },
    { base: '/v1', routes: routesOf(surfaceB), services },
  ];
}
