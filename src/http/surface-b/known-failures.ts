/** Surface B: the known failure of a test. */
import type { CommandContext } from '../../commands/command-context.js';
import { endKnownFailure, setKnownFailure } from '../../commands/known-failures.js';
import {
  environmentIn as understoodEnvironment,
  environmentOf,
  keyOfEnvironment,
  parseEnvironmentKey,
  type EnvironmentKey,
} from '../../domain/environment.js';
import { normaliseInstant } from '../../domain/instant.js';
import { checkExpiry } from '../../domain/known-failure.js';
import { invalid } from '../../errors.js';
import type { Requests } from '../requests.generated.js';
import { ok, withBody, type Route } from '../route.js';
import type { Sources } from '../sources.js';

const PATH = '/projects/:id/tests/:test/known-failure';

export function knownFailureRoutes({ commands, tests }: Sources): Route[] {
  return [
    {
      method: 'PUT',
      path: PATH,
      operation: {
        id: 'setKnownFailure',
        summary: 'Sets the known failure of a test',
        answers: { 200: { data: 'Test' } },
        errors: ['project_inactive', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      ...withBody('SetKnownFailure', async ({ context, key, params, body, waitFor }) => {
        const { id: project_id, test: test_id } = params as { id: string; test: string };
        const said = knownFailureIn({ context, body });
        await tests.mustExist(key, project_id, test_id);
        await waitFor('history');
        const test = await tests.get(project_id, test_id, {});
        const about = { test_id, project_id, test_name: test.name };
        const isNew = await setKnownFailure(commands, context, { ...about, ...said });
        // The views need not show it yet.
        const { reason, expires_at, branch } = said;
        const environment = environmentIn(body);
        const set = { reason, by: key.name, at: context.at, expires_at, branch };
        const place = { environment: environmentOf(environment ?? ''), environment_key: environment };
        const shown = { ...set, ...place, hidden_results: 0 };
        return ok({ data: isNew ? { ...test, known_failure: shown } : test });
      }),
    },
    {
      method: 'DELETE',
      path: PATH,
      operation: {
        id: 'endKnownFailure',
        summary: 'Ends the known failure of a test',
        answers: { 204: null },
        errors: ['project_inactive', 'event_limit', 'write_conflict'],
      },
      role: 'member',
      async handle({ context, key, params }) {
        const { id: project_id, test: test_id } = params as { id: string; test: string };
        await tests.mustExist(key, project_id, test_id);
        await endKnownFailure(commands, context, { project_id, test_id });
        return { status: 204 };
      },
    },
  ];
}

/** What a body says of a known failure, as its event has it. @throws AppError `validation_failed` */
export function knownFailureIn({
  context,
  body,
}: {
  context: Pick<CommandContext, 'at'>;
  body: Requests['SetKnownFailure'];
}) {
  const { reason, branch = null } = body;
  const environment = environmentIn(body);
  const expires_at =
    normaliseInstant(body.expires_at) ?? invalid('/expires_at', 'not_an_instant', 'must be an instant');
  checkExpiry(expires_at, context.at);
  // Without pairs: where no environment is named.
  const named = environment !== null && { environment: environmentOf(environment) ?? {} };
  return { reason, branch, ...named, expires_at };
}

/** Null for all environments, `''` for none. The object and the key of one say the same. @throws AppError `validation_failed` */
function environmentIn({ environment = null, environment_key = null }: Body): EnvironmentKey | null {
  if (environment !== null) {
    const understood = understoodEnvironment({ environment });
    if (understood === null) invalid('/environment', 'not_valid', 'must be pairs such as {"os": "linux"}');
    return keyOfEnvironment(understood);
  }
  if (environment_key === null) return null;
  const key = parseEnvironmentKey(environment_key);
  return key ?? invalid('/environment_key', 'not_valid', 'must be like os=linux,node=22');
}

type Body = { environment?: Record<string, unknown> | null; environment_key?: string | null };
