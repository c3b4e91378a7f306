/** Makes the facts of a run, as a report says them, fit for the API. */
import { limits } from '../limits.js';
import { clean, isTooLate } from './api-text.js';
import type { RunFacts, WarningCode } from './entry.js';

type Warn = (code: WarningCode, message: string) => void;

/** What the API does not take is left out with a warning, because it would refuse the whole run. */
export function fitFacts(facts: RunFacts, warn: Warn): RunFacts {
  const fit = { ...facts };
  for (const name of ['tool', 'branch', 'commit', 'ci_url', 'run_key'] as const) {
    const text = facts[name];
    if (text === undefined) continue;
    fit[name] = clean(text);
    // A cut branch is another branch, and a cut key another run.
    if (lengthOf(fit[name]) > limits.nameLength)
      leaveOut(name, `has more than ${limits.nameLength} characters`);
  }
  if (facts.label !== undefined) {
    const characters = Array.from(clean(facts.label).slice(0, 2 * (limits.nameLength + 1)));
    fit.label = characters.join('');
    if (characters.length < limits.nameLeast)
      leaveOut('label', `has less than ${limits.nameLeast} characters`);
    else if (characters.length > limits.nameLength) {
      fit.label = `${characters.slice(0, limits.nameLength - 1).join('')}…`;
      warn('cut_text', 'The name of the report is too long for a label of the run, and is cut.');
    }
  }
  for (const name of ['started_at', 'finished_at'] as const) {
    const instant = facts[name];
    if (instant === undefined || !isTooLate(instant)) continue;
    delete fit[name];
    warn('bad_time', `The time ${instant} lies in the future, and is left out.`);
  }
  if (facts.shard !== undefined && !isShard(facts.shard))
    leaveOut('shard', `is ${facts.shard.index} of ${facts.shard.total}`);
  return fit;

  function leaveOut(name: keyof RunFacts, why: string): void {
    delete fit[name];
    warn('bad_run_fact', `The ${name} of the report ${why}, and is left out.`);
  }
}

function lengthOf(text: string): number {
  return text.length > 2 * limits.nameLength ? text.length : Array.from(text).length;
}

function isShard({ index, total }: NonNullable<RunFacts['shard']>): boolean {
  const areWhole = Number.isInteger(index) && Number.isInteger(total);
  return areWhole && index >= 1 && index <= total && total <= limits.shardsPerRun;
}
