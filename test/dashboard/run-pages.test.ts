import { expect } from 'chai';
import type { Shown } from '../../src/dashboard/page.js';
import { isAppError } from '../../src/errors.js';
import { givenProject, givenResult, givenRun, givenSubmission, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { unescaped } from '../kit/page-server.js';
import { liveParts, sizeOf, visit, type Visit } from './shown-page.js';

const onMain = (commit: string) => ({ metadata: { branch: 'main', commit, actor: 'ada' } });
/** The parts of the page of a run without shards. */
const LIVE = ['verdict', 'about', 'compared', 'as-of', 'no-results', 'passed'];
const down = { status: 'failed', error_message: 'connection refused\n    at connect (src/net.ts:3:1)' };

describe('the pages of a run', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner, { name: 'Web shop' });
  });
  const open = (path: string, more: { onlyLive?: boolean; name?: string } = {}): Promise<Visit> =>
    visit(`/teams/${team.id}${path}`, { api: team.owner, team: team.id, ...more });
  const textOf = (html: string): string =>
    html
      .replaceAll(/<[^>]+>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .trim();

  /** Two tests have failed before, two fail now, one is flaky, one is gone, one was added. */
  const givenChanged = async (): Promise<{ before: string; run: string; results: string[] }> => {
    const before = await givenSubmission(
      team.owner,
      project,
      [{ name: 'pays', ...down }, { name: 'adds' }, { name: 'removes' }, { name: 'gone' }],
      onMain('1'.repeat(40)),
    );
    const after = await givenSubmission(
      team.owner,
      project,
      [
        { name: 'pays', ...down },
        { name: 'adds', status: 'failed', error_message: 'TypeError: no cart' },
        { name: 'removes', status: 'failed', attempt: 1 },
        { name: 'removes', attempt: 2 },
        { name: 'refunds', ...down },
      ],
      {
        metadata: {
          branch: 'wallet',
          commit: '2'.repeat(40),
          actor: 'grace',
          pull_request: '131',
          ci_url: 'https://ci.example.org/7',
        },
      },
    );
    return { before: before.run, ...after };
  };

  it('have a tab that says passed only where the gate passed, too', async () => {
    const tabOf = async (more: object) => {
      const { run } = await givenSubmission(team.owner, project, [{ name: 'adds' }], more);
      const { title, state } = (await open(`/runs/${run}`)).reply as Shown;
      return [title.split(' ')[0], state];
    };
    expect(await tabOf({})).to.deep.equal(['✓', 'passed']);
    expect(await tabOf({ report: { partial: true } })).to.deep.equal(['✗', 'failed']);
  });

  it('say how often a flaky test fails, and how long a slower one usually takes', async () => {
    const pays = (duration_ms: number) => ({ name: 'pays', duration_ms });
    for (const ms of [900, 1_000, 1_100])
      await givenSubmission(team.owner, project, [pays(ms), { name: 'adds' }], onMain('1'.repeat(40)));
    const { run } = await givenSubmission(
      team.owner,
      project,
      [pays(12_000), { name: 'adds', status: 'failed', attempt: 1 }, { name: 'adds', attempt: 2 }],
      { metadata: { branch: 'wallet' } },
    );
    const text = textOf((await open(`/runs/${run}`)).html);
    expect(text).to.match(/Test Attempt Fails Duration . passed adds passed on 2 20 %/u);
    expect(text).to.match(/Test Usually Duration . passed pays under 2\.4 s 12\.0 s/u);
  });

  it('answer first what failed, what of it is new, and what is flaky', async () => {
    const { run } = await givenChanged();
    const { html } = await open(`/runs/${run}`);
    const verdict = textOf(/<h1>.*?<\/h1>/su.exec(html)![0]);
    expect(verdict).to.match(/3 failed: 2 new, 1 also on main 1 flaky 1 passed/u);
    for (const shown of ['wallet', '2222222', 'grace', '131', 'https://ci.example.org/7'])
      expect(html).to.include(shown);
  });

  it('show the environment of a run, and list the runs of one environment', async () => {
    const of = (os: string) => ({ metadata: { branch: 'main', environment: { os } } });
    const { run, results } = await givenSubmission(team.owner, project, [{ name: 'adds' }], of('windows'));
    const other = await givenSubmission(team.owner, project, [{ name: 'adds' }], of('linux'));
    for (const path of [`/runs/${run}`, `/runs/${run}.md`, `/runs/${run}.json`, `/results/${results[0]}`]) {
      const { html, reply } = await open(path);
      expect('text' in reply ? reply.text : html, path).to.include('os=windows');
    }
    const list = await open(`/projects/${project}?q=environment:os%3Dwindows`);
    expect(list.html).to.include(run).and.not.include(other.run);
    const tests = await open(`/projects/${project}/tests?q=environment:os%3Dmacos`);
    expect(tests.html).to.include('No test matches.');
  });

  it('lead from a run to its new failures alone, and not where nothing is new', async () => {
    const { run, before } = await givenChanged();
    const { html } = await open(`/runs/${run}`);
    const [, path = ''] = /<a href="([^"]*)">Only 2 new failures<\/a>/u.exec(html) ?? [];
    const { html: list } = await open(unescaped(path).replace(`/teams/${team.id}`, ''));
    expect(list).to.include('>adds</a>').and.to.include('>refunds</a>').and.not.include('>pays</a>');
    expect((await open(`/runs/${before}`)).html).not.to.match(/Only \d+ new/u);
  });

  it('show causes of several tests, then single failures, and passed tests as a number alone', async () => {
    const { run, before, results } = await givenChanged();
    const { html } = await open(`/runs/${run}`);
    const text = textOf(html);
    expect(text.indexOf('Failures with one cause')).to.be.within(0, text.indexOf('Single failures'));
    expect(text).to.include('2 tests');
    // Its page has the screenshot, and says whether the test is flaky: three clicks from the start.
    expect(text).to.match(/for example (pays|refunds)/u);
    expect(html).to.include(`/teams/${team.id}/results/${results[0]}`);
    expect(html).to.include(`/teams/${team.id}/runs/${before}`);
    for (const kind of ['Flaky 1', 'Removed 1', 'Added 1', 'Passed 1']) expect(text).to.include(kind);
    expect(html).to.include(`action="/teams/${team.id}/runs/${run}/results"`);
  });

  it('show each cause in the runs of the branch and tool of the run, green only where a test of it passed', async () => {
    const line = { metadata: { branch: 'main', tool: 'pytest' } };
    const { run } = await givenSubmission(team.owner, project, [{ name: 'pays', ...down }], line);
    await givenSubmission(team.owner, project, [{ name: 'another' }], line);
    await givenSubmission(team.owner, project, [{ name: 'pays' }], onMain('a'));
    for (const path of [`/runs/${run}`, `/runs/${run}/failures`]) {
      const { html } = await open(path);
      const cells = [...html.matchAll(/<rect class="(\w+)"[^>]*><title>([^<]*)/gu)].map(
        ([, ...cell]) => cell,
      );
      expect(cells).to.deep.equal([
        ['failed', 'failed, this run'],
        ['absent', 'neither failed nor passed'],
      ]);
      expect(textOf(html)).to.include('failed in 1 of the last 2 runs on main by pytest');
    }
  });

  it('count tests where they say tests, however many attempts failed', async () => {
    const items = ['pays', 'refunds'].flatMap((name) => [
      { name, ...down },
      { name, ...down },
    ]);
    const { run } = await givenSubmission(team.owner, project, items, onMain('a'));
    const { results } = await givenSubmission(team.owner, project, [{ name: 'pays', ...down }], onMain('b'));
    expect(textOf((await open(`/runs/${run}`)).html)).to.include('2 tests (4 results)');
    const page = textOf((await open(`/results/${results[0]}`)).html);
    expect(page).to.match(/main ?a.{0,40}? 2 tests/su);
  });

  it('say "still failing" on the default branch itself', async () => {
    for (const commit of ['a', 'b'])
      await givenSubmission(team.owner, project, [{ name: 'pays', ...down }], onMain(commit));
    const { run } = await givenSubmission(team.owner, project, [{ name: 'pays', ...down }], onMain('c'));
    expect(textOf((await open(`/runs/${run}`)).html)).to.include('1 failed: 1 still failing');
  });

  it('say which shards are missing while a run goes on, and name no test removed', async () => {
    await givenSubmission(team.owner, project, [{ name: 'gone' }], onMain('1'));
    const { run } = await givenSubmission(team.owner, project, [{ name: 'pays', ...down }], {
      run_key: 'build 7',
      shard: { index: 2, total: 5 },
    });
    const { html, reply } = await open(`/runs/${run}`);
    expect(textOf(html)).to.include('Missing: 1, 3–5 (4 shards)');
    expect(textOf(html)).not.to.include('Removed');
    expect(liveParts(reply)).to.have.all.keys(...LIVE, 'shards');
  });

  it('show shards that all came after the failures, and say of a retried failure that it failed', async () => {
    const { run } = await givenSubmission(
      team.owner,
      project,
      [
        { name: 'pays', ...down, attempt: 1 },
        { name: 'pays', ...down, attempt: 2 },
        { name: 'adds', ...down },
      ],
      { run_key: 'build 8', shard: { index: 1, total: 1 } },
    );
    const text = textOf((await open(`/runs/${run}`)).html);
    expect(text.indexOf('Failures with one cause')).to.be.within(0, text.indexOf('Shards 1 of 1'));
    expect(text).not.to.include('passed on 2');
  });

  it('count single failures only as far as they are shown', async () => {
    const { run } = await givenSubmission(
      team.owner,
      project,
      Array.from({ length: 21 }, (_, n) => ({
        name: `test ${n}`,
        status: 'failed',
        error_message: `${letters(n + 10)} is wrong`,
      })),
    );
    const text = textOf((await open(`/runs/${run}`)).html);
    expect(text).to.include('Single failures the first 20').and.include('1 more cause of failures');
  });

  it('say what to do while there are no results', async () => {
    const { test_run_id: run } = await givenRun(team.owner, project);
    const { html } = await open(`/runs/${run}`);
    expect(textOf(html)).to.include('Waiting for results');
    expect(html).to.include('curl -X POST').and.to.include(run);
  });

  it('show of an empty run that is going the results, its end and its gate as soon as they come', async () => {
    const { test_run_id } = await givenRun(team.owner, project);
    const path = `/runs/${test_run_id}`;
    const empty = await open(path);
    const before = liveParts(empty.reply);
    for (const id of ['no-results', 'about', 'compared'])
      expect(empty.html).to.include(`<div id="live-${id}">${before[id]}</div>`);
    expect(textOf(before['no-results']!)).to.include('This run has no results yet');
    expect(textOf(before['about']!)).to.include('Started');
    await givenResult(team.owner, project, { test_run_id, status: 'Passed' });
    const first = liveParts((await open(path, { onlyLive: true })).reply);
    expect(first['no-results'])
      .to.match(/^<first-results>/u)
      .and.not.include('no results yet');
    await givenResult(team.owner, project, { test_run_id, status: 'Failed' });
    await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    const last = liveParts((await open(path, { onlyLive: true })).reply);
    expect(last['no-results'], 'no second reload').to.equal(first['no-results']);
    expect(textOf(last['about']!)).to.match(/Gate ✗ failed Finished/u);
    expect(textOf(last['verdict']!)).to.include('1 failed');
    const { html } = await open(path);
    expect(textOf(html)).to.include('Single failures 1').and.include('Passed 1');
    expect(html).not.to.include('live-no-results');
  });

  it('show a completed run that got no result as such, also on a page that was open before', async () => {
    const { test_run_id } = await givenRun(team.owner, project);
    await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    const { reply } = await open(`/runs/${test_run_id}`, { onlyLive: true });
    expect(textOf(liveParts(reply)['no-results']!)).to.include('was completed without any result');
  });

  it('show in live parts what the page shows, without forms and anything personal', async () => {
    const { run } = await givenChanged();
    const { html, reply } = await open(`/runs/${run}`, { name: 'Zoe-Personal' });
    const parts = liveParts(reply);
    expect(parts).to.have.all.keys(...LIVE);
    expect(html).not.to.include('live-no-results');
    for (const [id, part] of Object.entries(parts)) {
      if (id !== 'no-results')
        expect(html)
          .to.match(new RegExp(`<(?:div|span) id="live-${id}"`, 'u'))
          .and.include(`>${part}</`);
      expect(part).not.to.match(/<form|csrf|the-token-of-the-form|personal/iu);
    }
    const other = await open(`/runs/${run}`, { name: 'Bob' });
    expect(liveParts(other.reply)['verdict']).to.equal(parts['verdict']);
  });

  it('read no list for live parts', async () => {
    const { run } = await givenChanged();
    const { calls, reply } = await open(`/runs/${run}`, { onlyLive: true });
    expect(calls).to.have.length.at.most(4);
    expect(calls.filter((path) => /failures|comparison\//u.test(path))).to.deep.equal([]);
    expect(liveParts(reply)['verdict']).to.include('3 failed');
  });

  it('find passed tests by a part of their names', async () => {
    const { run } = await givenSubmission(team.owner, project, [
      { name: 'Cart › adds' },
      { name: 'Search › finds' },
    ]);
    const { html } = await open(`/runs/${run}/results?q=status:passed+cart`);
    expect(html).to.include('Cart › adds').and.not.to.include('Search › finds');
    expect(textOf((await open(`/runs/${run}/results?q=nowhere`)).html)).to.include(
      'No result of the run is like this',
    );
  });

  it('show of the baseline when it took place, not when it was posted', async () => {
    const took = { started_at: '2026-01-02T03:04:00Z', finished_at: '2026-01-02T03:05:00Z' };
    await givenSubmission(team.owner, project, [{ name: 'pays' }], { ...onMain('1'), ...took });
    const { run } = await givenSubmission(team.owner, project, [{ name: 'pays' }], onMain('2'));
    expect(textOf((await open(`/runs/${run}`)).html)).to.match(/Compared with .*?2026-01-02 03:05/u);
  });

  it('compare a run with the newest run of a branch in one step, and say so where there is none of its tool', async () => {
    const on = (branch: string, tool: string, message: string, items: object[]) =>
      givenSubmission(team.owner, project, items, { metadata: { branch, tool, message } });
    const { run } = await on('main', 'jest', 'Add a wallet', [{ name: 'pays' }, { name: 'ships' }]);
    await on('wallet', 'jest', 'Begin', [{ name: 'begins' }]);
    const newest = await on('wallet', 'jest', 'Mend the cart', [
      { name: 'pays', ...down },
      { name: 'ships' },
    ]);
    await on('wallet', 'playwright', 'Mend the cart', [{ name: 'opens' }]);
    const page = `/runs/${run}/compare`;
    const path = `/teams/${team.id}${page}`;
    expect((await open(page)).html).to.include(`href="${path}?branch=wallet"`);
    const { html } = await open(`${page}?branch=wallet`);
    expect(html).to.include(`/runs/${newest.run}"`).and.to.include('>pays</a>');
    expect(textOf(html)).to.include('Fixed 1');
    const rows = html.match(/<tr data-row.*?<\/tr>/gsu)!.filter((row) => row.includes('?branch=wallet'));
    expect(rows.map(textOf)[0]).to.match(/^✗ failed Mend the cart wallet /u);
    expect(rows.map((row) => row.includes('aria-current="true"'))).to.deep.equal([true, false]);
    expect(html).to.include(`${path}?branch=wallet&amp;with=`).and.not.to.include('playwright');
    const none = textOf((await open(`${page}?branch=wallett`)).html);
    expect(none).to.include('The branch wallett has no other run of jest');
  });

  it('say on every tab how the run ended, and what it was', async () => {
    const metadata = { branch: 'main', tool: 'jest', message: 'Add a wallet' };
    const { run } = await givenSubmission(team.owner, project, [{ name: 'pays', status: 'failed' }], {
      metadata,
    });
    for (const end of ['', '/results', '/compare', '/history', '/links', '/failures']) {
      const said = textOf((await open(`/runs/${run}${end}`)).html);
      expect(said, end).to.match(/✗ failed .*Add a wallet/u);
    }
  });

  it('compare a run with another one, and say so where there is no such run', async () => {
    const { run, before } = await givenChanged();
    const third = await givenSubmission(team.owner, project, [{ name: 'pays' }], onMain('3'));
    const { html } = await open(`/runs/${third.run}/compare?with=${run}&kind=fixed`);
    expect(html).to.include('>pays</a>').and.to.include('aria-current="page"');
    expect(textOf(html))
      .to.match(/Removed 3/u)
      .and.to.match(/Compared with [^:]*: 1 fixed/u);
    const typed = await open(`/runs/${third.run}/compare?id=${before}&page=3`);
    expect(typed.reply).to.deep.equal({
      redirect: `/teams/${team.id}/runs/${third.run}/compare?with=${before}`,
    });
    const unknown = await open(`/runs/${third.run}/compare?with=run_1`);
    expect(textOf(unknown.html)).to.include('There is no such other run in this project');
  });

  it('show who did what to a run and to a result, and what it changed', async () => {
    const { test_run_id } = await givenRun(team.owner, project);
    const { test_result_id } = await givenResult(team.owner, project, { test_run_id, status: 'Failed' });
    await team.owner.post(`/v1/test/result/${test_result_id}`, { status: 'Passed' });
    expect(textOf((await open(`/runs/${test_run_id}/history`)).html)).to.include('RunCreated');
    const { html } = await open(`/results/${test_result_id}/history`);
    expect(textOf(html)).to.include('failed → passed');
  });

  it('are Markdown and JSON for scripts, the verdict first and groups before other results', async () => {
    const { run, results } = await givenChanged();
    const { reply: md } = await open(`/runs/${run}.md`);
    expect(md).to.have.property('type', 'text/markdown');
    const { text } = md as { text: string };
    expect(text).to.match(/^# 3 failed: 2 new, 1 also on main · 1 flaky · 1 passed/u);
    const base = `http://ledger.example/teams/${team.id}`;
    expect(text).to.include(`<${base}/results/${results[0]}.md>`);
    expect(text).not.to.match(/(?<!ledger\.example)\/teams\//u);
    expect(text.indexOf('## Failures with one cause')).to.be.within(0, text.indexOf('## Flaky'));
    const { reply: json } = await open(`/runs/${run}.json`);
    const read = JSON.parse((json as { text: string }).text);
    expect(read).to.include({ id: run, url: `${base}/runs/${run}`, outcome: 'failed', groups_total: 2 });
    // The verdict has those that stand, as in the API; one failed attempt was retried.
    expect([read.counts.failed, read.standing_counts.failed]).to.deep.equal([4, 3]);
    expect(
      read.groups.map((group: { new: boolean; tests: number }) => [group.new, group.tests]),
    ).to.deep.equal([
      [true, 1],
      [false, 2],
    ]);
    expect(read.flaky.map(({ name }: { name: string }) => name)).to.deep.equal(['removes']);
  });

  it('escape every text of a report', async () => {
    const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
    const { run, results } = await givenSubmission(
      team.owner,
      project,
      [1, 2].map((n) => ({
        name: `${hostile} ${n}`,
        status: 'failed',
        error_message: hostile,
        metadata: { owner: hostile, file: hostile },
      })),
      {
        label: hostile,
        metadata: {
          branch: hostile,
          commit: hostile,
          actor: hostile,
          message: hostile,
          pull_request: hostile,
        },
      },
    );
    const paths = ['', '/results', '/compare', '/history', '/failures', '.md'].map(
      (end) => `/runs/${run}${end}`,
    );
    for (const path of [...paths, `/results/${results[0]}/history`]) {
      const { html } = await open(path);
      expect(html, path).not.to.match(/<(?:script|img)/iu);
    }
  });

  it('are not there for a run of another team', async () => {
    const { run } = await givenChanged();
    const other = await server.newTeam();
    for (const end of ['', '.md', '/results', '/results?q=pays', '/compare', '/history', '/failures']) {
      let code = '';
      try {
        await visit(`/teams/${other.id}/runs/${run}${end}`, { api: other.owner, team: other.id });
      } catch (error) {
        code = isAppError(error) ? error.code : String(error);
      }
      expect(code, end).to.equal('not_found');
    }
  });

  describe('of 2,000 results with 1,000 failures', () => {
    let run = '';
    before(async () => {
      project = await givenProject(team.owner, { name: 'A large one' });
      const items = (offset: number) =>
        Array.from({ length: 2_000 }, (_, n) => ({
          name: `area ${n % 50} › does thing ${n + offset}`,
          duration_ms: n,
          ...(n % 2 === 0 && {
            status: 'failed',
            error_message: `Error: thing is wrong\n    at ${n % 8 === 0 ? `single${letters(n)}` : `shared${letters(n % 30)}`} (src/thing.ts:1:1)\n${'long '.repeat(150)}`,
            metadata: { owner: '@team', file: `test/${'deep/'.repeat(20)}thing.ts` },
          }),
        }));
      await givenSubmission(team.owner, project, items(600), onMain('1'));
      ({ run } = await givenSubmission(team.owner, project, items(0), onMain('2')));
    });
    const paths = [
      '',
      '/failures',
      '/failures?page=3',
      '/results',
      '/results?q=status:failed',
      '/compare',
      '/compare?kind=new_failures&page=2',
      '/history',
    ];
    for (const path of paths) {
      it(`keep within the bounds of a page: ${path === '' ? 'the run' : path}`, async () => {
        const { html, calls } = await open(`/runs/${run}${path}`);
        const { bytes, nodes, rows } = sizeOf(html);
        expect(bytes).to.be.within(1_000, 300_000);
        expect(nodes).to.be.at.most(5_000);
        expect(rows).to.be.at.most(200);
        expect(calls).to.have.length.at.most(12);
      });
    }
    it('keep within 20 kB as text, and count what is left out', async () => {
      const { reply: md } = await open(`/runs/${run}.md`);
      const { reply: json } = await open(`/runs/${run}.json`);
      for (const reply of [md, json])
        expect(Buffer.byteLength((reply as { text: string }).text)).to.be.within(5_000, 20_000);
      expect((md as { text: string }).text).to.match(/Left out here: .*causes of failures/u);
    });
  });
});

/** Numbers are no part of a cause; letters are. */
function letters(n: number): string {
  return n.toString(36).replaceAll(/\d/gu, (digit) => 'ghijklmnop'[Number(digit)]!);
}
