/** Surface B: a whole run in one call. */
import type { Ledger } from '../../core/ledger.js';
import type { EventLog } from '../../core/ports.js';
import type { Submission } from '../../core/submission.js';
import { submitRun } from '../../core/submit.js';
import type { Route } from '../route.js';

export function submissionRoutes(ledger: Ledger, log: Pick<EventLog, 'append' | 'limits'>): Route[] {
  return [
    {
      method: 'POST',
      path: '/test-runs',
      role: 'member',
      body: 'SubmitRun',
      bulk: true,
      async handle({ context, body }) {
        const { run_id, count } = await submitRun(ledger, log, context, body as Submission);
        return { status: 201, body: { data: { id: run_id, status: 'completed', test_count: count } } };
      },
    },
  ];
}
