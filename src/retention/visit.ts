/**
 * Visits runs, and results without one: releases each content that nobody names any more whose contents are kept
 * (docs/decisions/041). A result keeps its contents until it is marked or deleted, or their time is over.
 */
import { BODY_ITEMS } from '../../projections/records/result-packs.js';
import { projectDocuments, type ProjectDocument } from '../../projections/records/projects.js';
import {
  resultDocuments,
  runDocuments,
  type ResultDocument,
  type RunDocument,
} from '../../projections/records/run-documents.js';
import { instant, type Clock } from '../clock.js';
import { sleep } from '../concurrency/sleep.js';
import { namedBy } from '../domain/contents.js';
import type { Instant } from '../domain/event.js';
import { wholeTeam } from '../domain/teams/access.js';
import { isId } from '../domain/ids.js';
import type { Contents } from '../ports/contents.js';
import type { Freshness } from '../projecting/freshness.js';
import { pageOfResults } from '../queries/results/results-page.js';
import { submissionsOf } from '../queries/results/submissions-of-run.js';
import type { TeamViews } from '../queries/team-views.js';
import { contentsEnd, kindOf, type Kind } from './kept.js';

export type VisitDependencies = {
  /** Of the records. */
  views: TeamViews;
  freshness: Freshness;
  contents: Pick<Contents, 'question' | 'release' | 'marked'>;
  clock: Clock;
  /** The longest time from the keeping of contents until their event is in the log: 0 where one transaction does both. */
  settlesInMs: number;
};

/** A run, or a result without one. */
export type Place = { team: string; holder: string };

/** `ends`: for each kind of results, when the next contents end that this place still names. */
export type Visited = { bytes: number; contents: number; ends: Readonly<Partial<Record<Kind, Instant>>> };

/**
 * Visits some places. Null for one that cannot be visited now, because the views are behind or a submission is arriving.
 *
 * The order makes it safe beside appends: what is held is put in question first, then the views reach the end of the log, and
 * then they say what is named. An append before the question is seen by the views; one after it keeps its contents again, which
 * ends the question.
 */
