/** Surface B: what must not be shown any more. */
import { redactResult } from '../../../redaction/redact-result.js';
import { redactRun } from '../../../redaction/redact-run.js';
import { openSealer } from '../../../secret-key/secret-keys.js';
import { projectDocuments } from '../../../../projections/records/projects.js';
import { mustSee } from '../../../domain/teams/access.js';
import { beginTextRedaction, placesWith } from '../../../redaction/redact-text.js';
import { findRedaction, type TextRedaction } from '../../../redaction/texts.js';
import { invalid } from '../../../errors.js';
import { ok, withBody, type Route } from '../../route.js';
import type { Sources } from '../../sources.js';

export function redactionRoutes(sources: Sources): Route[] {
  const redacting = { ...sources, commands: sources.inTurn };
  const sealer = openSealer(sources.secretKeys, 'redactions');
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
    {
      method: 'POST',
      path: '/redactions',
      operation: {
        id: 'redactText',
        summary: 'Redacts a text wherever the team has it, in the background, or shows its places',
        answers: { 200: { data: 'RedactionPlaces' }, 202: { data: 'Redaction' } },
        errors: ['not_found'],
      },
      role: 'admin',
      ...withBody('RedactText', async ({ key, context, body, waitFor }) => {
        const { text, reason, project_id = null, dry_run = false } = body;
        checkReason(body);
        // A key of some projects names one of them.
        mustSee(key, project_id);
        await waitFor('records');
        if (project_id !== null) await sources.views.get(projectDocuments, key, project_id);
        if (!dry_run) {
          const wanted = { text, reason, project_id };
          const begun = await beginTextRedaction({ ...sources, sealer }, context, wanted);
          return { status: 202, body: { data: shown(begun) } };
        }
        const up_to = await sources.log.head(context.team);
        const wanted = { team: context.team, project: project_id, text, up_to };
        return ok({ data: await placesWith({ ...sources, blobs: sources.artifacts.blobs }, wanted) });
      }),
    },
    {
      method: 'GET',
      path: '/redactions/:id',
      operation: {
        id: 'getRedaction',
        summary: 'Shows how far the redaction of a text is',
        answers: { 200: { data: 'Redaction' } },
      },
      role: 'admin',
      handle: async ({ key, params }) => {
        const found = await findRedaction(sources.state, key, params['id']!);
        mustSee(key, found.project_id, 'redaction');
        return ok({ data: shown(found) });
      },
    },
  ];
}

/** It stays in the log, for everybody to read. */
function checkReason({ text, reason }: { text: string; reason: string }): void {
  if (reason.includes(text)) invalid('/reason', 'not_valid', 'must not repeat the text');
}

function shown({ id, state, reason, project_id, places, done, created_at, finished_at }: TextRedaction) {
  return { id, state, reason, project_id, places, done, created_at, finished_at };
}
