/** What a policy would free, without doing it. It looks through runs for a limited time. */
import type { ProjectDocument } from '../../projections/records/projects.js';
import { runDocuments } from '../../projections/records/run-documents.js';
import { addMilliseconds, instant, type Clock } from '../clock.js';
import { namedBy } from '../domain/contents.js';
import { keptForMs, retentionOf, type OwnRetention } from '../domain/retention.js';
import type { Contents } from '../ports/contents.js';
import { everyPage } from '../queries/every-page.js';
import type { TeamViews } from '../queries/team-views.js';
import { contentsEnd, kinds } from './kept.js';
import { resultsOf } from './visit.js';

/** `is_whole`: all runs were looked through. Otherwise it is more. */
export type Effect = { runs: number; results: number; bytes: number; is_whole: boolean };

const LOOKS_FOR_MS = 2_000;

/** `policy`: what the project would say itself. */
export async function effectOf(
  { views, contents, clock }: { views: TeamViews; contents: Pick<Contents, 'read'>; clock: Clock },
  project: ProjectDocument,
  policy: OwnRetention,
): Promise<Effect> {
  const { project_id, team_id: team } = project;
  const until = performance.now() + LOOKS_FOR_MS;
  const now = instant(clock);
  const owner = { ...project, retention: { ...project.retention, ...policy } };
  const wanted = retentionOf(owner.retention, 0);
  const shortest = Math.min(...kinds.map((kind) => keptForMs(wanted[kind])));
  const effect: Effect = { runs: 0, results: 0, bytes: 0, is_whole: true };
  if (shortest === Infinity) return effect;
  const before = addMilliseconds(now, -shortest);
  const counted = new Set<string>();
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  for await (const runs of everyPage(views, runDocuments, { where: { project_id }, sort, limit: 50 })) {
    for (const run of runs) {
      if (run.created_at > before) return effect;
      if (performance.now() > until) return { ...effect, is_whole: false };
      const results = await endedIn(run);
      if (results === 0) continue;
      effect.runs += 1;
      effect.results += results;
    }
  }
  return effect;

  /** How many results of a run would lose contents that are there. Adds their bytes. */
  async function endedIn(run: Parameters<typeof resultsOf>[2] & object): Promise<number> {
    const staying = new Set<string>();
    const ending: (readonly string[])[] = [];
    for await (const results of resultsOf(views, { team, holder: run.test_run_id }, run)) {
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
}
