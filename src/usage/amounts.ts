/**
 * How many bytes projects take now. Contents and artifacts are counted where they are kept. The bytes of verdicts are an
 * estimate: their number times what one takes in the benchmark.
 */
import type { ProjectDocument } from '../../projections/records/projects.js';
import { usageDocuments } from '../../projections/records/usage.js';
import type { Clock } from '../clock.js';
import { wholeTeam } from '../domain/teams/access.js';
import type { Contents } from '../ports/contents.js';
import type { State } from '../ports/state.js';
import type { TeamViews } from '../queries/team-views.js';

export type UsageParts = {
  /** Of the records. */
  views: TeamViews;
  contents: Pick<Contents, 'bytesOf'>;
  state: Pick<State, 'get' | 'put'>;
  clock: Clock;
};

/** In bytes. */
export type Taken = { verdicts: number; contents: number; artifacts: number };

export type Amount = { results: number; files: number; taken: Taken };

/** Event and documents, without contents, by how the result came: `disk` of docs/benchmark.md. */
const VERDICT_BYTES = { submitted: 265, single: 1_457 } as const;

/** By one look at each store, for at most a page of projects of one team. */
export async function amountsOf(
  { views, contents }: Pick<UsageParts, 'views' | 'contents'>,
  projects: readonly ProjectDocument[],
): Promise<Amount[]> {
  const [first] = projects;
  if (first === undefined) return [];
  const ids = projects.map(({ project_id }) => project_id);
  const [documents, bytes] = await Promise.all([
    views.some(usageDocuments, wholeTeam(first.team_id), ids),
    contents.bytesOf(ids),
  ]);
  const counted = new Map(documents.map((each) => [each.project_id, each]));
  return ids.map((id) => {
    const { submitted = 0, single = 0, artifacts = 0, artifact_bytes = 0 } = counted.get(id) ?? {};
    const verdicts = submitted * VERDICT_BYTES.submitted + single * VERDICT_BYTES.single;
    const taken = { verdicts, contents: bytes.get(id) ?? 0, artifacts: artifact_bytes };
    return { results: submitted + single, files: artifacts, taken };
  });
}
