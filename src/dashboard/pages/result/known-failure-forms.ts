/** Takes the forms of known failures. One that is refused is shown again on its page, with what was sent. */
import { addDays } from '../../../clock.js';
import { isAppError } from '../../../errors.js';
import type { Page, PageReply, PageRequest } from '../../page.js';
import { showTest } from '../test/test.js';
import type { Problem } from './known-failure.js';
import { showResult } from './result.js';

export const knownFailureForms: readonly Page[] = [
  {
    method: 'POST',
    path: '/teams/:team/projects/:project/tests/:test/known-failure',
    role: 'member',
    async handle(request) {
      const problem = await set(request);
      return problem === null
        ? { redirect: `${pageOfForm(request)}#known-failure` }
        : again(request, problem);
    },
  },
  {
    method: 'POST',
    path: '/teams/:team/projects/:project/tests/:test/known-failure/end',
    role: 'member',
    async handle(request) {
      const { api, params } = request;
      await api.send('delete', '/v1/projects/{id}/tests/{test}/known-failure', {
        params: { id: params['project']!, test: params['test']! },
      });
      return { redirect: `${pageOfForm(request)}#known-failure` };
    },
  },
];

async function set({ api, params, form }: PageRequest): Promise<Problem | null> {
  const branch = form.get('branch');
  // An empty one is that of results without an environment.
  const environment_key = form.get('environment');
  return sendKnown(form, async (known) => {
    await api.send('put', '/v1/projects/{id}/tests/{test}/known-failure', {
      params: { id: params['project']!, test: params['test']! },
      body: {
        ...known,
        ...(branch !== null && branch !== '' && { branch }),
        ...(environment_key !== null && { environment_key }),
      },
    });
  });
}

/** Returns what is wrong with the form, null where it was taken. */
export async function sendKnown(
  form: URLSearchParams,
  send: (known: { reason: string; expires_at: string }) => Promise<void>,
): Promise<Problem | null> {
  const expires_at = endOf(form, new Date());
  const reason = (form.get('reason') ?? '').trim();
  if (reason === '') return 'reason';
  if (expires_at === null) return 'day';
  try {
    await send({ reason, expires_at });
    return null;
  } catch (error) {
    if (!isAppError(error, 'validation_failed')) throw error;
    return error.fields.some(({ pointer }) => pointer === '/expires_at') ? 'day' : 'reason';
  }
}

/** Null for something that is no day in the future. A day ends when it is over everywhere in UTC. */
export function endOf(form: URLSearchParams, now: Date): string | null {
  const choice = form.get('for') ?? '';
  if (choice !== 'date') {
    return ['1', '7', '30'].includes(choice) ? addDays(now.toISOString(), Number(choice)) : null;
  }
  const day = form.get('until') ?? '';
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T23:59:59Z`) : NaN;
  return at > now.getTime() ? new Date(at).toISOString() : null;
}

async function again(request: PageRequest, problem: Problem): Promise<PageReply> {
  const { params, url } = request;
  // The path that takes the form has no page: tabs and links are those of the page with the form.
  const shown = { ...request, url: new URL(pageOfForm(request), url) };
  const result = resultOfForm(request);
  const page =
    result === null
      ? await showTest(shown, problem)
      : await showResult({ ...shown, params: { ...params, result } }, problem);
  return { ...page, status: 400 };
}

/** Only pages of this team: the form names a result or a branch, and no address. */
function pageOfForm(request: Pick<PageRequest, 'params' | 'form'>): string {
  const { params, form } = request;
  const [team, project, test] = ['team', 'project', 'test'].map((name) => encodeURIComponent(params[name]!));
  const result = resultOfForm(request);
  if (result !== null) return `/teams/${team}/results/${result}`;
  const query = new URLSearchParams();
  for (const name of ['branch', 'environment']) {
    const value = form.get(`page_${name}`);
    if (value !== null) query.set(name, value);
  }
  return `/teams/${team}/projects/${project}/tests/${test}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

function resultOfForm({ form }: Pick<PageRequest, 'form'>): string | null {
  const result = form.get('result') ?? '';
  return /^result_\w{1,80}$/.test(result) ? result : null;
}
