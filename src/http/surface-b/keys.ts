/** Surface B: API keys and teams. */
import { createKey, createTeam, teamStream, type WantedKey } from '../../commands/teams.js';
import { reachesNoFurther } from '../../domain/teams/access.js';
import { isId } from '../../domain/ids.js';
import { normaliseInstant } from '../../domain/instant.js';
import { team } from '../../domain/teams/team.js';
import { fail, invalid } from '../../errors.js';
import type { KeyEntry } from '../../keys/api-keys.js';
import type { TestQueries } from '../../queries/tests/test-queries.js';
import type { Requests } from '../requests.generated.js';
import { ok, withBody, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { paged, requestedPage } from './pages.js';

export function keyRoutes({ commands, apiKeys, builds, keyUse, tests }: Sources): Route[] {
  return [
    {
      method: 'GET',
      path: '/me',
      operation: {
        id: 'getMe',
        summary: 'Shows the key of the request and its team',
        answers: { 200: { data: 'Me' } },
      },
      role: 'viewer',
      reporter: true,
      async handle({ key }) {
        const { key_id: id, name, role, expires_at, project_ids, team_id, team_name } = key;
        const own = { id, name, role, expires_at, project_ids: project_ids && [...project_ids] };
        return ok({ data: { key: own, team: { id: team_id, name: team_name } } });
      },
    },
    {
      method: 'POST',
      path: '/teams',
      operation: {
        id: 'createTeam',
        summary: 'Creates a team with its first key',
        answers: { 201: { data: 'NewTeam' } },
        errors: ['write_conflict'],
      },
      role: 'owner',
      wholeTeam: true,
      operator: true,
      secret: true,
      ...withBody('CreateTeam', async ({ context, body }) => {
        const made = await createTeam(commands, context, body.name);
        // The key must work as soon as it is answered.
        await apiKeys.reached(made.position);
        return { status: 201, body: { data: made.team } };
      }),
    },
    {
      method: 'POST',
      path: '/keys',
      operation: {
        id: 'createKey',
        summary: 'Creates a key',
        answers: { 201: { data: 'NewKey' } },
        errors: ['not_found', 'key_limit', 'write_conflict'],
      },
      role: 'admin',
      secret: true,
      location: '/v1/keys',
      ...withBody('CreateKey', async ({ context, key, body }) => {
        const wanted = await wantedKey(tests, key, body);
        const made = await createKey(commands, context, { ...wanted, maker: key, personId: key.person_id });
        for (const project of made.key.project_ids ?? []) context.touched?.(project);
        await apiKeys.reached(made.position);
        return { status: 201, body: { data: made.key } };
      }),
    },
    {
      method: 'GET',
      path: '/keys',
      operation: {
        id: 'listKeys',
        summary: 'Lists the keys of the team, oldest first',
        answers: { 200: { page: 'Key' } },
      },
      role: 'admin',
      query: 'PageQuery',
      async handle(call) {
        const page = requestedPage(call);
        const state = await commands.load(team, teamStream(call.key.team_id));
        const keys = state.life === 'present' ? state.keys : [];
        const all = keys.filter(({ project_ids }) => reachesNoFurther(call.key, project_ids));
        const data = await Promise.all(
          all.slice(page.offset, page.offset + page.per_page).map(async (key) => ({
            id: key.key_id,
            name: key.name,
            role: key.role,
            expires_at: key.expires_at,
            project_ids: key.project_ids && [...key.project_ids],
            prefix: key.prefix,
            created_by: key.created_by,
            created_at: key.created_at,
            last_used_at: await keyUse.lastUsed(key.key_id),
            revoked_at: key.revoked_at,
          })),
        );
        return ok(paged(data, all.length, page));
      },
    },
    {
      method: 'DELETE',
      path: '/keys/self',
      operation: {
        id: 'endOwnKey',
        summary: 'Ends the key of the request',
        answers: { 204: null },
        errors: ['write_conflict'],
      },
      role: 'viewer',
      reporter: true,
      async handle({ context, key: { key_id, build } }) {
        if (build !== undefined) {
          await builds.end(build.hash);
          return { status: 204 };
        }
        const command = { type: 'EndOwnKey', key_id } as const;
        const { appended } = await commands.execute(team, teamStream(context.team), context, command);
        if (appended !== null) await apiKeys.reached(appended.position);
        return { status: 204 };
      },
    },
    {
      method: 'DELETE',
      path: '/keys/:id',
      operation: {
        id: 'revokeKey',
        summary: 'Revokes a key',
        answers: { 204: null },
        errors: ['last_owner', 'write_conflict'],
      },
      role: 'admin',
      async handle({ context, key, params }) {
        const key_id = params['id']!;
        if (!isId('key', key_id)) fail('not_found', 'This key does not exist.');
        const { appended } = await commands.execute(team, teamStream(context.team), context, {
          type: 'RevokeKey',
          key_id,
          revoker: key,
        });
        if (appended !== null) await apiKeys.reached(appended.position);
        return { status: 204 };
      },
    },
  ];
}

/** Without projects or an end of its own, a key gets those of the key that makes it. @throws AppError `not_found` */
async function wantedKey(
  tests: TestQueries,
  maker: KeyEntry,
  { name, role, ...own }: Requests['CreateKey'],
): Promise<WantedKey> {
  const { project_ids, expires_at }: Pick<KeyEntry, 'project_ids' | 'expires_at'> = { ...maker, ...own };
  await Promise.all((project_ids ?? []).map((id) => tests.mustExist(maker, id)));
  const end =
    expires_at &&
    (normaliseInstant(expires_at) ?? invalid('/expires_at', 'not_an_instant', 'must be an instant'));
  return { name, role, project_ids, expires_at: end };
}
