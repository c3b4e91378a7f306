/**
 * Walks through the results without a run, of all teams, in the order in which they began: once for each time after which a
 * project ends the contents of a kind of results. Most projects have the same.
 */
import { resultDocuments, type ResultDocument } from '../../projections/records/run-documents.js';
import type { ProjectDocument } from '../../projections/records/projects.js';
import { addMilliseconds, instant } from '../clock.js';
import { namedBy } from '../domain/contents.js';
import { keptForMs, retentionOf } from '../domain/retention.js';
import type { Cursor } from '../ports/views.js';
import { kindOf, kinds } from './kept.js';
import { ownersOf, visitAll } from './visit.js';
import type { Walking } from './walk.js';

/** How far they are walked over, by the time after which their contents end. */
type Walks = Readonly<Record<string, Cursor>>;

const KIND = 'retention';
const KEY = 'results without a run';
const RESULTS_AT_ONCE = 200;

/** `lives`: the times of all projects, in milliseconds. Returns whether all that are due were walked over. */
export async function walkLoose(
  dependencies: Walking,
  lives: ReadonlySet<number>,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { state } = dependencies;
  const stored = (await state.get<Walks>(KIND, KEY))?.value ?? {};
  const walks = new Map(Object.entries(stored).filter(([life]) => lives.has(Number(life))));
  for (const life of lives) {
    for (;;) {
      const { after, isDone } = await walkOn(dependencies, life, walks.get(String(life)), signal);
      if (after !== undefined && after !== walks.get(String(life))) {
        walks.set(String(life), after);
        await state.put(KIND, KEY, Object.fromEntries(walks), { expected: 'any' });
      }
      if (isDone) break;
      if (isOver() || signal.aborted) return false;
    }
  }
  return true;
}

/** The times after which a project ends the contents of results. */
export function livesOf({ retention }: Pick<ProjectDocument, 'retention'>): number[] {
  const policy = retentionOf(retention, 0);
  return kinds.map((kind) => keptForMs(policy[kind])).filter((ms) => ms !== Infinity);
}

async function walkOn(
  dependencies: Walking,
  life: number,
  after: Cursor | undefined,
  signal: AbortSignal,
): Promise<{ after: Cursor | undefined; isDone: boolean }> {
  const { views, clock } = dependencies;
  const { items } = await views.find(resultDocuments, {
    where: { test_run_id: null },
    sort: { field: 'created_position', direction: 'ascending' },
    limit: RESULTS_AT_ONCE,
    ...(after && { after }),
  });
  const before = addMilliseconds(instant(clock), -life);
  const first = items.findIndex(({ created_at }) => created_at > before);
  const old = first === -1 ? items : items.slice(0, first);
  const places = [];
  for (const [team, own] of byTeam(old.filter((each) => namedBy(each).length > 0))) {
    const owners = await ownersOf(views, own);
    for (const one of own) {
      const owner = owners.get(one.project_id);
      const keptMs = owner === undefined ? Infinity : keptForMs(retentionOf(owner.retention, 0)[kindOf(one)]);
      if (keptMs === life) places.push({ team, holder: one.test_result_id });
    }
  }
  const visited = await visitAll(dependencies, places, signal);
  const last = old.at(-1);
  // One that has to wait holds up the others: it is visited again with them.
  if (last === undefined || visited.includes(null)) return { after, isDone: true };
  const cursor = { value: last.created_position, id: last.test_result_id };
  return { after: cursor, isDone: old.length < RESULTS_AT_ONCE };
}

function byTeam(results: readonly ResultDocument[]): Map<string, ResultDocument[]> {
  const teams = new Map<string, ResultDocument[]>();
  for (const one of results) {
    const own = teams.get(one.team_id);
    if (own === undefined) teams.set(one.team_id, [one]);
    else own.push(one);
  }
  return teams;
}
