/**
 * `/runs/:id`, `/groups/:project/:id`, `/results/:id` and `/tests/:id`, also with `.md` or `.json`: lead to the page in
 * the team of the person that has it. An API key gets the text itself (`key-pages.ts`).
 */
import { fail, isAppError } from '../../errors.js';
import type { OpenPage, OpenPageRequest } from '../page.js';
import type { PageApi } from '../page-api.js';
import { signInFor } from '../sign-in-for.js';
import { formatOf } from '../text/text-page.js';
import { projectOfTest } from './texts.js';

export const shortcuts: readonly OpenPage[] = [
  shortcut('/runs/:id', async (api, { id, end }) => {
    await api.get('/v1/test-runs/{id}', { params: { id } });
    return `runs/${id}${end}`;
  }),
  shortcut('/groups/:project/:id', async (api, { id, end, project }) => {
    const params = { id: project, group: id };
    await api.get('/v1/projects/{id}/failures/{group}', { params, query: { per_page: 1 } });
    return `projects/${project}/failures/${id}${end}`;
  }),
  shortcut('/results/:id', async (api, { id, end }) => {
    await api.get('/v1/test-results/{id}', { params: { id } });
    return `results/${id}${end}`;
  }),
  shortcut(
    '/tests/:id',
    async (api, { id, end }) => `projects/${await projectOfTest(api, id)}/tests/${id}${end}`,
  ),
];

type Asked = { id: string; project: string; end: '' | '.md' | '.json' };

/** `find` returns the path in the team. @throws AppError `not_found` where the team does not have it */
function shortcut(path: string, find: (api: PageApi, asked: Asked) => Promise<string>): OpenPage {
  return {
    method: 'GET',
    path,
    handle: (request) => {
      const { id, format } = formatOf(request.params['id']!);
      const asked: Asked = {
        id,
        project: request.params['project'] ?? '',
        end: format === 'html' ? '' : `.${format}`,
      };
      return lead(request, (api) => find(api, asked));
    },
  };
}

/** One team after the other: few people are in more than a few. */
async function lead(
  { person, apiIn, url }: OpenPageRequest,
  find: (api: PageApi) => Promise<string>,
): Promise<{ redirect: string }> {
  if (person === null) return { redirect: signInFor(url) };
  for (const team of person.memberships) {
    try {
      return { redirect: `/teams/${team.team_id}/${await find(apiIn(team))}` };
    } catch (error) {
      if (!isAppError(error, 'not_found')) throw error;
    }
  }
  return fail('not_found', 'There is no such page.');
}
