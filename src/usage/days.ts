/**
 * What each project took on each of the last days, as one process notes it once a day. An entry of State for each project: its
 * growth is then a difference, and nobody walks a history for it.
 */
import { dayOf } from '../domain/instant.js';
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import { instant } from '../clock.js';
import type { Instant } from '../domain/event.js';
import type { Holder } from '../leases/lease.js';
import { startRounds } from '../leases/start-leading.js';
import type { State } from '../ports/state.js';
import { everyPage } from '../queries/every-page.js';
import { amountsOf, type Amount, type Taken, type UsageParts } from './amounts.js';

/** `at`: when it was noted. */
export type Day = { at: Instant; taken: Taken };

const KIND = 'usage';
const EVERY_MS = 60_000;
/** One more than the 30 over which growth is told: the first one is from before them. */
const DAYS_KEPT = 32;
const PROJECTS_AT_ONCE = 100;

export type DaysOptions = UsageParts & {
  state: State;
  holder: Holder;
  /** Receives every fault. The next round tries again. */
  report: (error: unknown) => void;
};

/** Looks each minute whether a new day has begun, while this process leads. Returns the function that stops it. */
export function startNotingDays(options: DaysOptions): () => Promise<void> {
  const { state, holder, clock, report } = options;
  const leading = { name: 'usage', state, holder, clock, report };
  return startRounds(leading, EVERY_MS, () => openDays(options));
}

/** Returns the function that does one round. */
export function openDays(parts: UsageParts): (signal?: AbortSignal) => Promise<void> {
  const { views, clock } = parts;
  let noted = '';
  return async (signal = new AbortController().signal) => {
    const today = dayOf(instant(clock));
    if (noted === today) return;
    const sort = { field: 'created_position', direction: 'ascending' } as const;
    const query = { where: {}, sort, limit: PROJECTS_AT_ONCE };
    for await (const projects of everyPage(views, projectDocuments, query)) {
      for (const project of projects) await note(parts, project);
      if (signal.aborted) return;
    }
    noted = today;
  };
}

export async function readDays(
  state: Pick<State, 'get'>,
  { project_id }: Pick<ProjectDocument, 'project_id'>,
): Promise<readonly Day[]> {
  return (await state.get<Day[]>(KIND, project_id))?.value ?? [];
}

/** A day that is noted stays as it is. */
async function note(parts: UsageParts, project: ProjectDocument): Promise<void> {
  const at = instant(parts.clock);
  const days = await readDays(parts.state, project);
  if (days.some((day) => dayOf(day.at) === dayOf(at))) return;
  const [{ taken }] = (await amountsOf(parts, [project])) as [Amount];
  const next = [...days, { at, taken }].slice(-DAYS_KEPT);
  await parts.state.put(KIND, project.project_id, next, { expected: 'any' });
}
