/** The head of all pages of a run: where one is, the verdict, what was run, and the tabs. */
import type { ComponentChildren } from 'preact';
import { ranAt } from '../../../domain/instant.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { titleOfRun } from '../../../domain/runs/run-title.js';
import { capitalized } from '../../../domain/text/amounts.js';
import { missingTestsText, noBaselineText, passedOverText } from '../../../domain/text/baseline.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { Crumbs } from '../../parts/crumbs.js';
import { Fact } from '../../parts/fact.js';
import { OutOf } from '../../parts/out-of.js';
import { counted, CountsBar, number, Outcome } from '../../parts/outcome.js';
import { Ago } from '../../parts/time.js';
import { To } from '../../parts/to.js';
import { failuresOf } from '../../../domain/text/verdict.js';
import { gateReasonsOf, verdictOf } from '../../text/verdict.js';
import type { Links } from './links.js';
import { commitUrl, pullRequestUrl } from '../../text/repo-links.js';
import { cut, shortCommit, visible } from '../../text/short.js';
import { nameOf, type Run, type RunFacts } from './read-run.js';

export type RunTab = 'overview' | 'results' | 'compare' | 'history' | 'share';

/** The way from the team to the run. */
export function RunCrumbs({ run, project, links }: Pick<RunFacts, 'run' | 'project'> & { links: Links }) {
  return (
    <Crumbs
      steps={[
        ...(links.teamPage() === undefined ? [] : [['Projects', links.teamPage()] as const]),
        [visible(project.name), links.project(project.id)],
        [onOneLine(nameOf(run), 80), links.run(run.id)],
      ]}
    />
  );
}

export function RunTabs({ run, links, here }: { run: string; links: Links; here: RunTab }) {
  const tabs: readonly [RunTab, string, string | undefined][] = [
    ['overview', 'Overview', links.run(run)],
    ['results', 'Results', links.results(run)],
    ['compare', 'Compare', links.compare(run)],
    ['history', 'History', links.history(run)],
    ['share', 'Share', links.shares(run)],
  ];
  return (
    <nav class="tabs" aria-label="Run">
      {tabs.map(
        ([tab, text, href]) =>
          href !== undefined && (
            <a href={href} aria-current={tab === here ? 'page' : undefined}>
              {text}
            </a>
          ),
      )}
    </nav>
  );
}

/** The head of the other tabs: how the run ended, and what it was. */
export function RunTitle({
  run,
  project,
  links,
  children,
}: Pick<RunFacts, 'run' | 'project'> & { links: Links; children: ComponentChildren }) {
  const { branch, commit, actor, tool } = run;
  return (
    <>
      <h1>
        <Outcome of={stateOf(run)} plain /> {children}
      </h1>
      <p class="soft source">
        <span class="break">{cut(titleOfRun(run), 160)}</span>
        {branch !== null && <To href={links.branch(project.id, branch)}>{cut(branch, 60)}</To>}
        {commit !== null && (
          <To href={links.change(project.id, { commit })}>
            <code>{shortCommit(commit)}</code>
          </To>
        )}
        {actor !== null && <span>by {cut(actor, 40)}</span>}
        {tool !== null && <span>{cut(tool, 40)}</span>}
        <Ago at={ranAt(run)} />
      </p>
    </>
  );
}

/** One line that answers the question, and a bar. Live. */
export function VerdictLine(facts: RunFacts) {
  const { run, comparison } = facts;
  const failures = failuresOf(comparison.counts);
  const { outcome, head, rest } = verdictOf(facts);
  const isOver = run.status === 'completed';
  return (
    <div class="verdict">
      <h1>
        <span class="answer break">
          <Outcome of={outcome} plain /> {head}
        </span>
        {rest.map((part) => (
          <span class="rest">{part}</span>
        ))}
        {!isOver && <span class="badge running">{run.status}</span>}
      </h1>
      {run.counts.total > 0 && <CountsBar counts={{ ...run.counts, failed: failures }} />}
      <fresh-failures data-failures={String(failures)} data-status={run.status} />
    </div>
  );
}

