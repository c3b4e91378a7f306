/** The submissions of a run. They hold the contents of their results, where the run has a key. */
import { directoryDocuments } from '../../../projections/records/result-packs.js';
import { everyPage } from '../every-page.js';
import type { TeamViews } from '../team-views.js';

const PAGE = 500;

export async function submissionsOf(views: TeamViews, test_run_id: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const sort = { field: 'created_position', direction: 'ascending' } as const;
  const query = { where: { test_run_id }, sort, limit: PAGE };
  for await (const blocks of everyPage(views, directoryDocuments, query))
    for (const { submission_id } of blocks) ids.add(submission_id);
  return ids;
}
