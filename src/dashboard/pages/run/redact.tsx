/** Redacts a run or one of its results. A form that is refused says why on a page of its own. */
import type { Page } from '../../page.js';
import { linksOf } from './links.js';

export const redactForms: readonly Page[] = [
  {
    method: 'POST',
    path: '/teams/:team/runs/:run/redact',
    role: 'admin',
    asksAgain: () => true,
    async handle({ api, params, team, form }) {
      const id = params['run']!;
      await api.send('post', '/v1/test-runs/{id}/redact', { params: { id }, body: reasonIn(form) });
      return { redirect: linksOf(team.team_id).run(id) };
    },
  },
  {
    method: 'POST',
    path: '/teams/:team/results/:result/redact',
    role: 'admin',
    asksAgain: () => true,
    async handle({ api, params, team, form }) {
      const id = params['result']!;
      await api.send('post', '/v1/test-results/{id}/redact', { params: { id }, body: reasonIn(form) });
      return { redirect: linksOf(team.team_id).result(id) };
    },
  },
];

function reasonIn(form: URLSearchParams): { reason: string } {
  return { reason: (form.get('reason') ?? '').trim() };
}