/** What was run, and on what. Live. */
export function AboutRun({ run, project, links }: RunFacts & { links: Links }) {
  const { branch, commit, pull_request, actor, tool, environment_key, gate, ci_url } = run;
  const message = textIn(run, 'message');
  return (
    <dl class="about">
      {message !== null && <Fact name="Message">{message}</Fact>}
      {branch !== null && (
        <Fact name="Branch">
          <To href={links.branch(project.id, branch)}>{branch}</To>{' '}
          {links.branches(project.id, branch) !== undefined && (
            <span class="small">
              <To href={links.branches(project.id, branch)}>compare</To>
            </span>
          )}
        </Fact>
      )}
      {(commit !== null || ci_url !== null) && (
        <Fact name={commit === null ? 'CI' : 'Commit'}>
          {commit !== null && (
            <To href={links.change(project.id, { commit })}>
              <code>{shortCommit(commit)}</code>
            </To>
          )}
          <OutOf href={commitUrl(project, commit)}>diff</OutOf>
          <OutOf href={ci_url}>CI job</OutOf>
        </Fact>
      )}
      {pull_request !== null && (
        <Fact name="Pull request">
          <To href={links.change(project.id, { pull_request })}>{pull_request}</To>
          <OutOf href={pullRequestUrl(project, pull_request)}>open</OutOf>
        </Fact>
      )}
      {actor !== null && <Fact name="By">{actor}</Fact>}
      {tool !== null && <Fact name="Tool">{tool}</Fact>}
      {environment_key !== '' && (
        <Fact name="Environment">
          <span class="break">{environment_key}</span>
        </Fact>
      )}
      {gate !== null && (
        <Fact name="Gate">
          <Outcome of={gate} />
        </Fact>
      )}
      <Fact name={run.finished_at === null ? 'Started' : 'Finished'}>
        <Ago at={ranAt(run)} />
      </Fact>
    </dl>
  );
}

/** A text of the metadata that no field shows. */
function textIn({ metadata }: Run, key: string): string | null {
  const value = metadata?.[key];
  return typeof value === 'string' && value.trim() !== '' ? onOneLine(value, 160) : null;
}

/** With what the run is compared, and the ways to choose another and to what is new. Live on the page of the run. */
export function ComparedWith({
  baseline,
  comparison,
  run,
  project,
  links,
  isThere = false,
}: RunFacts & {
  links: Links;
  /** The way to choose another is on the page itself. */
  isThere?: boolean;
}) {
  const canChoose = !isThere && links.compare(run.id) !== undefined;
  const passedOver = passedOverText(comparison);
  // What has not come yet is not missing.
  const missing =
    run.status === 'completed'
      ? missingTestsText(comparison, onOneLine(baseline?.branch ?? 'the baseline', 60))
      : '';
  // The reasons are those of the run's own baseline.
  const why = isThere ? '' : gateReasonsOf({ run, comparison });
  return (
    <p class="soft small">
      {comparison.baseline === null ? (
        <>{capitalized(noBaselineText(comparison, onOneLine(project.default_branch, 60)))}. </>
      ) : baseline === null ? (
        <>Compared with an earlier run. </>
      ) : (
        <>
          {isThere ? 'The other run:' : 'Compared with'}{' '}
          <To href={links.run(baseline.id)}>{onOneLine(nameOf(baseline), 60)}</To>
          {baseline.branch !== null && (
            <>
              {' '}
              of <code>{onOneLine(baseline.branch, 60)}</code>
            </>
          )}{' '}
          (<Ago at={ranAt(baseline)} />
          {baseline.standing_counts.failed > 0 && `, ${number(baseline.standing_counts.failed)} failed`}
          ).{' '}
        </>
      )}
      {passedOver !== '' && `${capitalized(passedOver)}. `}
      {missing !== '' && `${capitalized(missing)}. `}
      {why !== '' && `The gate failed: ${why}. `}
      {canChoose && <To href={links.compare(run.id)}>Choose another</To>}
      {canChoose && baseline !== null && comparison.counts.renamed_maybe > 0 && (
        <>
          {' · '}
          <To href={links.compare(run.id, `?kind=renamed_maybe&with=${encodeURIComponent(baseline.id)}`)}>
            {counted(comparison.counts.renamed_maybe, 'test')} with another name, maybe
          </To>
        </>
      )}
      {canChoose && baseline !== null && comparison.counts.new_failures > 0 && (
        <>
          {' · '}
          <To href={links.compare(run.id, `?kind=new_failures&with=${encodeURIComponent(baseline.id)}`)}>
            Only {counted(comparison.counts.new_failures, 'new failure')}
          </To>
        </>
      )}
    </p>
  );
}
