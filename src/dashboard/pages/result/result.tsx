/** One result: what failed, since when, what it looked like, and where else. */
import type { ComponentChildren, VNode } from 'preact';
import { atLeast } from '../../../domain/roles.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { NamePath } from '../../parts/name-path.js';
import { counted, number, Outcome } from '../../parts/outcome.js';
import { Ago, utc } from '../../parts/time.js';
import { Table } from '../../parts/table.js';
import { RedactForm } from '../../parts/redact.js';
import { To } from '../../parts/to.js';
import { linksOf, type Links } from '../run/links.js';
import type { RunRequest } from '../run/run-request.js';
import { isInEnvironments } from '../test/in-environment.js';
import { resultJson, resultMarkdown } from './result-text.js';
import { formatOf } from '../../text/text-page.js';
import { ErrorOfResult } from './error.js';
import { Facts } from './facts.js';
import { file } from './file.js';
import { FilesOfResult } from './files.js';
import { KnownFailure, type Problem } from './known-failure.js';
import { loadResult, type ResultView } from './load.js';
import { Output, outputOf } from './output.js';
import { Steps } from './steps.js';
import { ranAt } from '../../../domain/instant.js';
import { fileUrl } from '../../text/repo-links.js';
import { shortCommit, visible } from '../../text/short.js';

export const result: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/results/:result',
    role: 'viewer',
    async handle(request) {
      const { id, format } = formatOf(request.params['result']!);
      if (format === 'html') return showResult(request);
      const view = await loadResult(request.api, id);
      if (format === 'md') {
        return { type: 'text/markdown', write: () => resultMarkdown(view, absoluteBase(request)) };
      }
      return { type: 'application/json', write: () => resultJson(view) };
    },
  },
  file,
];

/** `problem`: with the form of the request, which was refused. */
export async function showResult(request: PageRequest, problem: Problem | null = null): Promise<Shown> {
  const view = await loadResult(request.api, request.params['result']!);
  const { url, files, team } = request;
  const links = linksOf(team.team_id);
  const actions = (
    <Actions path={links.result(view.result.id)} history={links.resultHistory(view.result.id)} />
  );
  return {
    title: visible(view.result.name),
    body: (
      <ResultPage view={view} links={links} url={url} files={files} actions={actions}>
        <KnownFailureOf view={view} request={request} problem={problem} />
        {atLeast(team.role, 'admin') && view.result.contents !== 'redacted' && (
          <RedactForm
            action={`${links.result(view.result.id)}/redact`}
            csrf={request.person.csrf}
            goes="Its message, output and files"
          />
        )}
      </ResultPage>
    ),
  };
}

/** The same page for the reader of a link: nothing on it changes anything. */
export async function showSharedResult({
  api,
  params,
  links,
  url,
  files,
}: RunRequest & Pick<PageRequest, 'files'>): Promise<Shown> {
  const view = await loadResult(api, params['result']!);
  return {
    title: visible(view.result.name),
    body: <ResultPage view={view} links={links} url={url} files={files} actions={null} />,
  };
}

type ResultPageProps = Pick<PageRequest, 'url' | 'files'> & {
  view: ResultView;
  links: Links;
  actions: VNode | null;
  /** What stands below all that is known of the result. */
  children?: ComponentChildren;
};

function ResultPage({ view, links, url, files, actions, children }: ResultPageProps) {
  const { result, project, run, testId } = view;
  const toTest = links.test(project.id, testId);
  return (
    <>
      <Crumbs
        steps={[
          [visible(project.name), links.project(project.id)],
          ...(run === null ? [] : [[visible(run.label ?? 'Run'), links.run(run.id)] as const]),
          ...(toTest === undefined ? [] : [['Test', toTest] as const]),
        ]}
      />
      <header class="result-head">
        <h1>
          <NamePath name={result.name} />
        </h1>
        {actions}
      </header>
      <Attempts view={view} links={links} />
      <Facts view={view} links={links} />
      <ErrorOfResult
        result={result}
        url={url}
        source={(place) => fileUrl(project, run?.commit ?? null, place)}
      />
      <Steps result={result} />
      <FilesOfResult
        artifacts={view.artifacts}
        href={({ artifact_id }) => links.artifact(artifact_id, result.id)}
        files={files}
      />
      <Output texts={outputOf(result)} url={url} />
      <SameError view={view} links={links} />
      {children}
    </>
  );
}

