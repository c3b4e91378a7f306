/** Takes the forms of the page of a cause. One that is refused is shown again on it, with what was sent. */
import { isAppError } from '../../../errors.js';
import type { Page, PageReply, PageRequest } from '../../page.js';
import { sendKnown } from '../result/known-failure-forms.js';
import type { Problem } from './actions.js';
import { showCause } from './cause.js';

const PATH = '/teams/:team/projects/:project/failures/:group';

export const causeForms: readonly Page[] = [
  {
    method: 'POST',
    path: PATH,
    role: 'member',
    handle: (request) => answer(request, change),
  },
  {
    method: 'POST',
    path: `${PATH}/known-failure`,
    role: 'member',
    handle: (request) => answer(request, markKnown),
  },
  {
    method: 'POST',
    path: `${PATH}/known-failure/end`,
    role: 'member',
    handle: (request) =>
      answer(request, async ({ api, params }) => {
        await api.send('delete', '/v1/projects/{id}/failures/{group}/known-failure', {
          params: named(params),
        });
        return null;
      }),
  },
];

/** Returns what is wrong with the form, null where it was taken. */
async function change({ api, params, form }: PageRequest): Promise<Problem | null> {
  const state = form.get('state');
  const texts = Object.fromEntries(
    ['owner', 'note', 'ticket'].flatMap((name) => {
      const sent = form.get(name);
      // A field that is left empty takes the text away. Browsers send the lines of a text with two signs each.
      return sent === null ? [] : [[name, sent.replaceAll('\r\n', '\n').trim() || null]];
    }),
  );
  const body = state === 'open' || state === 'fixed' ? { state } : texts;
  try {
    await api.send('patch', '/v1/projects/{id}/failures/{group}', { params: named(params), body });
    return null;
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    return error.fields.some(({ pointer }) => pointer === '/ticket') ? 'ticket' : 'text';
  }
}

async function markKnown({ api, params, form }: PageRequest): Promise<Problem | null> {
  try {
    return await sendKnown(form, async (body) => {
      const path = '/v1/projects/{id}/failures/{group}/known-failure';
      await api.send('put', path, { params: named(params), body });
    });
  } catch (error) {
    if (!isAppError(error, 'test_limit')) throw error;
    return 'tests';
  }
}

async function answer(
  request: PageRequest,
  take: (request: PageRequest) => Promise<Problem | null>,
): Promise<PageReply> {
  const { team, project, group } = request.params as { team: string; project: string; group: string };
  const [place, id] = [project, group].map(encodeURIComponent);
  const page = `/teams/${encodeURIComponent(team)}/projects/${place}/failures/${id}`;
  const problem = await take(request);
  if (problem === null) return { redirect: page };
  // The path that takes the form may have no page: links are those of the page with the form.
  const shown = await showCause({ ...request, url: new URL(page, request.url) }, problem);
  return { ...shown, status: 400 };
}

function named(params: PageRequest['params']) {
  return { id: params['project']!, group: params['group']! };
}
