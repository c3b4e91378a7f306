/** A run, as far as a list over all projects shows it. */
import type { RunDocument } from '../../projections/records/run-documents.js';
import type { Instant } from '../domain/event.js';
import { ranAt } from '../domain/instant.js';
import { titleOfRun } from '../domain/runs/run-title.js';
import { understoodRun } from '../domain/understood.js';

export type ShownRun = {
  id: string;
  title: string;
  branch: string | null;
  commit: string | null;
  actor: string | null;
  tool: string | null;
  environment_key: string;
  at: Instant;
};

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
