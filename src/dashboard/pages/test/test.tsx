/** One test: its last outcomes, its durations, what it fails with, and its state with the reason for it. */
import type { Page, PageRequest, Shown } from '../../page.js';
import { momentsOfTest, type Moment } from '../../past/moments.js';
import { TimeLine } from '../../past/time-line.js';
import { Crumbs } from '../../parts/crumbs.js';
import { NamePath } from '../../parts/name-path.js';
import { counted, Outcome as OutcomeSign } from '../../parts/outcome.js';
import { withParams } from '../../parts/lists/pager.js';
import { likeInWords, Strip, type StripCell } from '../../parts/lists/strip.js';
import { Ago, duration } from '../../parts/time.js';
import { Tags } from '../../parts/tags.js';
import { formatOf } from '../../text/text-page.js';
import { testText, textSourceOf } from '../texts.js';
import { KnownFailure, type Problem } from '../result/known-failure.js';
import { usualDuration } from '../result/load.js';
import { Errors } from './errors.js';
import { Environments } from './environments.js';
import { Durations } from './durations.js';
import { inEnvironment, isInEnvironments, knownWhere } from './in-environment.js';
import { loadTest, type TestView } from './load.js';
import type { TestStrip } from './strip.js';
import { failsInWords, looks, stateInWords } from './state.js';
import { visible } from '../../text/short.js';

export const test: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/projects/:project/tests/:test',
    role: 'viewer',
    asOf: true,
    async handle(request) {
      const { id, format } = formatOf(request.params['test']!);
      if (format === 'html') return showTest(request);
      return testText(await textSourceOf(request, format), {
        test: id,
        project: request.params['project']!,
        ...narrowing(request),
      });
    },
  },
];

/** `problem`: with the form of the request, which was refused. */
export async function showTest(request: PageRequest, problem: Problem | null = null): Promise<Shown> {
  const view = await viewOf(request, request.params['test']!);
  const moments = await momentsOfTest(request.present, view.test);
  return {
    title: visible(view.test.name),
    body: <TestPage view={view} request={request} problem={problem} moments={moments} />,
  };
}

function viewOf(request: PageRequest, test: string): Promise<TestView> {
  return loadTest(request.api, { project: request.params['project']!, test, ...narrowing(request) });
}

function narrowing({ url }: PageRequest): Pick<TestView, 'branch' | 'environment'> {
  return { branch: url.searchParams.get('branch') || null, environment: url.searchParams.get('environment') };
}

type TestPageProps = {
  view: TestView;
  request: PageRequest;
  problem: Problem | null;
  moments: readonly Moment[];
};

function TestPage({ view, request, problem, moments }: TestPageProps) {
  const { test, project, branch, strip } = view;
  const base = `/teams/${request.team.team_id}`;
  const path = `${base}/projects/${project.id}/tests/${test.id}`;
  return (
    <>
      <Crumbs
        steps={[
          [visible(project.name), `${base}/projects/${project.id}`],
          ['Tests', `${base}/projects/${project.id}/tests`],
        ]}
      />
      <header class="result-head">
        <h1>
          <NamePath name={test.name} />
        </h1>
        <div class="line">
          <p class="page-actions small">
            <copy-button data-text={path} data-label="Copy link" data-kind="link" />
            <a href={`${path}.md`}>Markdown</a>
            <a href={`${path}.json`}>JSON</a>
          </p>
          <TimeLine moments={moments} url={request.url} />
        </div>
      </header>
      <State view={view} base={base} />
      <Environments view={view} url={request.url} />
      <Branches view={view} url={request.url} />
      <section class="panel" aria-label="Last outcomes">
        {view.line.outcomes.length === 0 ? (
          <p class="empty">
            There is no outcome {view.environment === null ? 'on this branch' : 'in this environment'}.
          </p>
        ) : (
          <>
            <Strip cells={cellsOf(strip, base)} label={inWords(strip)} />
            <p class="soft small break">
              {inWords(strip)}. The newest is on the right; select one to open it.
            </p>
          </>
        )}
      </section>
      <Errors view={view} base={base} />
      <Durations
        outcomes={view.line.outcomes}
        where={isInEnvironments(test) ? inEnvironment(view.line) : ''}
        base={base}
      />
      <KnownFailure
        test={test}
        project={project}
        branch={branch}
        environment={isInEnvironments(test) ? view.line.environment_key : null}
        result={null}
        narrowed={view}
        problem={problem}
        request={request}
      />
    </>
  );
}

