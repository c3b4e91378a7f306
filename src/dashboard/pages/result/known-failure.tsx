/** Marks a test's failure as known, for a reason and until a day, and ends that. */
import { atLeast } from '../../../domain/team.js';
import { addMilliseconds } from '../../../clock.js';
import { isLedgerError } from '../../../errors.js';
import type { components } from '../../../client/api.generated.js';
import type { Page, PageRequest } from '../../page.js';
import { Form } from '../../parts/form.js';
import { counted } from '../../parts/outcome.js';
import { Ago, utc } from '../../parts/time.js';
import { withParams } from '../../parts/pager.js';

const DAY_MS = 86_400_000;

type Test = components['schemas']['Test'];
type Project = components['schemas']['Project'];

/** `branch`: that of the result, for a failure that is known there only. `result`: the page to come back to. */
export function KnownFailure({
  test,
  project,
  branch,
  result,
  request: { person, team, url },
}: {
  test: Test;
  project: Pick<Project, 'status'>;
  branch: string | null;
  result: string | null;
  request: Pick<PageRequest, 'person' | 'team' | 'url'>;
}) {
  const known = test.known_failure;
  // An inactive project takes no writes.
  const mayChange = atLeast(team.role, 'member') && project.status === 'active';
  const path = `/teams/${team.team_id}/projects/${test.project_id}/tests/${test.id}/known-failure`;
  const problem = problems.get(url.searchParams.get('problem') ?? '');
  if (known === null && !mayChange) return null;
  return (
    <section aria-labelledby="known-failure">
      <h2 id="known-failure">Known failure</h2>
      {problem !== undefined && (
        <p class="notice error" role="alert">
          {problem}
        </p>
      )}
      {known !== null && (
        <div class="panel">
          <p class="known-reason break name">{known.reason}</p>
          <p class="soft small">
            Set by <span class="name">{known.by}</span> <Ago at={known.at} />
            {known.branch !== null && (
              <>
                , on the branch <span class="mono name break">{known.branch}</span> only
              </>
            )}
            . It ends on {utc(known.expires_at)} and has covered {counted(known.hidden_results, 'failure')} so
            far.
          </p>
          {mayChange && (
            <Form action={`${path}/end`} csrf={person.csrf} class="inline">
              {result !== null && <input type="hidden" name="result" value={result} />}
              <button type="submit">End it</button>
            </Form>
          )}
        </div>
      )}
      {known === null && mayChange && (
        <details class="panel" open={problem !== undefined} id="known-failure-form">
          <summary>Mark as a known failure</summary>
          <p class="hint">It goes on running and failing, but fails no gate until it ends.</p>
          <Form action={path} csrf={person.csrf}>
            {result !== null && <input type="hidden" name="result" value={result} />}
            <div class="field">
              <label for="known-reason">Reason</label>
              <input id="known-reason" name="reason" required maxLength={1_024} placeholder="SHOP-123: …" />
            </div>
            <fieldset class="options">
              <legend>Until</legend>
              <Choice value="1" label="1 day" />
              <Choice value="7" label="7 days" checked />
              <Choice value="30" label="30 days" />
              <Choice value="date" label="the day" />
              <input type="date" name="until" aria-label="The day on which it ends" />
            </fieldset>
            {branch !== null && (
              <label class="check">
                <input type="checkbox" name="branch" value={branch} /> only on the branch{' '}
                <span class="mono name break">{branch}</span>
              </label>
            )}
            <button type="submit" class="main">
              Mark as known
            </button>
          </Form>
        </details>
      )}
    </section>
  );
}

function Choice({ value, label, checked = false }: { value: string; label: string; checked?: boolean }) {
  return (
    <label class="check">
      <input type="radio" name="for" value={value} checked={checked} /> {label}
    </label>
  );
}

/** By the parameter with which a form that was refused leads back. */
const problems: ReadonlyMap<string, string> = new Map([
  ['day', 'Choose a day from tomorrow on, at most 90 days ahead.'],
  ['reason', 'Give a reason of 1 to 1,024 characters.'],
]);

export const knownFailureForms: readonly Page[] = [
  {
    method: 'POST',
    path: '/teams/:team/projects/:project/tests/:test/known-failure',
    role: 'member',
    async handle(request) {
      const { api, params, form } = request;
      const expires_at = endOf(form, new Date());
      if (expires_at === null) return { redirect: back(request, 'day') };
      const reason = (form.get('reason') ?? '').trim();
      if (reason === '') return { redirect: back(request, 'reason') };
      const branch = form.get('branch');
      try {
        await api.send('put', '/v1/projects/{id}/tests/{test}/known-failure', {
          params: { id: params['project']!, test: params['test']! },
          body: { reason, expires_at, ...(branch !== null && branch !== '' && { branch }) },
        });
      } catch (error) {
        if (!isLedgerError(error, 'validation_failed')) throw error;
        const isDay = error.fields.some(({ pointer }) => pointer === '/expires_at');
        return { redirect: back(request, isDay ? 'day' : 'reason') };
      }
      return { redirect: back(request, null) };
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
      return { redirect: back(request, null) };
    },
  },
];

/** Null for something that is no day in the future. A day ends when it is over everywhere in UTC. */
export function endOf(form: URLSearchParams, now: Date): string | null {
  const choice = form.get('for') ?? '';
  if (choice !== 'date') {
    return ['1', '7', '30'].includes(choice)
      ? addMilliseconds(now.toISOString(), Number(choice) * DAY_MS)
      : null;
  }
  const day = form.get('until') ?? '';
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T23:59:59Z`) : NaN;
  return at > now.getTime() ? new Date(at).toISOString() : null;
}

/** Only to pages of this team: the form names a result, and no address. */
function back({ params, form }: PageRequest, problem: string | null): string {
  const [team, project, test] = ['team', 'project', 'test'].map((name) => encodeURIComponent(params[name]!));
  const result = form.get('result') ?? '';
  const path = /^result_\w{1,80}$/.test(result)
    ? `/teams/${team}/results/${result}`
    : `/teams/${team}/projects/${project}/tests/${test}`;
  const url = new URL(path, 'http://page.invalid');
  return `${withParams(url, { problem })}#known-failure`;
}
