/** One run: what failed, what of it is new, and what else is different from its baseline. Also as Markdown and JSON. */
import type { ComponentChildren, VNode } from 'preact';
import { atLeast } from '../../../domain/teams/roles.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { momentsOfRun } from '../../past/moments.js';
import { TimeLine } from '../../past/time-line.js';
import { AsOf } from '../../parts/as-of.js';
import { MOST_TEXT } from '../../parts/filter/filter.js';
import { Live } from '../../parts/live.js';
import { counted, number } from '../../parts/outcome.js';
import { formatOf } from '../../text/text-page.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { failuresOf } from '../../../domain/text/verdict.js';
import { missingShards } from '../../text/verdict.js';
import { AsBaseline } from './as-baseline.js';
import { RedactForm } from '../../parts/forms/redact.js';
import { Pin } from './pin.js';
import { GroupList, isShared, SingleFailures } from './groups.js';
import { FirstResults, NoResults } from './no-results.js';
import { AboutRun, ComparedWith, RunCrumbs, RunTabs, VerdictLine } from './head.js';
import { linksOf, type Links } from './links.js';
import { nameOf, readLists, readRun, type RunFacts, type RunLists } from './read-run.js';
import { readFlakyRates, type FlakyRates } from './of-tests.js';
import { Other } from './other-results.js';
import { runText, textSourceOf } from '../texts.js';
import type { RunRequest } from './run-request.js';
import { Shards } from './shards.js';

export const run: readonly Page[] = [
  {
    method: 'GET',
    path: '/teams/:team/runs/:run',
    role: 'viewer',
    liveQuery: ['baseline'],
    asOf: true,
    handle: show,
  },
];

async function show(request: PageRequest): Promise<PageReply> {
  const { api, params, team, url, onlyLive = false } = request;
  const { id, format } = formatOf(params['run']!);
  const baseline = url.searchParams.get('baseline') ?? undefined;
  const links = linksOf(team.team_id);
  if (format !== 'html') return runText(await textSourceOf(request, format), { run: id, baseline });
  // Both first: what is shown is at least as new.
  const at = new Date();
  const position = (await request.position?.()) ?? null;
  const facts = await readRun(api, id, baseline);
  const asOf = request.moment === null ? <AsOf position={position} at={at} /> : <></>;
  const noResults =
    // Only a page that was opened without results has a place for it.
    facts.run.counts.total === 0 ? <NoResults facts={facts} /> : <FirstResults />;
  const live = { ...partsOf(facts, links), 'as-of': asOf, 'no-results': noResults };
  const [title, state] = [titleOf(facts), stateOfTab(facts)];
  if (onlyLive) return { title, live, body: <></> };
  const lists = await readLists(api, facts, baseline);
  const flakyRates = await readFlakyRates(api, { id: facts.project.id, flaky: lists.results.flaky });
  const moments = await momentsOfRun(request.present, id, lists.results.known);
  return {
    title,
    state,
    live,
    body: (
      <RunPage
        facts={facts}
        lists={lists}
        flakyRates={flakyRates}
        links={links}
        live={live}
        request={request}
      >
        <TimeLine moments={moments} url={url} />
      </RunPage>
    ),
  };
}

/** The same page for the reader of a link: no part of it changes by itself, and nothing on it changes anything. */
export async function showSharedRun({ api, params, links }: RunRequest): Promise<Shown> {
  const at = new Date();
  const facts = await readRun(api, params['run']!, undefined);
  const lists = await readLists(api, facts, undefined);
  const live = {
    ...partsOf(facts, links),
    'as-of': <AsOf position={null} at={at} />,
    'no-results': <p class="panel empty">This run has no results.</p>,
  };
  return {
    title: titleOf(facts),
    state: stateOfTab(facts),
    description: describe(facts),
    body: (
      <RunPage facts={facts} lists={lists} flakyRates={new Map()} links={links} live={live} request={null} />
    ),
  };
}

/** A run may pass and still fail the gate, as one of which a shard never came: its tab must not say that all is well. */
function stateOfTab({ run }: Pick<RunFacts, 'run'>) {
  return run.gate === 'failed' ? 'failed' : stateOf(run);
}

/** A tab shows the beginning alone. */
function titleOf({ run, project, comparison: { counts } }: RunFacts): string {
  const failed = failuresOf(counts);
  const news = counts.new_failures > 0 ? `${number(counts.new_failures)} new` : number(failed);
  const state = stateOfTab({ run });
  const sign = failed > 0 ? `✗ ${news} · ` : state === 'failed' ? '✗ ' : state === 'passed' ? '✓ ' : '';
  return `${sign}${project.name} · ${nameOf(run)}`;
}

/** For a chat: the counts, and of which branch. */
function describe({ run: { branch, counts }, comparison }: RunFacts): string {
  const { new_failures } = comparison.counts;
  const said = [
    `${number(failuresOf(comparison.counts))} failed`,
    ...(new_failures > 0 ? [`${number(new_failures)} of them new`] : []),
    `${number(counts.passed)} passed`,
  ];
  return branch === null ? said.join(', ') : `${said.join(', ')}, on ${branch}`;
}

