/** Two branches compared: one verdict over all tools, environments and shards of the newest build. */
import { capitalized } from '../../../domain/text/amounts.js';
import { stateOf } from '../../../domain/runs/run-state.js';
import { ranAt } from '../../../domain/instant.js';
import { fail } from '../../../errors.js';
import type { Page, PageRequest, Shown } from '../../page.js';
import { Crumbs } from '../../parts/crumbs.js';
import { Table } from '../../parts/lists/table.js';
import { counted, number, Outcome } from '../../parts/outcome.js';
import { Owner } from '../../parts/owner.js';
import { Ago, duration, durationChange } from '../../parts/time.js';
import { cut, visible } from '../../text/short.js';
import { projectPath, readProject } from '../project/frame.js';
import { missingShards } from '../../text/verdict.js';
import { linksOf, type TeamLinks } from '../run/links.js';
import { nameOfLeg } from './change.js';
import { ChooseBranch, readOtherBranches } from './choose-branch.js';
import {
  isWhole,
  readBranches,
  type Branches,
  type ListedKind,
  type Pair,
  type Row,
} from './read-branches.js';

export const compareBranches: Page = {
  method: 'GET',
  path: '/teams/:team/projects/:project/compare',
  role: 'viewer',
  handle: (request) => show(request),
};

const NAME = 80;

async function show(request: PageRequest): Promise<Shown> {
  const { api, team, url } = request;
  const project = await readProject(request);
  const named = (name: string) => (url.searchParams.get(name) ?? '').trim().slice(0, 255);
  const branch = named('branch') || fail('not_found', 'The page needs a branch.');
  const wanted = named('with') || project.default_branch;
  const other = wanted === branch ? '' : wanted;
  const [found, others] = await Promise.all([
    other === '' ? null : readBranches(api, project.id, { branch, other }),
    readOtherBranches(api, project, branch),
  ]);
  const base = projectPath(team.team_id, project.id);
  const links = linksOf(team.team_id);
  const name = cut(branch, NAME);
  const verdict = found === null ? null : verdictOf(found);
  return {
    title: `${verdict === null ? '' : `${verdict.sign} `}${name} and ${cut(other, NAME)} · ${project.name}`,
    ...(verdict !== null && { state: verdict.state }),
    body: (
      <>
        <Crumbs
          steps={[
            ['Projects', links.teamPage()],
            [visible(project.name), base],
            [`Branch ${name}`, links.change(project.id, { branch })],
            ['Compare'],
          ]}
        />
        <h1 class="break">
          {name}
          {other !== '' && (
            <>
              {' '}
              <span class="suites">compared with</span> {cut(other, NAME)}
            </>
          )}
        </h1>
        {found !== null && verdict !== null && (
          <p class="verdict">
            <Outcome of={verdict.state} plain /> {verdict.words}
          </p>
        )}
        <div class="line">
          <ChooseBranch action={`${base}/compare`} own={branch} others={others} chosen={other} />
          {other !== '' && (
            <p class="small">
              <a href={`${base}/compare?${new URLSearchParams({ branch: other, with: branch }).toString()}`}>
                The other way round
              </a>
            </p>
          )}
        </div>
        {found === null ? (
          <p class="panel empty">
            {other === '' ? 'Choose the branch to compare with.' : 'One of the two branches has no run here.'}
          </p>
        ) : (
          <Found found={found} names={{ here: name, there: cut(other, NAME) }} links={links} />
        )}
      </>
    ),
  };
}

type Verdict = { sign: string; state: 'passed' | 'failed' | 'running' | 'unfinished'; words: string };

function verdictOf({ totals, durations, pairs, state }: Branches): Verdict {
  const said = (
    [
      ['new_failures', 'new failure', 'new failures'],
      ['still_failing', 'fails on both', 'fail on both'],
      ['fixed', 'fixed', 'fixed'],
      ['removed', 'removed', 'removed'],
    ] as const
  )
    .filter(([kind]) => (totals[kind] ?? 0) > 0)
    .map(([kind, one, many]) => counted(totals[kind], one, many));
  if (durations !== null) {
    const change = durationChange(durations.here, durations.there);
    said.push(`${duration(durations.here)}${change === '' ? '' : ` (${change})`}`);
  }
  const notHere = pairs.reduce(
    (sum, pair) => sum + (isWhole(pair) ? 0 : (pair.comparison?.counts.removed ?? 0)),
    0,
  );
  if (notHere > 0) said.push(counted(notHere, 'test has not run yet', 'tests have not run yet'));
  const isCompared = pairs.some(({ other }) => other !== null);
  const words = !isCompared
    ? 'The two have no run of the same tool and environment.'
    : `${(totals.new_failures ?? 0) === 0 ? 'Nothing new fails' : ''}${(totals.new_failures ?? 0) === 0 && said.length > 0 ? ': ' : ''}${said.join(', ')}.`;
  const standing =
    (totals.new_failures ?? 0) > 0
      ? ({ sign: '✗', state: 'failed' } as const)
      : state === 'running' || pairs.some(({ run }) => run.status !== 'completed')
        ? ({ sign: '▸', state: 'running' } as const)
        : !isCompared || !pairs.every(isWhole)
          ? ({ sign: '…', state: 'unfinished' } as const)
          : ({ sign: '✓', state: 'passed' } as const);
  return { ...standing, words: capitalized(words) };
}

