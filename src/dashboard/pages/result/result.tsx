/** One result: what failed, since when, what it looked like, and where else. */
import type { Page, PageRequest, Shown } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { NamePath } from '../../parts/name-path.js';
import { counted, number, Outcome } from '../../parts/outcome.js';
import { Ago, utc } from '../../parts/time.js';
import { Table } from '../../parts/table.js';
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
import { ranAt } from '../../../domain/instant.js';
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
  return {
    title: visible(view.result.name),
    body: <ResultPage view={view} request={request} problem={problem} />,
  };
}

type ResultPageProps = { view: ResultView; request: PageRequest; problem: Problem | null };

function ResultPage({ view, request, problem }: ResultPageProps) {
  const { result, project, run, test, testId } = view;
  const { team, url, files } = request;
  const base = `/teams/${team.team_id}`;
  return (
    <>
      <Crumbs
        steps={[
          [visible(project.name), `${base}/projects/${project.id}`],
          ...(run === null ? [] : [[visible(run.label ?? 'Run'), `${base}/runs/${run.id}`] as const]),
          ['Test', `${base}/projects/${project.id}/tests/${testId}`],
        ]}
      />
      <header class="result-head">
        <h1>
          <NamePath name={result.name} />
        </h1>
        <Actions view={view} request={request} />
      </header>
      <Attempts view={view} base={base} />
      <Facts view={view} base={base} />
      <ErrorOfResult result={result} url={url} />
      <FilesOfResult artifacts={view.artifacts} team={team.team_id} files={files} />
      <Output texts={outputOf(result)} url={url} />
      <SameError view={view} base={base} />
      {test !== null && result.status === 'failed' && (
        <KnownFailure
          test={test}
          project={project}
          branch={branchOf(view)}
          environment={isInEnvironments(test) ? result.environment_key : null}
          result={result.id}
          problem={problem}
          request={request}
        />
      )}
    </>
  );
}

/** For addresses that are read in another place than on a page. */
function absoluteBase({ origin, team }: Pick<PageRequest, 'origin' | 'team'>): string {
  return `${origin}/teams/${team.team_id}`;
}

function Actions({ view, request }: { view: ResultView; request: PageRequest }) {
  const path = `/teams/${request.team.team_id}/results/${view.result.id}`;
  return (
    <p class="page-actions small">
      <copy-button data-text={path} data-label="Copy link" data-kind="link" />
      <copy-button data-from={`${path}.md`} data-label="Copy as Markdown" />
      <a href={`${path}.md`}>Markdown</a>
      <a href={`${path}.json`}>JSON</a>
      <a href={`${path}/history`}>History</a>
    </p>
  );
}

/** Each attempt is a page of its own: a tab is a link. */
function Attempts({ view: { result, attempts }, base }: { view: ResultView; base: string }) {
  if (attempts.length < 2) return null;
  return (
    <nav class="tabs" aria-label="Attempts">
      {attempts.map(({ result_id, attempt, status }) => (
        <a href={`${base}/results/${result_id}`} aria-current={result_id === result.id ? 'page' : undefined}>
          <Outcome of={status} plain /> Attempt {attempt}
        </a>
      ))}
    </nav>
  );
}

function SameError({
  view: { result, project, together, elsewhere },
  base,
}: {
  view: ResultView;
  base: string;
}) {
  if (result.group === null || together.results.length + elsewhere.runs.length === 0) return null;
  return (
    <section aria-labelledby="same-error">
      <h2 id="same-error">
        Same error elsewhere{' '}
        <span class="count">
          <a href={`${base}/projects/${project.id}/failures/${result.group.id}`}>in all runs</a>
        </span>
      </h2>
      <Table class="stacked" columns={{ Where: '', Commit: '', Tests: 'number', When: '' }}>
        {together.results.map((other) => (
          <tr data-row="failed">
            <th scope="row">
              <a class="name break" href={`${base}/results/${other.id}`}>
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
                <a href={`${base}/runs/${run_id}`}>Run of {utc(at)}</a>
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