function partsOf(facts: RunFacts, links: Links) {
  return {
    verdict: <VerdictLine {...facts} />,
    about: <AboutRun {...facts} links={links} />,
    compared: <ComparedWith {...facts} links={links} />,
    passed: <>{number(facts.run.counts.passed)}</>,
    ...(facts.run.shards !== null && { shards: <Shards shards={facts.run.shards} /> }),
  };
}

type LiveParts = Record<'verdict' | 'about' | 'compared' | 'as-of' | 'no-results' | 'passed', VNode> & {
  shards?: VNode;
};

function RunPage({
  facts,
  lists,
  flakyRates,
  links,
  live,
  request,
  children,
}: {
  facts: RunFacts;
  lists: RunLists;
  flakyRates: FlakyRates;
  links: Links;
  live: LiveParts;
  /** Null for the reader of a link. */
  request: PageRequest | null;
  /** Below what says how it stands. */
  children?: ComponentChildren;
}) {
  const { run } = facts;
  const shards = live.shards === undefined ? null : <Live id="shards">{live.shards}</Live>;
  // Shards that are missing explain a run; those that came only say how long they took.
  const allCame = run.shards === null || missingShards(run.shards) === null;
  // What somebody has said of it explains its comparisons. Until then, the failures come first.
  const isMarked = run.baseline !== null || run.pinned;
  const changes = request !== null && <Changes facts={facts} request={request} />;
  return (
    <>
      <RunCrumbs {...facts} links={links} />
      <Live id="verdict">{live.verdict}</Live>
      <Live id="about">{live.about}</Live>
      <RunTabs run={run.id} links={links} here="overview" />
      <Live id="compared">{live.compared}</Live>
      <div class="line">
        {children}
        <Live id="as-of">{live['as-of']}</Live>
      </div>
      {isMarked && changes}
      {!allCame && shards}
      {run.counts.total === 0 ? (
        <Live id="no-results">{live['no-results']}</Live>
      ) : (
        <>
          <Failures facts={facts} lists={lists} links={links} />
          <Other facts={facts} lists={lists} flakyRates={flakyRates} links={links} />
          <Passed facts={facts} links={links} live={live.passed} />
        </>
      )}
      {allCame && shards}
      {!isMarked && changes}
      {request !== null && (
        <p class="soft small">
          For scripts: <a href={`${links.run(run.id)}.md`}>Markdown</a> ·{' '}
          <a href={`${links.run(run.id)}.json`}>JSON</a>
        </p>
      )}
      {request !== null && atLeast(request.team.role, 'admin') && (
        <RedactForm
          action={`${linksOf(request.team.team_id).run(run.id)}/redact`}
          csrf={request.person.csrf}
          goes="Its label and metadata, and messages, output and files of all its results"
        />
      )}
    </>
  );
}

/** What a member can do with it. */
function Changes({ facts, request }: { facts: RunFacts; request: PageRequest }) {
  return (
    <div class="run-changes">
      <AsBaseline facts={facts} request={request} />
      <Pin facts={facts} request={request} />
      {request.team.role === 'owner' && (
        <a class="soft small" href={`${linksOf(request.team.team_id).run(facts.run.id)}/delete`}>
          Delete the run…
        </a>
      )}
    </div>
  );
}

/** Groups by impact, then single failures. */
function Failures({ facts: { run }, lists, links }: { facts: RunFacts; lists: RunLists; links: Links }) {
  const { groups, groupsTotal } = lists;
  if (groupsTotal === 0) return null;
  const shared = groups.filter(isShared);
  const single = groups.filter((group) => !isShared(group));
  const rest = groupsTotal - groups.length;
  return (
    <>
      {shared.length > 0 && (
        <section>
          <h2>
            Failures with one cause <Count some={shared.length} isAll={rest === 0} />
          </h2>
          <GroupList groups={shared} run={run} links={links} />
        </section>
      )}
      {single.length > 0 && (
        <section>
          <h2>
            Single failures <Count some={single.length} isAll={rest === 0} />
          </h2>
          <SingleFailures groups={single} run={run} links={links} />
        </section>
      )}
      {rest > 0 && (
        <p>
          <a class="button" href={`${links.failures(run.id)}?page=2`}>
            {counted(rest, 'more cause of failures', 'more causes of failures')}
          </a>
        </p>
      )}
    </>
  );
}

/** How many there are. Where others follow on the next page, it is not known how many are of this kind. */
function Count({ some, isAll }: { some: number; isAll: boolean }) {
  return <span class="count">{isAll ? number(some) : `the first ${number(some)}`}</span>;
}

/** While the run is going, also without any: they may come later, and only the number is live. */
function Passed({ facts: { run }, links, live }: { facts: RunFacts; links: Links; live: VNode }) {
  if (run.counts.passed === 0 && run.status === 'completed') return null;
  return (
    <section>
      <h2>
        Passed{' '}
        <Live id="passed" class="count">
          {live}
        </Live>
      </h2>
      <form class="filters" action={links.results(run.id)} method="get" role="search">
        <div class="field">
          <label for="search-passed">Filter the results of the run</label>
          <input id="search-passed" type="search" name="q" value="status:passed " maxLength={MOST_TEXT} />
        </div>
        <button type="submit">Show</button>
      </form>
    </section>
  );
}
