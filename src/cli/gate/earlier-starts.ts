/**
 * Which runs of earlier starts of a build still count. A job that "Re-run failed jobs" leaves alone has its run there. One that
 * was started again and died before it reported has one there too, and a green one must not stand for it. The runs do not
 * tell the two apart: CI does, by how the jobs ended.
 */
import type { RunOfJob } from '../../domain/runs/newest-starts.js';
import { parsed } from '../../client/read-body.js';
import { failWith } from '../errors.js';

/** `jobs` and `start`: as of `CiEnvironment`. `ended`: the jobs that ended well, by their names; null where nobody says it. */
export type Starts = { jobs: string; start: string; ended: ReadonlySet<string> | null };

export const NEEDS = 'TESTLEDGER_NEEDS';

/** The jobs of the context `needs` of GitHub that ended well; null without one. @throws CliError `usage` */
export function endedWell(needs: string | undefined): Set<string> | null {
  if (!needs) return null;
  const jobs = parsed(needs);
  if (typeof jobs !== 'object' || jobs === null || Array.isArray(jobs)) {
    failWith('usage', `${NEEDS} must be the context needs as JSON: \${{ toJSON(needs) }}`);
  }
  const names = Object.entries(jobs as Record<string, { result?: unknown } | null>);
  return new Set(names.filter(([, job]) => job?.result === 'success').map(([name]) => name));
}

/** Whether a run may be of a start that a later one of its job has replaced without a word. */
export function mayBeOutdated({ metadata }: RunOfJob, { jobs, start, ended }: Starts): boolean {
  const job = metadata?.['job'];
  if (typeof job !== 'string' || !job.startsWith(jobs) || metadata?.['job_start'] === start) return false;
  return ended?.has(job.slice(jobs.length)) !== true;
}
