/** `/runs/:run` and `/results/:result`: lead to the page in the team of the person that has it. */
import { fail, isAppError } from '../../errors.js';
import type { OpenPage, OpenPageRequest } from '../page.js';
import type { PageApi } from '../page-api.js';
import { signInFor } from '../sign-in-for.js';

export const shortcuts: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/runs/:run',
    handle: (request) =>
      lead(request, {
        path: `runs/${request.params['run']!}`,
        read: (api) => api.get('/v1/test-runs/{id}', { params: { id: request.params['run']! } }),
      }),
  },
  {
    method: 'GET',
    path: '/results/:result',
    handle: (request) =>
      lead(request, {
        path: `results/${request.params['result']!}`,
        read: (api) => api.get('/v1/test-results/{id}', { params: { id: request.params['result']! } }),
      }),
  },
];

/** One team after the other: few people are in more than a few. */
async function lead(
  { person, apiIn, url }: OpenPageRequest,
  { path, read }: { path: string; read: (api: PageApi) => Promise<unknown> },
): Promise<{ redirect: string }> {
  if (person === null) return { redirect: signInFor(url) };
  for (const team of person.memberships) {
    try {
      await read(apiIn(team));
      return { redirect: `/teams/${team.team_id}/${path}` };
    } catch (error) {
      if (!isAppError(error, 'not_found')) throw error;
    }
  }
  return fail('not_found', 'There is no such page.');
}
