/**
 * Walks through the runs of each project in the order in which they began, as they reach the age at which retention ends the
 * contents of a kind of results, and through its artifacts in the same way. A checkpoint says how far: nothing is walked over
 * twice under one policy, however long the history is.
 */
import { artifactDocuments } from '../../projections/records/artifacts.js';
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import { putCleanupTask } from '../artifacts/cleanup-tasks.js';
import { addMilliseconds, instant } from '../clock.js';
import { putVisit } from '../commands/content-visits.js';
import type { Instant } from '../domain/event.js';
import { keptForMs, retentionOf } from '../domain/retention.js';
import type { State } from '../ports/state.js';
import type { Cursor } from '../ports/views.js';
import type { OldRuns } from '../queries/listed-runs.js';
import { everyPage } from '../queries/every-page.js';
import { kinds, type Kind } from './kept.js';
import { visitAll, type Place, type VisitDependencies, type Visited } from './visit.js';

export type Walking = VisitDependencies & { state: State };

/** What has an age: the contents of a kind of results, the place of a run in lists, or an artifact. */
const agedThings = [...kinds, 'runs', 'artifacts'] as const;
type Aged = (typeof agedThings)[number];

/** A run or an artifact. `result`: of an artifact. */
type Old = { id: string; team: string; created_at: Instant; created_position: string; result?: string };

/** How far the runs and the artifacts of a project are walked over. `policy`: under another one, it begins again. */
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
          for (const aged of agedThings) {
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
        for (const kind of kinds) await putNext(dependencies, place, visited[n], kind);
      return done;
    },
  };

  /** Walks over some runs or artifacts. Returns whether all that are due were walked over, or have to wait. */
  async function walkOn(project: ProjectDocument, aged: Aged, signal: AbortSignal): Promise<boolean> {
    const { project_id, default_branch } = project;
    const keptMs = keptForMsBy(project, aged);
    // A run that has lost its contents has lost them for good. A list shows it again, and so an artifact that is there.
    const policy = aged === 'runs' || aged === 'artifacts' ? String(keptMs) : default_branch;
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
    const items = await oldest(dependencies, aged, project_id, after);
    const due = dueOf(items, addMilliseconds(instant(clock), -keptMs));
    const passed = await end(dependencies, aged, due, signal);
    const last = due[passed - 1];
    if (last !== undefined) {
      const cursor = { value: last.created_position, id: last.id };
      await putWalks(project_id, { ...walks, [aged]: { after: cursor, policy } });
    }
    if (passed < due.length) return true;
    if (due.length === RUNS_AT_ONCE) return false;
    const next = items[due.length];
    const nextAt = next === undefined ? Infinity : Date.parse(next.created_at) + keptMs;
    rests.rest(place, `${keptMs} ${policy}`, { from: now, until: Math.min(nextAt, now + ASKED_WITHIN_MS) });
    return true;
  }

  async function walksOf(project: string): Promise<Walks> {
    return (await state.get<Walks>(KIND, project))?.value ?? {};
  }

  async function putWalks(project: string, walks: Walks): Promise<void> {
    await state.put(KIND, project, walks, { expected: 'any' });
  }
}

/** The next runs or artifacts of a project. */
async function oldest(
  { views }: Walking,
  aged: Aged,
  project_id: string,
  after: Cursor | undefined,
): Promise<Old[]> {
  const query = {
    where: { project_id },
    sort: { field: 'created_position', direction: 'ascending' },
    limit: RUNS_AT_ONCE,
    ...(after && { after }),
  } as const;
  if (aged !== 'artifacts') {
    const { items } = await views.find(runDocuments, query);
    return items.map((run) => ({ ...run, id: run.test_run_id, team: run.team_id }));
  }
  const { items } = await views.find(artifactDocuments, query);
  return items.map((one) => ({
    ...one,
    id: one.artifact_id,
    team: one.team_id,
    result: one.test_result_id,
  }));
}

/** Ends what is due. Returns how many come before the first one that has to wait. */
async function end(
  dependencies: Walking,
  aged: Aged,
  due: readonly Old[],
  signal: AbortSignal,
): Promise<number> {
  const { state, clock } = dependencies;
  if (aged === 'runs') return due.length;
  if (aged === 'artifacts') {
    // The janitor looks once more whether its time is over, and whether its run is pinned.
    const at = instant(clock);
    for (const { id: artifact, team, result } of due)
      await putCleanupTask(state, {
        at,
        since: at,
        team,
        artifact,
        what: 'expiry',
        result: result!,
        failures: 0,
      });
    return due.length;
  }
  const places = due.map(({ team, id: holder }) => ({ team, holder }));
  const visited = await visitAll(dependencies, places, signal);
  const passed = visited.includes(null) ? visited.indexOf(null) : due.length;
  for (let n = 0; n < passed; n += 1) await putNext(dependencies, places[n]!, visited[n], aged);
  return passed;
}

/** Some results of a run are recorded later than the run began. */
async function putNext(
  { state }: Walking,
  { team, holder }: Place,
  visited: Visited | null | undefined,
  kind: Kind,
): Promise<void> {
  const end = visited?.ends[kind];
  if (end !== undefined) await putVisit(state, { at: end, team, holder });
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

function dueOf(all: readonly Old[], before: Instant): readonly Old[] {
  const first = all.findIndex(({ created_at }) => created_at > before);
  return first === -1 ? all : all.slice(0, first);
}

/** Artifacts of a project that says nothing have ends of their own, at which the janitor looks. */
function keptForMsBy({ retention }: ProjectDocument, aged: Aged): number {
  if (aged === 'artifacts' && retention.artifacts === undefined) return Infinity;
  return keptForMs(retentionOf(retention, 0)[aged]);
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
