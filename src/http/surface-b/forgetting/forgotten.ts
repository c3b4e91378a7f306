/** Surface B: what was forgotten, for a backup that has it still. */
import { forgottenBy } from '../../../redaction/forgotten.js';
import { EXPORT_POINTS } from '../../backpressure/request-cost.js';
import type { Route } from '../../route.js';
import type { Sources } from '../../sources.js';

export function forgottenRoutes(sources: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: '/audit/forgotten',
      operation: {
        id: 'exportForgotten',
        summary: 'Lists what was deleted or redacted, by id and field: `testledger restore` takes it',
        answers: { 200: { media: ['application/jsonl'] } },
        errors: ['too_many_replays'],
      },
      role: 'admin',
      wholeTeam: true,
      async handle({ key, rate }) {
        rate.charge(EXPORT_POINTS);
        async function* chunks(signal: AbortSignal): AsyncGenerator<string, void> {
          const { key_id, team_id: team } = key;
          const leave = await sources.admission.admit('exports', { key: key_id, team, signal });
          try {
            for await (const page of forgottenBy(sources, team)) {
              if (signal.aborted) return;
              if (page.length > 0) yield page.map((each) => `${JSON.stringify(each)}\n`).join('');
            }
          } finally {
            leave();
          }
        }
        const headers = { 'Cache-Control': 'no-store' };
        return { status: 200, headers, type: 'application/jsonl', stream: { chunks, endless: false } };
      },
    },
  ];
}