function KnownFailureOf({
  view,
  request,
  problem,
}: {
  view: ResultView;
  request: PageRequest;
  problem: Problem | null;
}) {
  const { result, project, test } = view;
  if (test === null || result.status !== 'failed') return null;
  return (
    <KnownFailure
      test={test}
      project={project}
      branch={branchOf(view)}
      environment={isInEnvironments(test) ? result.environment_key : null}
      result={result.id}
      problem={problem}
      request={request}
    />
  );
}

/** For addresses that are read in another place than on a page. */
function absoluteBase({ origin, team }: Pick<PageRequest, 'origin' | 'team'>): string {
  return `${origin}/teams/${team.team_id}`;
}

function Actions({ path, history }: { path: string; history: string }) {
  return (
    <p class="page-actions small">
      <copy-button data-text={path} data-label="Copy link" data-kind="link" />
      <copy-button data-from={`${path}.md`} data-label="Copy as Markdown" />
      <a href={`${path}.md`}>Markdown</a>
      <a href={`${path}.json`}>JSON</a>
      <a href={history}>History</a>
    </p>
  );
}

/** Each attempt is a page of its own: a tab is a link. */
function Attempts({ view: { result, attempts }, links }: { view: ResultView; links: Links }) {
  if (attempts.length < 2) return null;
  return (
    <nav class="tabs" aria-label="Attempts">
      {attempts.map(({ result_id, attempt, status }) => (
        <a href={links.result(result_id)} aria-current={result_id === result.id ? 'page' : undefined}>
          <Outcome of={status} plain /> Attempt {attempt}
        </a>
      ))}
    </nav>
  );
}

function SameError({
  view: { result, project, together, elsewhere },
  links,
}: {
  view: ResultView;
  links: Links;
}) {
  if (result.group === null || together.results.length + elsewhere.runs.length === 0) return null;
  const inAllRuns = links.group(project.id, result.group.id);
  return (
    <section aria-labelledby="same-error">
      <h2 id="same-error">
        Same error elsewhere{' '}
        {inAllRuns !== undefined && (
          <span class="count">
            <a href={inAllRuns}>in all runs</a>
          </span>
        )}
      </h2>
      <Table class="stacked" columns={{ Where: '', Commit: '', Tests: 'number', When: '' }}>
        {together.results.map((other) => (
          <tr data-row="failed">
            <th scope="row">
              <a class="name break" href={links.result(other.id)}>
                {visible(other.name.slice(0, 200))}
              </a>
            </th>
            <td class="soft">this run</td>
            <td class="number wide-only" />
            <td>
              <Ago at={ranAt(other)} />
            </td>
          </tr>
        ))}
        {elsewhere.runs.map(({ run_id, commit, at, tests }) => (
          <tr data-row="failed">
            <th scope="row">
              {run_id === null ? (
                'A result without a run'
              ) : (
                <To href={links.run(run_id)}>Run of {utc(at)}</To>
              )}
            </th>
            <td>{commit !== null && <code class="name">{shortCommit(commit)}</code>}</td>
            <td class="number">
              {number(tests)}
              <span class="narrow-only soft small"> {tests === 1 ? 'test' : 'tests'}</span>
            </td>
            <td>
              <Ago at={at} />
            </td>
          </tr>
        ))}
      </Table>
      <Rest together={together} elsewhere={elsewhere} />
    </section>
  );
}

function Rest({ together, elsewhere }: Pick<ResultView, 'together' | 'elsewhere'>) {
  const rest = [
    together.total > together.results.length &&
      `${counted(together.total - together.results.length, 'more result')} in this run`,
    elsewhere.total > elsewhere.runs.length && counted(elsewhere.total - elsewhere.runs.length, 'more run'),
  ].filter((part) => part !== false);
  return rest.length === 0 ? null : <p class="soft small">{rest.join(', ')}.</p>;
}

/** That of this result, as the history of its test has it. */
function branchOf({ result, outcomes, run }: ResultView): string | null {
  return outcomes.find(({ result_id }) => result_id === result.id)?.branch ?? run?.branch ?? null;
}
