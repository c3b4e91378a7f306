/** The records that expected messages show, as a model of the read models has them, and whom they go to. */
import { projectRecord, resultRecord, runRecord } from '../../../src/http/surface-a/records.js';
import type { ResultDocument, RunDocument } from '../../../projections/records/run-documents.js';
import type { ProjectDocument } from '../../../projections/records/projects.js';
import { keyOfEnvironment } from '../../../src/domain/environment.js';
import { noCounts } from '../../../src/domain/counts.js';
import type { LedgerEvent } from '../../../src/domain/events.js';
import { statusWords } from '../../../src/domain/results/result.js';
import { modelOf } from '../../projections/model.js';

type Views = ReadonlyMap<string, object>;

export function runAt(views: Views, id: string) {
  const run = views.get(`runs/${id}`) as RunDocument;
  // A payload has the fields that its receivers were promised.
  const { run_key: _, ...shown } = runRecord(run, run);
  return JSON.parse(JSON.stringify(shown)) as object;
}

export function projectAt(views: Views, id: string) {
  return projectRecord(views.get(`projects/${id}`) as ProjectDocument);
}

export function resultAt(views: Views, id: string) {
  const result = views.get(`results/${id}`) as ResultDocument;
  const run = result.test_run_id === null ? null : (views.get(`runs/${result.test_run_id}`) as RunDocument);
  return resultRecord(result, run?.label ?? null);
}

type Hook = {
  webhook_id: string;
  team_id: string;
  enabled: boolean;
  events: string[];
  project_ids: string[] | null;
};

export function targetsOf(
  until: readonly LedgerEvent[],
  { team, type, project }: { team: string; type: string; project: string },
): string[] {
  const views = modelOf(until.filter((event) => event.type.startsWith('Webhook')));
  return [...views]
    .filter(([key]) => key.startsWith('webhooks/'))
    .map(([, hook]) => hook as Hook)
    .filter((hook) => hook.team_id === team && hook.enabled)
    .filter(({ events }) => events.includes('*') || events.includes(type))
    .filter(({ project_ids }) => project_ids === null || project_ids.includes(project))
    .map(({ webhook_id }) => webhook_id)
    .sort();
}

export function countsAt(events: readonly LedgerEvent[], run: string) {
  const views = modelOf(events);
  const { count_snapshot } = runAt(views, run) as Record<string, unknown>;
  // In the middle of a call, its later items replace nothing yet.
  const replaced = new Set<string>();
  for (const { type, data } of events) {
    if (type !== 'ResultSubmitted' || !views.has(`results/${data.result_id}`)) continue;
    for (const id of data.replaces ?? []) replaced.add(id);
    if (data.replaced_by?.some((id) => views.has(`results/${id}`)) === true) replaced.add(data.result_id);
  }
  const counts: Record<string, number> = { ...noCounts };
  for (const [key, document] of views) {
    const { test_run_id, test_result_id, status } = document as ResultDocument;
    if (!key.startsWith('results/') || test_run_id !== run || replaced.has(test_result_id)) continue;
    counts['total']! += 1;
    counts[statusWords[status]]! += 1;
  }
  return { counts, count_snapshot };
}

/** As messages show it. */
export function lastKnownFailure(until: readonly LedgerEvent[], test_id: string): object {
  const { data, meta } = until.findLast(
    (event): event is LedgerEvent<'KnownFailureSet'> =>
      event.type === 'KnownFailureSet' && event.data.test_id === test_id,
  )!;
  const { reason, branch, environment = null, expires_at } = data;
  return { reason, branch, environment, expires_at, set_at: meta.at, actor: meta.actor };
}

/** Whether a failure is known, by the last event about the known failure of its test. */
export function isKnown(
  until: readonly LedgerEvent[],
  failure: { test_id: string; branch: string | null; environment: string; at: string },
  anywhere = false,
): boolean {
  const last = until.findLast(
    (event): event is LedgerEvent<'KnownFailureSet' | 'KnownFailureEnded'> =>
      event.type.startsWith('KnownFailure') &&
      (event.data as { test_id?: string }).test_id === failure.test_id,
  );
  if (last?.type !== 'KnownFailureSet') return false;
  const { branch, environment = null, expires_at } = last.data;
  if (failure.at >= expires_at) return false;
  return (
    anywhere ||
    ((branch === null || branch === failure.branch) &&
      (environment === null || keyOfEnvironment(environment) === failure.environment))
  );
}
