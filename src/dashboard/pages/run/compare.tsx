/** A run compared with any other run of its project, kind by kind. */
import { comparisonKinds, type ComparisonKind } from '../../../domain/comparison/compare.js';
import { some } from '../../../domain/text/amounts.js';
import { onOneLine } from '../../../domain/text/harmless.js';
import { isAppError } from '../../../errors.js';
import type { Page, PageReply, PageRequest } from '../../page.js';
import type { Given, PageApi } from '../../page-api.js';
import { counted, number } from '../../parts/outcome.js';
import { Paged, pageOf, Pager, withParams } from '../../parts/lists/pager.js';
import { ChooseRun } from './choose-run.js';
import { ComparedWith, RunCrumbs, RunTabs, RunTitle } from './head.js';
import { linksOf, type TeamLinks } from './links.js';
import { readOtherRuns } from './other-runs.js';
import { nameOf, readRun, type Result, type RunFacts } from './read-run.js';
import { ResultTable } from './result-rows.js';

export const compare: readonly Page[] = [
  { method: 'GET', path: '/teams/:team/runs/:run/compare', role: 'viewer', asOf: true, handle: show },
];

const PER_PAGE = 50;

const titles: Readonly<Record<ComparisonKind, string>> = {
  new_failures: 'New failures',
  still_failing: 'Still failing',
  known: 'Known failures',
  flaky: 'Flaky',
  fixed: 'Fixed',
  slower: 'Slower',
  added: 'Added',
  removed: 'Removed',
  renamed_maybe: 'Renamed, maybe',
};
const order = Object.keys(titles) as ComparisonKind[];

async function show({ api, params, team, url }: PageRequest): Promise<PageReply> {
  const id = params['run']!;
  const links = linksOf(team.team_id);
  const typed = url.searchParams.get('id')?.trim() ?? '';
  // Another run: the kind may be empty there, and the page is the first.
  if (typed !== '') return { redirect: withParams(url, { with: typed, id: null, page: null, kind: null }) };
  const branch = (url.searchParams.get('branch') ?? '').trim().slice(0, 255);
  const { data: run } = await api.get('/v1/test-runs/{id}', { params: { id } });
  const others = await readOtherRuns(api, run, branch);
  const wanted = url.searchParams.get('with') || (others.newest?.id ?? '');
  const { facts, isUnknown } = await factsOf(api, id, wanted);
  const { counts } = facts.comparison;
  const kind =
    comparisonKinds.find((one) => one === url.searchParams.get('kind')) ??
    order.find((one) => counts[one] > 0) ??
    'new_failures';
  const page = pageOf(url);
  const baseline = isUnknown || wanted === '' ? undefined : wanted;
  const query = { baseline, page, per_page: PER_PAGE };
  const listed = await readKind(api, id, kind, query);
  const list = { url, page, perPage: PER_PAGE, total: counts[kind] };
  return {
    title: `Compare · ${facts.project.name}`,
    body: (
      <>
        <RunCrumbs {...facts} links={links} />
        <RunTitle run={facts.run} project={facts.project} links={links}>
          {facts.baseline === null
            ? 'Nothing to compare with'
            : `Compared with ${onOneLine(nameOf(facts.baseline), 80)}: ${differencesIn(counts)}`}
        </RunTitle>
        <RunTabs run={id} links={links} here="compare" />
        {isUnknown && (
          <p class="notice error" role="alert">
            There is no such other run in this project. Below is the comparison with the run's own baseline.
          </p>
        )}
        <ComparedWith {...facts} links={links} isThere />
        <ChooseRun run={facts.run} others={others} chosen={baseline} links={links} />
        <Kinds url={url} kind={kind} counts={counts} />
        <Paged
          list={list}
          shown={listed.results.length}
          empty={<p class="panel empty">No results of this kind.</p>}
        >
          <Rows kind={kind} {...listed} links={links} />
        </Paged>
        <Pager {...list} />
      </>
    ),
  };
}

/** What the comparison says first: `3 new failures, 1 fixed`. */
function differencesIn(counts: RunFacts['comparison']['counts']): string {
  const { new_failures, still_failing, fixed } = counts;
  const said = [
    ...(new_failures > 0 ? [counted(new_failures, 'new failure')] : []),
    ...some(still_failing, 'still failing'),
    ...some(fixed, 'fixed'),
  ];
  return said.length === 0 ? 'no new failures' : said.join(', ');
}

/** A run that cannot be compared with is no error of the page: a person may have typed it. */
async function factsOf(
  api: PageApi,
  id: string,
  wanted: string,
): Promise<{ facts: RunFacts; isUnknown: boolean }> {
  if (wanted === '') return { facts: await readRun(api, id, undefined), isUnknown: false };
  try {
    return { facts: await readRun(api, id, wanted), isUnknown: false };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'not_found') throw error;
    return { facts: await readRun(api, id, undefined), isUnknown: true };
  }
}

type Listed = {
  results: readonly Result[];
  /** By the id of a removed test's result: the name that the test may have now. */
  names: ReadonlyMap<string, string>;
};

async function readKind(
  api: PageApi,
  id: string,
  kind: ComparisonKind,
  query: NonNullable<Given['query']>,
): Promise<Listed> {
  if (kind !== 'renamed_maybe') {
    const params = { id, kind };
    const { data } = await api.get('/v1/test-runs/{id}/comparison/{kind}', { params, query });
    return { results: data, names: new Map() };
  }
  const path = '/v1/test-runs/{id}/comparison/renamed_maybe';
  const { data } = await api.get(path, { params: { id }, query });
  return {
    results: data.map(({ removed }) => removed),
    names: new Map(data.map(({ removed, added }) => [removed.id, added.name])),
  };
}

function Kinds({
  url,
  kind,
  counts,
}: {
  url: URL;
  kind: ComparisonKind;
  counts: RunFacts['comparison']['counts'];
}) {
  return (
    <nav class="tabs" aria-label="Kinds">
      {order.map((one) => (
        <a href={withParams(url, { kind: one, page: null })} aria-current={one === kind ? 'page' : undefined}>
          {titles[one]} <span class="count">{number(counts[one])}</span>
        </a>
      ))}
    </nav>
  );
}

function Rows({ kind, results, names, links }: Listed & { kind: ComparisonKind; links: TeamLinks }) {
  const note = { title: 'Now', of: ({ id }: Result) => onOneLine(names.get(id) ?? '', 120) };
  return (
    <>
      {kind === 'removed' && <p class="soft small">The results of these tests in the other run.</p>}
      {kind === 'renamed_maybe' && (
        <p class="soft small">
          These tests of the other run are missing here, and may have another name now: a new test has the
          same title, or the same file and suite.
        </p>
      )}
      <ResultTable
        results={results}
        links={links}
        label={titles[kind]}
        notes={[note]}
        of={kind === 'removed' || kind === 'renamed_maybe' ? 'the other run' : undefined}
      />
    </>
  );
}
