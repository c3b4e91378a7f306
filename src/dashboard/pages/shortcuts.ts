/** `/runs/:run` and `/results/:result`, also with `.md` or `.json`: lead to the page in the team of the person that has it. */
import { fail, isAppError } from '../../errors.js';
import type { OpenPage, OpenPageRequest } from '../page.js';
import type { PageApi } from '../page-api.js';
import { signInFor } from '../sign-in-for.js';
import { formatOf } from '../text/text-page.js';

export const shortcuts: readonly OpenPage[] = [
  {
    method: 'GET',
    path: '/runs/:run',
    handle: (request) =>
      lead(request, {
        path: `runs/${request.params['run']!}`,
        read: (api) => api.get('/v1/test-runs/{id}', { params: { id: formatOf(request.params['run']!).id } }),
      }),
  },
  {
    method: 'GET',
    path: '/results/:result',
    handle: (request) =>
      lead(request, {
        path: `results/${request.params['result']!}`,
        read: (api) =>
          api.get('/v1/test-results/{id}', { params: { id: formatOf(request.params['result']!).id } }),
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
