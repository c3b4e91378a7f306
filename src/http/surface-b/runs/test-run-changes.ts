/** Surface B: what a person says of a test run. */
import { runDocuments } from '../../../../projections/records/run-documents.js';
import { updateRun } from '../../../commands/runs.js';
import { ok, withBody, type Route } from '../../route.js';
import type { Sources } from '../../sources.js';
import { showingRuns } from './test-run-reads.js';

export function testRunChanges({ inTurn, views, comparisons }: Sources): Route[] {
  const show = showingRuns(views, comparisons);
  return [
    {
      method: 'PATCH',
      path: '/test-runs/:id',
      operation: {
        id: 'changeTestRun',
        summary: 'Accepts a run as a baseline, sets it aside, or pins it',
        answers: { 200: { data: 'TestRun' } },
        errors: ['project_inactive', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      ...withBody('ChangeTestRun', async ({ key, context, params, body, waitFor }) => {
        await updateRun(inTurn, context, params['id']!, body);
        await waitFor('records', 'history');
        const run = await views.get(runDocuments, key, params['id']!);
        const [data] = await show(key.team_id, [run]);
        return ok({ data });
      }),
    },
  ];
}
