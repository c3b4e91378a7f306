/** Surface B: a whole run in one call, or one of the calls that a run with a key is made of. */
import { runDocuments } from '../../../../projections/records/run-documents.js';
import type { CommandContext } from '../../../commands/command-context.js';
import type { Submission } from '../../../commands/submissions/submission.js';
import { submitRun, type Submitted } from '../../../commands/submissions/submit-run.js';
import { submitToRun } from '../../../commands/submissions/submit-to-run.js';
import { wholeTeam } from '../../../domain/teams/access.js';
import { itemIdPrefix } from '../../../domain/ids.js';
import { isUnavailable } from '../../../errors.js';
import type { TeamViews } from '../../../queries/team-views.js';
import type { Route } from '../../route.js';
import type { Sources } from '../../sources.js';

export function submissionRoutes({ commands, inTurn, log, views }: Sources): Route[] {
  return [
    {
      method: 'POST',
      path: '/test-runs',
      operation: {
        id: 'submitTestRun',
        summary: 'Submits a whole run, or a part of a run with a key',
        answers: { 200: { data: 'SubmittedRun' }, 201: { data: 'SubmittedRun' } },
        errors: [
          'not_found',
          'shard_exists',
          'shard_total',
          'shard_mixed',
          'item_limit',
          'project_inactive',
          'event_limit',
          'write_conflict',
        ],
      },
      role: 'member',
      reporter: true,
      location: '/v1/test-runs',
      body: 'SubmitRun',
      bulk: true,
      async handle({ context, body }) {
        const submission = body as Submission;
        const { run_key, submission_key } = submission;
        const submitted =
          run_key === null
            ? await submitRun(commands, log, context, submission)
            : await submitToRun(inTurn, log, context, { ...submission, run_key });
        const { run_id, made, repeated, status, count, submission_id } = submitted;
        const others = made ? 0 : await resultsOutsideCalls(views, context, submitted);
        const data = {
          id: run_id,
          status: status.toLowerCase(),
          test_count: count + others,
          result_id_prefix: submission_id === null ? null : itemIdPrefix(submission_id),
          ...(submission_key !== null && submission_id !== null && { repeated }),
        };
        return { status: made ? 201 : 200, body: { data } };
      },
    },
  ];
}

/**
 * The results of a run that did not come in a call, less those that were deleted: the stream of the run does not show
 * them. The read models may be behind, but to wait for them would hold up the other submissions.
 */
async function resultsOutsideCalls(
  views: TeamViews,
  { team }: CommandContext,
  { run_id }: Submitted,
): Promise<number> {
  try {
    const [found] = await views.some(runDocuments, wholeTeam(team), [run_id]);
    return found === undefined ? 0 : found.counts.total - found.items;
  } catch (error) {
    // The call is recorded, so it must be answered.
    if (isUnavailable(error)) return 0;
    throw error;
  }
}
