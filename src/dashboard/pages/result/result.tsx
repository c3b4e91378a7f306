/** One result: what failed, since when, what it looked like, and where else. */
import type { ComponentChildren, VNode } from 'preact';
import { atLeast } from '../../../domain/teams/roles.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { momentsOfResult } from '../../past/moments.js';
import { TimeLine } from '../../past/time-line.js';
import { Crumbs } from '../../parts/crumbs.js';
import { NamePath } from '../../parts/name-path.js';
import { Outcome } from '../../parts/outcome.js';
import { RedactForm } from '../../parts/forms/redact.js';
import { linksOf, type Links } from '../run/links.js';
import type { RunRequest } from '../run/run-request.js';
import { isInEnvironments } from '../test/in-environment.js';
import { resultText, textSourceOf } from '../texts.js';
import { formatOf } from '../../text/text-page.js';
import { ErrorOfResult } from './error.js';
import { Facts } from './facts.js';
import { file } from './file.js';
import { FilesOfResult } from './files.js';
import { FailuresOfRun, loadTriage, type Triage } from './triage.js';
import { Verdict } from './verdict.js';
import { KnownFailure, mayMark, type Problem } from './known-failure.js';
import { loadResult, type ResultView } from './load.js';
import { Output, outputOf } from './output.js';
import { SameError } from './same-error.js';
import { Steps } from './steps.js';
import { visible } from '../../text/short.js';

export const result: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/results/:result',
    role: 'viewer',
    asOf: true,
    async handle(request) {
      const { id, format } = formatOf(request.params['result']!);
      if (format === 'html') return showResult(request);
      return resultText(await textSourceOf(request, format), { result: id });
    },
  },
  file,
];

/** `problem`: with the form of the request, which was refused. */
export async function showResult(request: PageRequest, problem: Problem | null = null): Promise<Shown> {
  const view = await loadResult(request.api, request.params['result']!);
  const triage = await loadTriage(request.api, view.result);
  const moments = await momentsOfResult(request.present, view.result.id, view.test);
  const { url, files, team } = request;
  const links = linksOf(team.team_id);
  const known = knownFailureOf(view, request, problem);
  const actions = (
    <div class="line">
      <Actions
        path={links.result(view.result.id)}
        history={links.resultHistory(view.result.id)}
        known={known === null ? null : view.test?.known_failure == null ? 'markable' : 'known'}
        cause={causeOf(view, links)}
      />
      <TimeLine moments={moments} url={url} />
    </div>
  );
  return {
    title: visible(view.result.name),
    body: (
      <ResultPage view={view} triage={triage} links={links} url={url} files={files} actions={actions}>
        {known}
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
  const triage = await loadTriage(api, view.result);
  return {
    title: visible(view.result.name),
    body: <ResultPage view={view} triage={triage} links={links} url={url} files={files} actions={null} />,
  };
}

type ResultPageProps = Pick<PageRequest, 'url' | 'files'> & {
  view: ResultView;
  triage: Triage | null;
  links: Links;
  actions: VNode | null;
  /** What stands below all that is known of the result. */
  children?: ComponentChildren;
};

function ResultPage({ view, triage, links, url, files, actions, children }: ResultPageProps) {
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
      <Beside triage={triage} run={run?.id} links={links}>
        <header class="result-head">
          <h1>
            <NamePath name={result.name} />
          </h1>
          <Verdict view={view} links={links} />
          {actions}
        </header>
        <Attempts view={view} links={links} />
        <div class="evidence">
          <div>
            <ErrorOfResult result={result} url={url} source={{ project, commit: run?.commit ?? null }} />
            <Steps result={result} />
          </div>
          <Proof>
            {FilesOfResult({ view, links, files })}
            {Output({ texts: outputOf(result), url })}
          </Proof>
          <Facts view={view} links={links} />
        </div>
        <SameError view={view} links={links} />
        {children}
      </Beside>
    </>
  );
}

/** What there is to see and to read of a result, beside its error and its steps. Nothing where there is none. */
function Proof({ children }: { children: readonly (VNode | null)[] }) {
  return children.every((child) => child === null) ? null : <div class="proof">{children}</div>;
}

/** A result with the list of the failures of its run, where there are others. */
function Beside({
  triage,
  run,
  links,
  children,
}: Pick<ResultPageProps, 'triage' | 'links' | 'children'> & { run: string | undefined }) {
  if (triage === null || run === undefined) return children;
  return (
    <div class="beside">
      <FailuresOfRun triage={triage} run={run} links={links} />
      <div>{children}</div>
    </div>
  );
}

function knownFailureOf(view: ResultView, request: PageRequest, problem: Problem | null): VNode | null {
  const { result, project, test } = view;
  if (test === null || result.status !== 'failed') return null;
  if (test.known_failure === null && !mayMark(request.team, project)) return null;
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

/** Its page has the ticket, the owner and notes. */
function causeOf({ result, project, groupHasPage }: ResultView, links: Links): string | undefined {
  return result.group === null || !groupHasPage ? undefined : links.group(project.id, result.group.id);
}

type ActionsProps = {
  path: string;
  history: string;
  known: 'known' | 'markable' | null;
  cause: string | undefined;
};

function Actions({ path, history, known, cause }: ActionsProps) {
  return (
    <div class="page-actions small">
      {known === 'known' && (
        <a class="button" href="#known-failure">
          Known failure
        </a>
      )}
      {/* A step to a field opens the fold around it, without scripts too. */}
      {known === 'markable' && (
        <a class="button" href="#known-reason">
          Mark as known
        </a>
      )}
      <copy-button data-text={path} data-label="Copy link" data-kind="link" />
      <copy-button data-from={`${path}.md`} data-label="Copy as Markdown" />
      <details class="menu">
        <summary>More</summary>
        <ul>
          {cause !== undefined && (
            <li>
              <a href={`${cause}#field-note`}>Ticket, owner and notes of the cause</a>
            </li>
          )}
          <li>
            <a href={history}>History</a>
          </li>
          <li>
            <a href={`${path}.md`}>Markdown</a>
          </li>
          <li>
            <a href={`${path}.json`}>JSON</a>
          </li>
        </ul>
      </details>
    </div>
  );
}

/** Each attempt is a page of its own: a tab is a link. */
function Attempts({ view: { result, attempts }, links }: { view: ResultView; links: Links }) {
  if (attempts.length < 2) return null;
  return (
    <nav class="tabs attempts" aria-label="Attempts">
      {attempts.map(({ result_id, attempt, status }) => (
        <a href={links.result(result_id)} aria-current={result_id === result.id ? 'page' : undefined}>
          <Outcome of={status} plain /> Attempt {attempt}
        </a>
      ))}
    </nav>
  );
}

/** That of this result, as the history of its test has it. */
function branchOf({ result, outcomes, run }: ResultView): string | null {
  return outcomes.find(({ result_id }) => result_id === result.id)?.branch ?? run?.branch ?? null;
}
