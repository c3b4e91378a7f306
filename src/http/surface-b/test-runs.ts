/** Surface B: a whole run in one call. */
import type { Ledger } from '../../commands/ledger.js';
import type { EventLog } from '../../ports/event-log.js';
import type { Submission } from '../../commands/submission.js';
import { submitRun } from '../../commands/submit-run.js';
import type { Route } from '../route.js';

export function submissionRoutes(
  ledger: Ledger,
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
): Route[] {
  return [
    {
      method: 'POST',
      path: '/test-runs',
      role: 'member',
      location: '/v1/test-runs',
      body: 'SubmitRun',
      bulk: true,
      async handle({ context, body }) {
        const { run_id, count } = await submitRun(ledger, log, context, body as Submission);
        return { status: 201, body: { data: { id: run_id, status: 'completed', test_count: count } } };
      },
    },
  ];
}
