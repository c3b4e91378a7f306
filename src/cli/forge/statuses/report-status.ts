/** Shows a run at its commit: as a check, as a status, or as a status where a check is refused. */
import { ForgeError } from '../forge-request.js';
import type { RunFacts } from '../../summary/facts.js';
import { SUMMARY_BYTES, summarize } from '../../summary/summary.js';
import { annotationsOfCheck, statusOf, type CommitStatus, type Statuses } from './statuses.js';

export type Reported = { kind: 'check' | 'status'; name: string; state: CommitStatus['state'] };

/** `warn`: where a check was asked for, and there is a status in its place. @throws ForgeError */
export async function reportStatus(
  statuses: Statuses,
  facts: RunFacts,
  { status, check, warn }: { status: boolean; check: boolean; warn: (text: string) => void },
): Promise<Reported> {
  const shown = statusOf(facts);
  if (shown === null) throw new ForgeError('the run has no commit');
  const { name, state } = shown;
  const isChecked = check && (await isCheckMade(statuses, facts, shown, warn));
  if (status || !isChecked) await statuses.set(shown);
  return { kind: isChecked ? 'check' : 'status', name, state };
}

async function isCheckMade(
  statuses: Statuses,
  facts: RunFacts,
  shown: CommitStatus,
  warn: (text: string) => void,
): Promise<boolean> {
  const inPlace = 'a commit status is set in its place';
  if (statuses.check === null) {
    warn(`this forge has no checks: ${inPlace}`);
    return false;
  }
  try {
    await statuses.check({
      ...shown,
      run: facts.run.id,
      summary: summarize(facts, 'github', SUMMARY_BYTES),
      annotations: annotationsOfCheck(facts.newFailures),
    });
    return true;
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    warn(`there is no check: ${error.message} So ${inPlace}.`);
    return false;
  }
}
