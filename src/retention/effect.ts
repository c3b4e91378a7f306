/** What a policy would free, without doing it. It looks through runs and artifacts for a limited time. */
import { artifactDocuments } from '../../projections/records/artifacts.js';
import type { ProjectDocument } from '../../projections/records/projects.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import type { components } from '../client/api.generated.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { namedBy } from '../domain/contents.js';
import type { Instant } from '../domain/event.js';
import { wholeTeam } from '../domain/teams/access.js';
import { keptForMs, retentionOf, type OwnRetention } from '../domain/retention.js';
import type { Contents } from '../ports/contents.js';
import { everyPage } from '../queries/every-page.js';
import type { TeamViews } from '../queries/team-views.js';
import { contentsEnd, kinds } from './kept.js';
import { resultsOf } from './visit.js';

type Effect = components['schemas']['RetentionEffect'];

const LOOKS_FOR_MS = 2_000;
const AT_ONCE = 50;

type Dependencies = { views: TeamViews; contents: Pick<Contents, 'read'>; clock: Clock };

/** `owner`: with the policy. `counted`: contents. */
type Look = Dependencies & {
  project: ProjectDocument;
  owner: ProjectDocument;
  now: Instant;
  effect: Effect;
  counted: Set<string>;
  isOver(): boolean;
};

/** `policy`: what the project would say itself. */
export async function effectOf(
  dependencies: Dependencies,
  project: ProjectDocument,
  policy: OwnRetention,
): Promise<Effect> {
  const until = performance.now() + LOOKS_FOR_MS;
  const effect: Effect = {
    runs: 0,
    results: 0,
    bytes: 0,
    artifacts: 0,
    artifact_bytes: 0,
    unlisted_runs: 0,
    is_whole: true,
  };
  const look: Look = {
    ...dependencies,
    project,
    owner: { ...project, retention: { ...project.retention, ...policy } },
    now: instant(dependencies.clock),
    effect,
    counted: new Set(),
    isOver: () => !(effect.is_whole &&= performance.now() <= until),
  };
  await lookAtArtifacts(look);
  await lookAtRuns(look);
  return effect;
}

async function lookAtArtifacts({ views, project, owner, now, effect, isOver }: Look): Promise<void> {
  const { artifacts: kept } = owner.retention;
  // Where the project says nothing, each artifact has an end of its own.
  const before = kept === undefined ? null : beginOf(now, keptForMs(kept));
  if (before === null) return;
  for await (const page of everyPage(views, artifactDocuments, oldestFirst(project))) {
    const old = page.filter(({ created_at, confirmed }) => confirmed && created_at <= before);
    const ids = [...new Set(old.flatMap(({ test_run_id }) => test_run_id ?? []))];
    const runs = await views.some(runDocuments, wholeTeam(project.team_id), ids);
    const pinned = new Set<string | null>(runs.filter((run) => run.pinned === true).map(idOf));
    for (const { size_bytes } of old.filter(({ test_run_id }) => !pinned.has(test_run_id))) {
      effect.artifacts += 1;
      effect.artifact_bytes += size_bytes;
    }
    if (page.some(({ created_at }) => created_at > before) || isOver()) return;
  }
}

async function lookAtRuns(look: Look): Promise<void> {
  const { views, project, owner, now, effect, isOver } = look;
  const wanted = retentionOf(owner.retention, 0);
  const contentsBefore = beginOf(now, Math.min(...kinds.map((kind) => keptForMs(wanted[kind]))));
  const listedBefore = beginOf(now, keptForMs(wanted.runs));
  // Those before it have lost their place already.
  const listedSince = beginOf(now, keptForMs(retentionOf(project.retention, 0).runs));
  const before = [contentsBefore, listedBefore]
    .filter((each) => each !== null)
    .toSorted()
    .at(-1);
  if (before === undefined) return;
  for await (const runs of everyPage(views, runDocuments, oldestFirst(project))) {
    for (const run of runs) {
      const { created_at, branch, pinned } = run;
      if (created_at > before || isOver()) return;
      const isLeaving = listedBefore !== null && created_at <= listedBefore;
      const isListed = listedSince === null || created_at > listedSince;
      const stays = pinned === true || branch === project.default_branch;
      if (isLeaving && isListed && !stays) effect.unlisted_runs += 1;
      const ended = contentsBefore !== null && created_at <= contentsBefore ? await endedIn(look, run) : 0;
      if (ended === 0) continue;
      effect.runs += 1;
      effect.results += ended;
    }
  }
}

/** How many results of a run would lose contents that are there. Adds their bytes. */
async function endedIn(
  { views, contents, owner, now, effect, counted }: Look,
  run: RunDocument,
): Promise<number> {
  const staying = new Set<string>();
  const ending: (readonly string[])[] = [];
  for await (const results of resultsOf(views, { team: owner.team_id, holder: run.test_run_id }, run)) {
    for (const result of results) {
      const end = contentsEnd(owner, run, result);
      const named = namedBy(result);
      if (end !== null && end <= now) ending.push(named);
      else for (const hash of named) staying.add(hash);
    }
  }
  const gone = new Set(ending.flat().filter((hash) => !staying.has(hash)));
  const texts = await contents.read([...gone]);
  for (const [hash, text] of texts) {
    if (!counted.has(hash)) effect.bytes += Buffer.byteLength(text);
    counted.add(hash);
  }
  return ending.filter((named) => named.some((hash) => texts.has(hash))).length;
}

/** What is older has had its time; null where nothing ever has. */
function beginOf(now: Instant, keptMs: number): Instant | null {
  return keptMs === Infinity ? null : addMilliseconds(now, -keptMs);
}

function idOf({ test_run_id }: RunDocument): string {
  return test_run_id;
}

function oldestFirst({ project_id }: ProjectDocument) {
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  return { where: { project_id }, sort, limit: AT_ONCE };
}