export async function visitAll(
  dependencies: VisitDependencies,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<(Visited | null)[]> {
  const visited: (Visited | null)[] = [];
  while (visited.length < places.length) {
    const asked: (Asked | null)[] = [];
    let held = 0;
    for (const place of places.slice(visited.length)) {
      const rest = restAfter(signal);
      const one = signal.aborted ? null : await ask(dependencies, place);
      asked.push(one);
      held += one?.held ?? 0;
      await rest();
      if (held > HELD_AT_ONCE) break;
    }
    if (dependencies.settlesInMs > 0 && held > 0) await sleep(dependencies.settlesInMs, signal);
    for (const one of asked)
      visited.push(one === null || signal.aborted ? null : await answer(dependencies, one, signal));
  }
  return visited;
}

/** Their hashes are in memory from the question to the answer: 50 of the largest runs would take 100 MB. */
const HELD_AT_ONCE = 20_000;

type Questioned = { holder: string; id: string; hashes: readonly string[] };
type Asked = Place & { questions: readonly Questioned[]; held: number };

const NOTHING: Visited = { bytes: 0, contents: 0, ends: {} };

/** The views say which submissions a run has. One that they do not show yet is not in question. */
async function ask(dependencies: VisitDependencies, place: Place): Promise<Asked | null> {
  const { views, freshness, contents } = dependencies;
  const { team, holder: own } = place;
  if ((await freshness(team)) > 0) return null;
  const holders = new Set([own]);
  if (isId('run', own)) {
    const run = await runAt(views, place);
    // Its first submission is arriving, or it was purged with all that it held.
    if (run === null) return { ...place, questions: [], held: 0 };
    if (run.arriving !== undefined) return null;
    if (run.items > 0) for (const id of await submissionsOf(views, own)) holders.add(id);
  }
  const questions: Questioned[] = [];
  let held = 0;
  for (const holder of holders) {
    const { id, hashes } = await contents.question(holder);
    held += hashes.length;
    if (hashes.length > 0) questions.push({ holder, id, hashes });
  }
  return { ...place, questions, held };
}

async function answer(
  dependencies: VisitDependencies,
  asked: Asked,
  signal: AbortSignal,
): Promise<Visited | null> {
  const { freshness, contents } = dependencies;
  if (asked.questions.length === 0) return NOTHING;
  if ((await freshness(asked.team)) > 0) return null;
  const named = await namedIn(dependencies, asked, signal);
  if (named === null) return null;
  const visited = { bytes: 0, contents: 0, ends: named.ends };
  for (const { holder, id, hashes } of asked.questions) {
    const gone = hashes.filter((hash) => !named.hashes.has(hash));
    for (let from = 0; from < gone.length; from += RELEASED_AT_ONCE) {
      const rest = restAfter(signal);
      const released = await contents.release(holder, gone.slice(from, from + RELEASED_AT_ONCE), id);
      visited.bytes += released.bytes;
      visited.contents += released.contents;
      await rest();
    }
  }
  return visited;
}

/** Appends wait for a release in the same file. */
const RELEASED_AT_ONCE = 50;
/** Requests of all teams share the threads with the visits, which take a quarter of their time. */
const RESTS = 3;
const LONGEST_REST_MS = 100;

/** Returns the function that rests, by how long the work took since. */
function restAfter(signal: AbortSignal): () => Promise<void> {
  const began = performance.now();
  return () => sleep(Math.min(LONGEST_REST_MS, RESTS * (performance.now() - began)), signal);
}

type NamedIn = { hashes: ReadonlySet<string>; ends: Partial<Record<Kind, Instant>> };

/** What the results of a place name whose contents are kept. Null where a part of them is not there yet. */
async function namedIn(
  dependencies: VisitDependencies,
  place: Place,
  signal: AbortSignal,
): Promise<NamedIn | null> {
  const { views, contents, clock } = dependencies;
  const isRun = isId('run', place.holder);
  const run = isRun ? await runAt(views, place) : null;
  if (isRun && (run === null || run.arriving !== undefined)) return null;
  const now = instant(clock);
  const hashes = new Set<string>();
  const ends: NamedIn['ends'] = {};
  let rest = restAfter(signal);
  for await (const results of resultsOf(views, place, run)) {
    // A part of them would not say what the others name.
    if (signal.aborted) return null;
    const naming = results.filter((result) => namedBy(result).length > 0);
    const marks = await contents.marked(naming.map(({ test_result_id }) => test_result_id));
    const owners = await ownersOf(views, naming);
    for (const result of naming) {
      if (marks.has(result.test_result_id)) continue;
      const owner = owners.get(result.project_id);
      const end = owner === undefined ? null : contentsEnd(owner, run, result);
      if (end !== null && end <= now) continue;
      for (const hash of namedBy(result)) hashes.add(hash);
      const kind = kindOf(result);
      if (end !== null && end < (ends[kind] ?? '~')) ends[kind] = end;
    }
    await rest();
    rest = restAfter(signal);
  }
  return { hashes, ends };
}

/** One body of a pack. */
const PAGE = BODY_ITEMS;

/** All results of a place, a page at a time, as the views have them. `run`: null for a result without one. */
export async function* resultsOf(
  views: TeamViews,
  { team, holder }: Place,
  run: RunDocument | null,
): AsyncGenerator<readonly ResultDocument[], void> {
  if (run === null) return yield views.some(resultDocuments, wholeTeam(team), [holder]);
  const { counts, replaced = 0 } = run;
  for (let after: Parameters<typeof pageOfResults>[2]['after'] | null; after !== null;) {
    const page = await pageOfResults(views, run, { limit: PAGE, ...(after && { after }) }, () =>
      Promise.resolve(counts.total + replaced),
    );
    yield page.items;
    after = page.next;
  }
}

export async function ownersOf(
  views: TeamViews,
  results: readonly Pick<ResultDocument, 'team_id' | 'project_id'>[],
): Promise<ReadonlyMap<string, ProjectDocument>> {
  const [first] = results;
  if (first === undefined) return new Map();
  const ids = [...new Set(results.map(({ project_id }) => project_id))];
  const found = await views.some(projectDocuments, wholeTeam(first.team_id), ids);
  return new Map(found.map((project) => [project.project_id, project]));
}

async function runAt(views: TeamViews, { team, holder }: Place): Promise<RunDocument | null> {
  return (await views.some(runDocuments, wholeTeam(team), [holder]))[0] ?? null;
}