function Branches({ view: { branches, branch }, url }: { view: TestView; url: URL }) {
  const shown = branches.slice(0, 12);
  if (shown.length === 0 && branch === null) return null;
  const isListed = branch === null || shown.some(({ name }) => name === branch);
  return (
    <nav class="choices branches" aria-label="Branches">
      <a href={withParams(url, { branch: null })} aria-current={branch === null ? 'page' : undefined}>
        All branches
      </a>
      {shown.map(({ name, newest }) => (
        <a href={withParams(url, { branch: name })} aria-current={name === branch ? 'page' : undefined}>
          <OutcomeSign of={newest.status} plain /> <span class="name break">{name}</span>
        </a>
      ))}
      {!isListed && (
        <a href={withParams(url, { branch })} aria-current="page">
          <span class="name break">{branch}</span>
        </a>
      )}
    </nav>
  );
}

/** Of the line that the page follows, which it names. */
function State({ view: { test, line }, base }: { view: TestView; base: string }) {
  const { name, rule, evidence } = stateInWords(line.test, line.outcomes);
  const fails = failsInWords(line.test, line.total);
  const usual = usualDuration(line.outcomes);
  const [last] = line.outcomes;
  return (
    <>
      <dl class="fact-grid panel">
        <div>
          <dt>State</dt>
          <dd>
            <span class={`badge ${looks[name]}`}>{name}</span>
            {isInEnvironments(test) && <span class="soft small break">{inEnvironment(line)}</span>}
            {test.known_failure !== null && (
              <span class="badge known break">known failure {knownWhere(test.known_failure)}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Fails</dt>
          <dd>
            {fails.share} <span class="soft small">{fails.of}</span>
          </dd>
        </div>
        <div>
          <dt>Last outcome</dt>
          <dd>
            {last === undefined ? (
              'none'
            ) : (
              <>
                <OutcomeSign of={last.status} />
                <a href={`${base}/results/${last.result_id}`}>
                  <Ago at={last.at} />
                </a>
              </>
            )}
          </dd>
        </div>
        {usual !== null && (
          <div>
            <dt>Takes</dt>
            <dd>
              {duration(usual.p50)}{' '}
              {duration(usual.p95) !== duration(usual.p50) && (
                <span class="soft small">rarely over {duration(usual.p95)}</span>
              )}
            </dd>
          </div>
        )}
        {test.owner !== null && (
          <div>
            <dt>Owner</dt>
            <dd class="name break">{test.owner}</dd>
          </div>
        )}
        {test.tags.length > 0 && (
          <div>
            <dt>Tags</dt>
            <dd>
              <Tags tags={test.tags} base={`${base}/projects/${test.project_id}`} />
            </dd>
          </div>
        )}
        <div class="wide">
          <dt>Why</dt>
          <dd>
            <span>{rule}</span>
            {evidence.map((each) => (
              <a href={`${base}/results/${each.result_id}`}>
                <OutcomeSign of={each.status} /> attempt {each.attempt}
              </a>
            ))}
          </dd>
        </div>
      </dl>
    </>
  );
}

function cellsOf({ runs }: TestStrip, base: string): StripCell[] {
  return runs.toReversed().map(({ run_id, last, word }) => {
    if (last === null) return { outcome: 'absent', label: 'did not run', href: `${base}/runs/${run_id}` };
    const { result_id, known, at, attempt } = last;
    return {
      outcome: known ? 'known_fail' : word,
      at,
      href: `${base}/results/${result_id}`,
      label: attempt > 1 ? `${word.replace('_', ' ')}, attempt ${attempt}` : word.replace('_', ' '),
    };
  });
}

/** `The last 20 runs on main by pytest: 17 passed, 2 failed, 1 without it` */
function inWords({ runs, like }: TestStrip): string {
  const counts = new Map<string, number>();
  for (const { word } of runs) counts.set(word, (counts.get(word) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${word.replace('_', ' ')}`);
  return `The last ${counted(runs.length, 'run')} ${likeInWords(like)}: ${parts.join(', ')}`;
}
