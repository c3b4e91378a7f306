/** Surface B: what must not be shown any more. */
import { redactResult } from '../../redaction/redact-result.js';
import { redactRun } from '../../redaction/redact-run.js';
import { ok, withBody, type Route } from '../route.js';
import type { Sources } from '../sources.js';

export function redactionRoutes(sources: Sources): Route[] {
  const redacting = { ...sources, commands: sources.inTurn };
  return [
    {
      method: 'POST',
      path: '/test-results/:id/redact',
      operation: {
        id: 'redactTestResult',
        summary: 'Redacts a result: its contents and its artifacts go, its verdict stays',
        answers: { 200: { data: 'Redacted' } },
        errors: ['write_conflict'],
      },
      role: 'admin',
      ...withBody('Redact', async ({ context, waitFor, params, body }) => {
        const data = await redactResult(redacting, { context, waitFor }, params['id']!, body.reason);
        return ok({ data });
      }),
    },
    {
      method: 'POST',
      path: '/test-runs/:id/redact',
      operation: {
        id: 'redactTestRun',
        summary: 'Redacts a run: its description, its results and their artifacts',
        answers: { 200: { data: 'Redacted' } },
        errors: ['write_conflict'],
      },
      role: 'admin',
      ...withBody('Redact', async ({ key, context, waitFor, params, body }) => {
        const asking = { context, waitFor };
        const data = await redactRun(redacting, key, asking, { id: params['id']!, reason: body.reason });
        return ok({ data });
      }),
    },
  ];
}
