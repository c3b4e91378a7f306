/** Pins a run, so that all of it is kept, or takes that back. */
import { atLeast } from '../../../domain/teams/team.js';
import type { Page, PageRequest } from '../../page.js';
import { Form } from '../../parts/forms/form.js';
import { linksOf } from './links.js';
import type { RunFacts } from './read-run.js';

export const pinForm: readonly Page[] = [
  {
    method: 'POST',
    path: '/teams/:team/runs/:run/pin',
    role: 'member',
    async handle({ api, params, team, form }) {
      const id = params['run']!;
      const body = { pinned: form.get('pinned') === 'yes' };
      await api.send('patch', '/v1/test-runs/{id}', { params: { id }, body });
      return { redirect: `${linksOf(team.team_id).run(id)}#pin` };
    },
  },
];

export function Pin({
  facts: { run, project },
  request,
}: {
  facts: RunFacts;
  request: Pick<PageRequest, 'team' | 'person'>;
}) {
  // An inactive project takes no writes.
  const mayChange = atLeast(request.team.role, 'member') && project.status === 'active';
  if (!run.pinned && !mayChange) return null;
  return (
    <div id="pin" class="line soft small">
      {run.pinned && <p>This run is pinned: its texts and files are kept for as long as it is.</p>}
      {mayChange && (
        <Form
          action={`${linksOf(request.team.team_id).run(run.id)}/pin`}
          csrf={request.person.csrf}
          class="inline"
        >
          <button type="submit" name="pinned" value={run.pinned ? 'no' : 'yes'}>
            {run.pinned ? 'Unpin' : 'Pin: keep all of it'}
          </button>
        </Form>
      )}
    </div>
  );
}
