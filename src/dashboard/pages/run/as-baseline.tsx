/** What a person says of a run of the default branch as a baseline: they accept a small one, or set a bad one aside. */
import { atLeast } from '../../../domain/teams/team.js';
import type { Page, PageRequest } from '../../page.js';
import { Form } from '../../parts/forms/form.js';
import { linksOf } from './links.js';
import type { RunFacts } from './read-run.js';

export const asBaselineForm: readonly Page[] = [
  {
    method: 'POST',
    path: '/teams/:team/runs/:run/baseline',
    role: 'member',
    async handle({ api, params, team, form }) {
      const id = params['run']!;
      const word = form.get('baseline');
      const baseline = word === 'fit' || word === 'unfit' ? word : null;
      await api.send('patch', '/v1/test-runs/{id}', { params: { id }, body: { baseline } });
      return { redirect: `${linksOf(team.team_id).run(id)}#as-baseline` };
    },
  },
];

const words = {
  fit: 'Somebody accepted this run as a baseline.',
  unfit: 'Somebody set this run aside: no run is compared with it.',
} as const;

export function AsBaseline({
  facts: { run, project },
  request,
}: {
  facts: RunFacts;
  request: Pick<PageRequest, 'team' | 'person'>;
}) {
  const { baseline: word, branch, status } = run;
  const mayBeBaseline = status === 'completed' && branch === project.default_branch;
  // An inactive project takes no writes.
  const mayChange = atLeast(request.team.role, 'member') && project.status === 'active';
  if (!mayBeBaseline || (word === null && !mayChange)) return null;
  return (
    <div id="as-baseline" class="line soft small">
      {word !== null && <p>{words[word]}</p>}
      {mayChange && (
        <Form
          action={`${linksOf(request.team.team_id).run(run.id)}/baseline`}
          csrf={request.person.csrf}
          class="inline"
        >
          {word === null ? (
            <>
              <Say word="fit">Accept as a baseline</Say> <Say word="unfit">Set aside as a baseline</Say>
            </>
          ) : (
            <Say word="">Undo</Say>
          )}
        </Form>
      )}
    </div>
  );
}

function Say({ word, children }: { word: string; children: string }) {
  return (
    <button type="submit" name="baseline" value={word}>
      {children}
    </button>
  );
}
