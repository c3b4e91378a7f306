/** How many bytes projects take, and how much more than 30 days before. */
import type { ProjectDocument } from '../../projections/records/projects.js';
import { addDays, instant } from '../clock.js';
import type { Instant } from '../domain/event.js';
import { amountsOf, type Amount, type Taken, type UsageParts } from './amounts.js';
import { readDays, type Day } from './days.js';

/** `grown`: since `since`, which is 30 days ago, or later where the project is younger or was not looked at then. */
export type Usage = Amount & { project: ProjectDocument; grown: Taken; since: Instant };

const GROWN_DAYS = 30;

const nothing: Taken = { verdicts: 0, contents: 0, artifacts: 0 };

export async function usageOf(parts: UsageParts, projects: readonly ProjectDocument[]): Promise<Usage[]> {
  const from = addDays(instant(parts.clock), -GROWN_DAYS);
  const [amounts, days] = await Promise.all([
    amountsOf(parts, projects),
    Promise.all(projects.map((project) => readDays(parts.state, project))),
  ]);
  return projects.map((project, n) => {
    const amount = amounts[n]!;
    const { at: since, taken: before } = beginOf(project, days[n]!, from, amount.taken);
    const { verdicts, contents, artifacts } = amount.taken;
    const grown = {
      verdicts: verdicts - before.verdicts,
      contents: contents - before.contents,
      artifacts: artifacts - before.artifacts,
    };
    return { project, ...amount, grown, since };
  });
}

/** What a project took at the beginning of the time. */
function beginOf({ created_at }: ProjectDocument, days: readonly Day[], from: Instant, now: Taken): Day {
  const before = days.findLast(({ at }) => at <= from);
  if (before !== undefined) return before;
  if (created_at >= from) return { at: created_at, taken: nothing };
  // Nobody has looked so early.
  return days[0] ?? { at: from, taken: now };
}
