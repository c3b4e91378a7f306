/** Marks a test's failure as known, for a reason and until a day, and ends that. */
import { atLeast } from '../../../domain/teams/team.js';
import type { components } from '../../../client/api.generated.js';
import type { PageRequest } from '../../page.js';
import { Form, Submit } from '../../parts/forms/form.js';
import { KnownUntil } from '../../parts/forms/known-until.js';
import { Linked } from '../../parts/texts/linked.js';
import { counted } from '../../parts/outcome.js';
import { Ago, utc } from '../../parts/time.js';
import { inEnvironment } from '../test/in-environment.js';

type Test = components['schemas']['Test'];
type Project = components['schemas']['Project'];

/** What is wrong with a form that was sent. */
export type Problem = 'day' | 'reason';

export const problems: Readonly<Record<Problem, string>> = {
  day: 'Choose a day from today on, at most 90 days ahead.',
  reason: 'Give a reason of 1 to 1,024 characters.',
};

type KnownFailureProps = {
  test: Test;
  project: Pick<Project, 'status'>;
  /** That of the result or of the page, for a failure that is known there only. */
  branch: string | null;
  /** The key of that of the result or of the state on the page, likewise; null for a test that is in none. */
  environment: string | null;
  /** The id of the result whose page it is; null on the page of the test. */
  result: string | null;
  /** The parameters of the page of the test. */
  narrowed?: { branch: string | null; environment: string | null };
  /** The form of the request was refused, and is shown again. */
  problem: Problem | null;
  request: Pick<PageRequest, 'person' | 'team' | 'form'>;
};

export function KnownFailure(props: KnownFailureProps) {
  const { test, project, problem, request } = props;
  const mayChange = mayMark(request.team, project);
  if (test.known_failure === null && !mayChange) return null;
  return (
    <section aria-labelledby="known-failure">
      <h2 id="known-failure">Known failure</h2>
      {problem !== null && (
        <p class="notice error" role="alert">
          {problems[problem]}
        </p>
      )}
      {test.known_failure === null ? (
        <Mark {...props} />
      ) : (
        <Known {...props} known={test.known_failure} mayChange={mayChange} />
      )}
    </section>
  );
}

/** An inactive project takes no writes. */
export function mayMark({ role }: PageRequest['team'], { status }: Pick<Project, 'status'>): boolean {
  return atLeast(role, 'member') && status === 'active';
}

function pathOf({ test, request: { team } }: Pick<KnownFailureProps, 'test' | 'request'>): string {
  return `/teams/${team.team_id}/projects/${test.project_id}/tests/${test.id}/known-failure`;
}

function Known({
  known,
  mayChange,
  ...props
}: KnownFailureProps & { known: NonNullable<Test['known_failure']>; mayChange: boolean }) {
  return (
    <div class="panel">
      <p class="known-reason break name">
        <Linked text={known.reason} />
      </p>
      <p class="soft small">
        Set by <span class="name">{known.by}</span> <Ago at={known.at} />
        {known.branch !== null && (
          <>
            , on the branch <span class="mono name break">{known.branch}</span> only
          </>
        )}
        {known.environment_key !== null && (
          <>
            , <span class="name break">{inEnvironment({ environment_key: known.environment_key })}</span> only
          </>
        )}
        . It ends on {utc(known.expires_at)} and has covered {counted(known.hidden_results, 'failure')} so
        far.
      </p>
      {mayChange && (
        <Form action={`${pathOf(props)}/end`} csrf={props.request.person.csrf} class="inline">
          <Origin {...props} />
          <button type="submit">End it</button>
        </Form>
      )}
    </div>
  );
}

function Mark(props: KnownFailureProps) {
  const {
    branch,
    environment,
    problem,
    request: { person, form },
  } = props;
  return (
    <details class="panel" open={problem !== null} id="known-failure-form">
      <summary>Mark as a known failure</summary>
      <p class="hint">It goes on running and failing, but fails no gate until it ends.</p>
      <Form action={pathOf(props)} csrf={person.csrf}>
        <Origin {...props} />
        <KnownUntil form={form} />
        {branch !== null && (
          <label class="check">
            <input type="checkbox" name="branch" value={branch} checked={form.get('branch') === branch} />{' '}
            only on the branch <span class="mono name break">{branch}</span>
          </label>
        )}
        {environment !== null && (
          <label class="check">
            {/* What fails here may pass elsewhere: more than that is asked for. */}
            <input
              type="checkbox"
              name="environment"
              value={environment}
              checked={problem === null || form.get('environment') === environment}
            />{' '}
            only <span class="name break">{inEnvironment({ environment_key: environment })}</span>
          </label>
        )}
        <Submit>Mark as known</Submit>
      </Form>
    </details>
  );
}

/** The page to lead back to. */
function Origin({ result, narrowed }: Pick<KnownFailureProps, 'result' | 'narrowed'>) {
  if (result !== null) return <input type="hidden" name="result" value={result} />;
  const { branch = null, environment = null } = narrowed ?? {};
  return (
    <>
      {branch !== null && <input type="hidden" name="page_branch" value={branch} />}
      {environment !== null && <input type="hidden" name="page_environment" value={environment} />}
    </>
  );
}
