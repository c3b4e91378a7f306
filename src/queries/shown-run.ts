/** A run, as far as a list over all projects shows it. */
import type { RunDocument } from '../../projections/records/run-documents.js';
import type { components } from '../client/api.generated.js';
import { ranAt } from '../domain/instant.js';
import { titleOfRun } from '../domain/runs/run-title.js';
import { understoodRun } from '../domain/understood.js';

export type ShownRun = components['schemas']['TodayRun'];

export function shownRun(run: RunDocument): ShownRun {
  const { branch, commit, actor, tool, environment_key } = understoodRun(run.metadata);
  const { test_run_id: id } = run;
  return {
    id,
    title: titleOfRun({ ...run, id }),
    branch,
    commit,
    actor,
    tool,
    environment_key,
    at: ranAt(run),
  };
}
