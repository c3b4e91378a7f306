/**
 * Walks through the runs of each project in the order in which they began, as they reach the age at which retention ends the
 * contents of a kind of results. A checkpoint says how far: no run is walked over twice, however long the history is.
 */
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import { addMilliseconds, instant } from '../clock.js';
import { putVisit } from '../commands/content-visits.js';
import type { Instant } from '../domain/event.js';
import { keptForMs, retentionOf } from '../domain/retention.js';
import type { State } from '../ports/state.js';
import type { Cursor } from '../ports/views.js';
import type { Stored } from '../projecting/typed-views.js';
import type { OldRuns } from '../queries/listed-runs.js';
import { everyPage } from '../queries/every-page.js';
import { kinds, type Kind } from './kept.js';
import { visitAll, type Place, type VisitDependencies, type Visited } from './visit.js';

export type Walking = VisitDependencies & { state: State };

/** What has an age: the contents of a kind of results, or the place of a run in lists. */
type Aged = Kind | 'runs';

/** How far the runs of a project are walked over. `policy`: under another one, it begins again. */
type Walks = Partial<Record<Aged, { after: Cursor; policy: string }>>;

const KIND = 'retention';
const RUNS_AT_ONCE = 50;
/** A project in which nothing becomes due sooner is not asked for its runs. */
const ASKED_WITHIN_MS = 600_000;

export type Walk = {
  /** Walks until the time is up. Returns whether it is done for now. */
  round(isOver: () => boolean, signal: AbortSignal): Promise<boolean>;
  /** Visits places out of turn. Returns those that were visited. */
  visit<P extends Place>(places: readonly P[], signal: AbortSignal): Promise<P[]>;
};

export function openWalk(dependencies: Walking): Walk {
  const { views, state, clock } = dependencies;
  const rests = openRests();

  return {
    async round(isOver, signal) {
      for await (const projects of allProjects(views)) {
        for (const project of projects) {
          for (const aged of [...kinds, 'runs'] as const) {
            while (!(await walkOn(project, aged, signal))) if (isOver() || signal.aborted) return false;
          }
        }
      }
      return true;
    },
    async visit(places, signal) {
      const visited = await visitAll(dependencies, places, signal);
      const done = places.filter((_, n) => visited[n] != null);
      for (const [n, place] of places.entries())
        for (const kind of kinds) await putNext(place, visited[n], kind);
      return done;
    },
  };

  /** Walks over some runs. Returns whether all that are due were walked over, or have to wait. */
  async function walkOn(project: ProjectDocument, aged: Aged, signal: AbortSignal): Promise<boolean> {
    const { project_id, default_branch } = project;
    const keptMs = keptForMs(retentionOf(project.retention, 0)[aged]);
    // A run that has lost its contents has lost them for good, and a list shows it again.
    const policy = aged === 'runs' ? String(keptMs) : default_branch;
    const place = `${project_id} ${aged}`;
    const now = clock().getTime();
    if (rests.isResting(place, `${keptMs} ${policy}`, now)) return true;
    const walks = await walksOf(project_id);
    if (keptMs === Infinity) {
      // A policy that comes back begins again: what was late meanwhile was not noted.
      const { [aged]: gone, ...others } = walks;
      if (gone !== undefined) await putWalks(project_id, others);
      rests.rest(place, `${keptMs} ${policy}`, { from: now, until: Infinity });
      return true;
    }
    const walk = walks[aged];
    const after = walk?.policy === policy ? walk.after : undefined;
    const { items } = await views.find(runDocuments, {
      where: { project_id },
      sort: { field: 'created_position', direction: 'ascending' },
      limit: RUNS_AT_ONCE,
      ...(after && { after }),
    });
    const due = dueOf(items, addMilliseconds(instant(clock), -keptMs));
    const places = due.map(({ team_id: team, test_run_id: holder }) => ({ team, holder }));
    const visited = aged === 'runs' ? [] : await visitAll(dependencies, places, signal);
    const passed = visited.includes(null) ? visited.indexOf(null) : due.length;
    if (aged !== 'runs') for (let n = 0; n < passed; n += 1) await putNext(places[n]!, visited[n], aged);
    const last = due[passed - 1];
    if (last !== undefined) {
      const cursor = { value: last.created_position, id: last.test_run_id };
      await putWalks(project_id, { ...walks, [aged]: { after: cursor, policy } });
    }
    if (passed < due.length) return true;
    if (due.length === RUNS_AT_ONCE) return false;
    const next = items[due.length];
    const nextAt = next === undefined ? Infinity : Date.parse(next.created_at) + keptMs;
    rests.rest(place, `${keptMs} ${policy}`, { from: now, until: Math.min(nextAt, now + ASKED_WITHIN_MS) });
    return true;
  }

  /** Some results of a run are recorded later than the run began. */
  async function putNext(
    { team, holder }: Place,
    visited: Visited | null | undefined,
    kind: Kind,
  ): Promise<void> {
    const end = visited?.ends[kind];
    if (end !== undefined) await putVisit(state, { at: end, team, holder });
  }

  async function walksOf(project: string): Promise<Walks> {
    return (await state.get<Walks>(KIND, project))?.value ?? {};
  }

  async function putWalks(project: string, walks: Walks): Promise<void> {
    await state.put(KIND, project, walks, { expected: 'any' });
  }
}

/** The runs that have lost their place in lists. Null where there are none. */
export async function oldRunsOf(
  state: Pick<State, 'get'>,
  { project_id, retention, default_branch }: ProjectDocument,
): Promise<OldRuns | null> {
  if (retention.runs == null) return null;
  const until = (await state.get<Walks>(KIND, project_id))?.value.runs?.after.value;
  return until == null ? null : { until: String(until), defaultBranch: default_branch };
}

function allProjects(views: VisitDependencies['views']) {
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  return everyPage(views, projectDocuments, { where: {}, sort, limit: 100 });
}

function dueOf(runs: readonly Stored<RunDocument>[], before: Instant): Stored<RunDocument>[] {
  const first = runs.findIndex(({ created_at }) => created_at > before);
  return first === -1 ? [...runs] : runs.slice(0, first);
}

/** Until when a place has nothing to do under a policy. A clock that was set back ends a rest. */
function openRests() {
  const rests = new Map<string, { policy: string; from: number; until: number }>();
  return {
    isResting(place: string, policy: string, now: number): boolean {
      const rest = rests.get(place);
      return rest !== undefined && rest.policy === policy && rest.from <= now && now < rest.until;
    },
    rest(place: string, policy: string, times: { from: number; until: number }): void {
      rests.set(place, { policy, ...times });
    },
  };
}
