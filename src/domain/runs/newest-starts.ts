import { groupedBy } from '../grouped-by.js';

/** A run as CI made it: the name of its job, and which start of the job it is of, are in its metadata. */
export type RunOfJob = {
  id: string;
  environment_key: string;
  metadata: Record<string, unknown> | null;
};

/**
 * Of a job that was started again, the runs of its newest start, as far as it is sure which they are: those of one start stand
 * beside each other, because the legs of a matrix may share the name of their job. So a start with fewer runs than another one
 * replaces none. `runs`: the newest first.
 */
export function newestStarts<Run extends RunOfJob>(runs: readonly Run[]): Run[] {
  const jobs = groupedBy(runs, (run) =>
    isOfJob(run) ? JSON.stringify([run.metadata?.['job'], run.environment_key]) : run.id,
  );
  const replaced = new Set<Run>();
  for (const job of jobs.values()) {
    const starts = [...groupedBy(job, ({ metadata }) => metadata?.['job_start']).values()];
    const [newest, ...earlier] = starts;
    if (earlier.every(({ length }) => length <= newest!.length))
      for (const run of earlier.flat()) replaced.add(run);
  }
  return runs.filter((run) => !replaced.has(run));
}

export function isOfJob({ metadata }: RunOfJob): boolean {
  return typeof metadata?.['job'] === 'string';
}