type Named = { names: { here: string; there: string }; links: TeamLinks };

function Found({ found, ...rest }: Named & { found: Branches }) {
  const { pairs, left, missing, rows, totals } = found;
  return (
    <>
      <Pairs pairs={pairs} {...rest} />
      {left > 0 && <p class="soft small">{counted(left, 'more run')} of the newest build: see the branch.</p>}
      {missing.length > 0 && (
        <p class="soft small">
          Only on {rest.names.there}:{' '}
          {missing.map((run, n) => (
            <>
              {n > 0 && ', '}
              <a href={rest.links.run(run.id)}>{nameOfLeg(run)}</a>
            </>
          ))}
          .
        </p>
      )}
      {(Object.keys(titles) as ListedKind[]).map((kind) => (
        <Listed kind={kind} rows={rows[kind]} total={totals[kind] ?? 0} {...rest} />
      ))}
    </>
  );
}

function Pairs({ pairs, names: { there }, links }: Named & { pairs: readonly Pair[] }) {
  return (
    <Table
      class="stacked"
      columns={{
        'Tool and environment': '',
        New: 'number',
        Both: 'number',
        Fixed: 'number',
        Removed: 'number',
        Duration: 'number',
        'Compared with': '',
      }}
    >
      {pairs.map(({ run, other, comparison }) => (
        <tr data-row={(comparison?.counts.new_failures ?? 0) > 0 ? 'failed' : ''}>
          <th scope="row">
            <div class="titled">
              <Outcome of={stateOf(run)} plain />
              <div>
                <a
                  class="break"
                  href={other === null ? links.run(run.id) : links.compare(run.id, `?with=${other.id}`)}
                >
                  {nameOfLeg(run)}
                </a>
                <Missing run={run} />
              </div>
            </div>
          </th>
          <Count of={comparison?.counts.new_failures} word="new" isLoud />
          <Count of={comparison?.counts.still_failing} word="on both" />
          <Count of={comparison?.counts.fixed} word="fixed" />
          <Count of={isWhole({ run }) ? comparison?.counts.removed : undefined} word="removed" />
          <td class="number">
            {duration(run.duration_ms)}
            <span class="soft small change">
              {' '}
              {durationChange(run.duration_ms, other?.duration_ms ?? null)}
            </span>
          </td>
          <td class="soft small">
            {other === null ? (
              `never ran on ${there}`
            ) : (
              <a href={links.run(other.id)}>
                <Outcome of={stateOf(other)} plain /> <Ago at={ranAt(other)} />
              </a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Count({ of, word, isLoud = false }: { of: number | undefined; word: string; isLoud?: boolean }) {
  return (
    <td class={of === undefined || of === 0 ? 'number soft wide-only' : 'number'}>
      {of === undefined ? '–' : isLoud && of > 0 ? <b class="badge new">{number(of)}</b> : number(of)}
      <span class="narrow-only soft small"> {word}</span>
    </td>
  );
}

/** What has not come. */
function Missing({ run: { shards, status } }: Pick<Pair, 'run'>) {
  const missing = shards === null ? null : missingShards(shards);
  if (missing !== null) return <p class="soft small">shards missing: {missing}</p>;
  return status === 'completed' ? null : <p class="soft small">{status}</p>;
}

const titles: Readonly<Record<ListedKind, string>> = {
  new_failures: 'New failures',
  still_failing: 'Failing on both',
  fixed: 'Fixed',
  removed: 'Removed',
  slower: 'Slower than usual',
};

function Listed({
  kind,
  rows,
  total,
  links,
  names: { there },
}: Named & { kind: ListedKind; rows: readonly Row[]; total: number }) {
  if (rows.length === 0) return null;
  const several = new Set(rows.map(({ pair }) => pair.run.id)).size > 1;
  return (
    <section>
      <h2>
        {titles[kind]} <span class="count">{number(total)}</span>
      </h2>
      {kind === 'removed' && <p class="soft small">They ran on {there}, and not here.</p>}
      <Table
        aria-label={titles[kind]}
        class="stacked"
        columns={{ Test: '', ...(several && { 'Tool and environment': '' }), Owner: '', Duration: 'number' }}
      >
        {rows.map(({ result, pair: { run } }) => (
          <tr data-row={result.status === 'failed' ? 'failed' : ''}>
            <th scope="row">
              <a class="name break" href={links.result(result.id)}>
                {visible(result.name)}
              </a>
            </th>
            {several && <td class="soft small break">{nameOfLeg(run)}</td>}
            <td class="soft small">{result.owner !== null && <Owner name={result.owner} />}</td>
            <td class="number soft">{duration(result.duration_ms)}</td>
          </tr>
        ))}
      </Table>
      {total > rows.length && (
        <p class="soft small">
          {number(total - rows.length)} more: the comparisons of the runs, above, have all.
        </p>
      )}
    </section>
  );
}
