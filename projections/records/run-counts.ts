/** How a result changes the counts of its run: a superseded result is out of one count, a replaced result out of both. */
import {
  countsAfter,
  outcomeOf,
  sumOf,
  type CountedEvent,
  type Counts,
  type Outcome,
} from '../../src/domain/counts.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { Instant } from '../../src/domain/event.js';
import { latest } from '../../src/domain/instant.js';
import type { ResultStatus } from '../../src/domain/results/result.js';

/** The fields of a run that its results change. */
export type CountedRun = {
  counts: Counts;
  /** The counts without superseded results. */
  standing: Counts;
  outcome: Outcome;
  created_at: string;
  /** When the run or one of its results last changed. */
  active_at: string;
  /** It changed a day or more after it began: retention may have visited it before. Absent until then. */
  late?: 'yes';
  /** The number of its results that are replaced: they are listed, but not counted. Absent if there are none. */
  replaced?: number;
};

/** What a result is superseded and replaced by. */
export type Place = { superseded_by: string | null; replaced_by?: readonly string[] };

const DAY_MS = 86_400_000;

/** Whether something changed a day or more after it began. No retention is shorter. */
function isLate({ created_at }: { created_at: Instant }, at: Instant): boolean {
  // Parsing takes longer than comparing, and nearly everything changes on its first day.
  if (at.slice(0, 10) === created_at.slice(0, 10)) return false;
  return Date.parse(at) - Date.parse(created_at) >= DAY_MS;
}

/** When a run was last active, after an event of it or of one of its results. */
export function activity(
  present: Pick<CountedRun, 'created_at' | 'active_at'>,
  at: Instant,
): Pick<CountedRun, 'active_at' | 'late'> {
  // A request that is resumed has the instant of its first try, so the later of the two instants counts.
  const active_at = latest(present.active_at, at);
  return isLate(present, at) ? { active_at, late: 'yes' } : { active_at };
}

/** Whether a result is left out of all counts: a higher attempt of its shard has one of its test. */
export function isReplaced({ replaced_by = [] }: Place): boolean {
  return replaced_by.length > 0;
}

/** The fields of a run that an event of one of its results changes. `place`: the result as it was; null if it stands. */
export function countedFields(
  present: CountedRun,
  event: LedgerEvent<CountedEvent>,
  place: Place | null,
): Partial<CountedRun> {
  const active = activity(present, event.meta.at);
  if (place !== null && isReplaced(place)) return active;
  const counts = countsAfter(present.counts, event);
  // In nearly every run nothing is superseded, so both counts are the same object.
  const same = present.standing.total === present.counts.total;
  const superseded = place !== null && place.superseded_by !== null;
  const standing = superseded ? present.standing : same ? counts : countsAfter(present.standing, event);
  return { counts, standing, outcome: outcomeOf(standing), ...active };
}

/** What items add: to the counts, to those without superseded results, and to the number of replaced ones. */
export type AddedItems = { counts: Counts; standing: Counts; replaced: number };

/** The run with more items. */
export function withItems<R extends CountedRun>(present: R, items: AddedItems, at: Instant): R {
  const { replaced = 0 } = present;
  const [counts, standing] = [sumOf(present.counts, items.counts), sumOf(present.standing, items.standing)];
  const next = { ...present, counts, standing, outcome: outcomeOf(standing) };
  Object.assign(next, activity(present, at));
  if (replaced + items.replaced > 0) next.replaced = replaced + items.replaced;
  return next;
}

/** The run after one of its results begins or ceases to be replaced. */
export function recounted<R extends CountedRun>(
  present: R,
  { status, superseded_by }: Place & { status: ResultStatus },
  change: (counts: Counts, status: ResultStatus) => Counts,
): R {
  const standing = superseded_by === null ? change(present.standing, status) : present.standing;
  return { ...present, counts: change(present.counts, status), standing, outcome: outcomeOf(standing) };
}

/** The run with one more or one less replaced result. */
export function withReplaced<R extends CountedRun>(present: R, more: 1 | -1): R {
  const { replaced: before = 0, ...rest } = present;
  const replaced = before + more;
  return (replaced === 0 ? rest : { ...rest, replaced }) as R;
}
