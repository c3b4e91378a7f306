import { expect } from 'chai';
import { failsInWords, stateInWords } from '../../../src/dashboard/pages/test/state.js';
import { timed } from '../../../src/dashboard/pages/test/durations.js';
import { stripOf } from '../../../src/dashboard/pages/test/strip.js';
import type { Outcome } from '../../../src/dashboard/pages/result/load.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { givenProject, givenSubmission, givenTeam } from '../../http/given.js';
import { testServer } from '../../kit/server.js';
import { attributeOf, elementsIn, intruders, textOf } from '../html.js';
import { apiOf, openPage } from '../open-page.js';

describe('the page of a test', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner);
  });
  const open = async (name: string, rest = '') => {
    const path = `/teams/${team.id}/projects/${project}/tests/${testIdOf(project, name)}${rest}`;
    return openPage(path, { api: apiOf(team.owner), team: team.id });
  };

  it('has its outcomes, errors, durations and branches, and leads to each result', async () => {
    const name = 'pays';
    const main = { metadata: { branch: 'main', commit: 'a' } };
    const { results } = await givenSubmission(
      team.owner,
      project,
      [
        { name, status: 'failed', attempt: 1, duration_ms: 20, error_message: 'no money' },
        { name, status: 'passed', attempt: 2, duration_ms: 10 },
      ],
      main,
    );
    await givenSubmission(team.owner, project, [{ name, duration_ms: 30 }], {
      metadata: { branch: 'side', commit: 'b' },
    });
    const { html } = await open(name);
    expect(intruders(html)).to.deep.equal([]);
    const text = elementsIn(html).map(textOf)[0]!;
    for (const part of ['flaky', 'no money', 'side', 'All branches']) expect(text).to.contain(part);
    const links = elementsIn(html).flatMap((element) => attributeOf(element, 'href') ?? []);
    for (const id of results) expect(links).to.include(`/teams/${team.id}/results/${id}`);
    const rows = elementsIn(html).flatMap((element) => attributeOf(element, 'data-ms') ?? []);
    expect(rows).to.deep.equal(['30', '10', '20']);
    expect(html).to.contain('The last 1 run on side: 1 passed.');
    expect((await open(name, '?branch=main')).html).to.contain('The last 1 run on main: 1 flaky.');
    expect((await open(name, '?branch=side')).html).to.contain('The last 1 run on side: 1 passed.');
    expect((await open(name, '?branch=none')).html).to.contain('There is no outcome on this branch.');
  });

  it('of one environment has its outcomes, however many came in others since', async () => {
    const name = 'often on Linux';
    const given = (os: string, count: number) =>
      givenSubmission(
        team.owner,
        project,
        Array.from({ length: count }, (_, n) => ({ name, attempt: n + 1 })),
        { metadata: { branch: 'main', environment: { os } } },
      );
    const { results } = await given('windows', 2);
    await given('linux', 110);
    const { reply } = await open(name, '.json?environment=os%3Dwindows');
    const { outcomes } = JSON.parse('text' in reply ? reply.text : '') as { outcomes: Outcome[] };
    expect(outcomes.map(({ result_id }) => result_id)).to.deep.equal(results.toReversed());
  });

  it('has a line for each environment, and can be of one alone', async () => {
    const name = 'runs anywhere';
    for (const [os, status] of [
      ['windows', 'failed'],
      ['linux', 'passed'],
    ]) {
      const metadata = { branch: 'main', environment: { os } };
      await givenSubmission(team.owner, project, [{ name, status }], { metadata });
    }
    const lines = (html: string) =>
      elementsIn(html)
        .flatMap((element) => attributeOf(element, 'href') ?? [])
        .filter((href) => href.includes('environment=os'));
    const { html } = await open(name);
    expect(lines(html)).to.have.length(2);
    const windows = await open(name, '?environment=os%3Dwindows');
    expect(windows.html).to.contain('The last 1 run on main in os=windows: 1 failed.');
    const { reply } = await open(name, '.md?environment=os%3Dlinux');
    expect((reply as { text: string }).text).to.contain('- Environment: os=linux');
    const { reply: all } = await open(name, '.md');
    expect((all as { text: string }).text).to.contain('- os=windows: failing, fails 100 %');
    expect((await open('pays')).html).to.not.contain('Environments');
  });

  it('follows the worst environment and says which, whatever passed last elsewhere', async () => {
    const name = 'fails on Windows';
    const given = async (os: string, item: object, branch = 'main') => {
      const metadata = { branch, environment: { os } };
      return (await givenSubmission(team.owner, project, [{ name, ...item }], { metadata })).results[0]!;
    };
    let failed = '';
    for (let n = 0; n < 3; n += 1) {
      await given('windows', { duration_ms: 90_000 }, 'feat');
      failed = await given('windows', { status: 'failed' });
      await given('linux', { duration_ms: 10 });
    }
    const { html } = await open(name);
    const facts = textOf(elementsIn(html).find(({ tagName }) => tagName === 'dl')!);
    for (const part of ['failing', 'in os=windows', 'Its last outcome failed', '1m 30s'])
      expect(facts).to.contain(part);
    expect(facts).to.not.contain('passed');
    expect(html).to.contain('The last 3 runs on main in os=windows: 3 failed.');
    expect(html).to.contain('Durations <span class="count break">in os=windows</span>');
    const [tab] = elementsIn(html).filter((each) => attributeOf(each, 'href')?.endsWith('?branch=main'));
    expect(textOf(tab!)).to.contain('failed');
    const side = await open(name, '?branch=feat');
    expect(side.html).to.contain('The last 3 runs on feat in os=windows: 3 passed.');

    const { reply: md } = await open(name, '.md');
    const { text } = md as { text: string };
    expect(text).to.match(/^# fails on Windows\n\n- State: failing in os=windows\. Its last outcome failed/);
    expect(text).to.contain('failed, attempt 1, –, main, in os=windows, ');
    expect(text).to.contain(', main, in os=linux, ');
    const { reply: json } = await open(name, '.json');
    const { status, outcomes, usual_duration_ms, branches } = JSON.parse((json as { text: string }).text);
    expect(status).to.deep.include({ name: 'failing', environment_key: 'os=windows', evidence: [failed] });
    expect(usual_duration_ms.p50).to.equal(90_000);
    expect(outcomes.map(({ environment_key }: Outcome) => environment_key).slice(0, 2)).to.deep.equal([
      'os=linux',
      'os=windows',
    ]);
    expect(branches).to.deep.include({ name: 'main', status: 'failed' });
  });

  it('of results without an environment has those alone, though others came with one', async () => {
    const name = 'with and without';
    await givenSubmission(team.owner, project, [{ name }]);
    await givenSubmission(team.owner, project, [{ name }], { metadata: { environment: { os: 'linux' } } });
    const { reply } = await open(name, '.json?environment=');
    const { outcomes } = JSON.parse((reply as { text: string }).text);
    expect(outcomes.map(({ environment_key }: Outcome) => environment_key)).to.deep.equal(['']);
  });

  it('is there as Markdown and as JSON', async () => {
    await givenSubmission(team.owner, project, [{ name: 'as text', duration_ms: 30 }]);
    const { reply: md } = await open('as text', '.md');
    expect((md as { text: string }).text).to.match(/^# as text\n\n- State: stable\./);
    const { reply: json } = await open('as text', '.json');
    const { status, outcomes } = JSON.parse((json as { text: string }).text);
    expect(status.name).to.equal('stable');
    expect(outcomes).to.have.length(1);
  });

  it('has at most 100 rows, 300 kB and 5,000 elements, however many results there are', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({
      name: 'runs often',
      status: n % 2 === 0 ? 'failed' : 'passed',
      error_message: `an error number ${'x'.repeat(n % 50)} ${'long '.repeat(100)}`,
      metadata: { branch: `a branch with a long name ${'y'.repeat(100)} ${n}` },
    }));
    await givenSubmission(team.owner, project, items);
    const { html } = await open('runs often');
    expect(html).to.contain('in these 100 outcomes');
    expect(elementsIn(html).filter((element) => attributeOf(element, 'data-at') !== null)).to.have.length(
      100,
    );
    expect(Buffer.byteLength(html)).to.be.below(300_000);
    expect(elementsIn(html).length).to.be.below(5_000);
  });
});

describe('the state of a test in words', () => {
  const stateOf = (outcomes: readonly Outcome[], state: 'stable' | 'flaky' | 'broken' = 'stable') =>
    stateInWords({ state, last_outcomes: outcomes.map(({ status }) => status) }, outcomes);
  const outcome = (status: string, more: Partial<Outcome> = {}) =>
    ({ status, attempt: 1, test_run_id: 'run', superseded_by: null, result_id: status, ...more }) as Outcome;

  it('names the attempts of one run that show that it is flaky', () => {
    const outcomes = [
      outcome('passed', { test_run_id: 'other' }),
      outcome('passed', { attempt: 2 }),
      outcome('failed'),
    ];
    const { name, evidence } = stateOf(outcomes, 'flaky');
    expect(name).to.equal('flaky');
    expect(evidence).to.deep.equal([outcomes[2], outcomes[1]]);
  });

  it('names no outcomes of two environments as evidence that it is flaky', () => {
    const [chromium, webkit] = ['chromium', 'webkit'].map((each) => ({ environment_key: `project=${each}` }));
    const apart = [outcome('passed', { attempt: 2, ...chromium }), outcome('failed', webkit)];
    expect(stateOf(apart, 'flaky').evidence).to.deep.equal([]);
    const own = outcome('failed', { ...chromium, result_id: 'own' });
    expect(stateOf([...apart, own], 'flaky').evidence).to.deep.equal([own, apart[0]]);
    const bothAtOnce = [outcome('passed', chromium), outcome('failed', webkit)];
    expect(stateOf(bothAtOnce, 'flaky').evidence).to.deep.equal([]);
  });

  it('is failing where its last outcome failed and it is not yet broken', () => {
    const outcomes = [outcome('failed'), outcome('skipped'), outcome('failed'), outcome('passed')];
    expect(stateOf(outcomes)).to.deep.include({
      name: 'failing',
      evidence: [outcomes[2]],
    });
    expect(stateOf(outcomes.slice(3)).name).to.equal('stable');
    expect(stateOf([]).name).to.equal('stable');
    expect(stateOf(outcomes, 'broken').name).to.equal('broken');
  });

  it('does not say that a test passed which was only ever skipped', () => {
    for (const none of [[outcome('skipped'), outcome('skipped')], []])
      expect(stateOf(none).rule).to.contain('None of its last outcomes is a pass');
  });

  it('tells of how many outcomes the share of failures is', () => {
    const told = (total: number) => failsInWords({ failure_rate: 0.5 }, total);
    expect(told(2)).to.deep.equal({ share: '50 %', of: 'of its last 2 outcomes' });
    expect(told(51)).to.deep.equal({ share: '50 %', of: 'of its last 50 outcomes' });
    expect(failsInWords({ failure_rate: 1 }, 1)).to.deep.equal({ share: '100 %', of: 'of its only outcome' });
    expect(failsInWords({ failure_rate: 0 }, 0)).to.deep.equal({ share: '–', of: 'no outcome yet' });
  });

  it('has a band of durations of the passes up to each outcome, from three passes on', () => {
    const outcomes = [40, 30, 20, 10].map((duration_ms) => outcome('passed', { duration_ms }));
    expect(timed(outcomes).map(({ p50, p95 }) => [p50, p95])).to.deep.equal([
      [30, 40],
      [20, 30],
      [null, null],
      [null, null],
    ]);
  });
});

describe('the strip of a test', () => {
  const at = (test_run_id: string | null, status: string, more: Partial<Outcome> = {}) =>
    ({
      status,
      attempt: 1,
      branch: 'main',
      environment_key: '',
      superseded_by: null,
      result_id: status,
      test_run_id,
      ...more,
    }) as Outcome;
  const run = (id: string, tool: string | null = 'pytest', branch = 'main', environment_key = '') => ({
    id,
    tool,
    branch,
    environment_key,
  });
  const shown = (outcomes: readonly Outcome[], runs: readonly ReturnType<typeof run>[]) => {
    const { like, runs: cells } = stripOf(outcomes, runs, 'main');
    return [like.tool, ...cells.map(({ run_id, word }) => `${run_id} ${word}`)];
  };

  it('has the runs of one branch and tool, and an empty cell where the test did not run', () => {
    const outcomes = [
      at('5', 'failed', { branch: 'feat' }),
      at('4', 'passed'),
      at('2', 'passed'),
      at('1', 'failed'),
    ];
    const runs = [
      run('6'),
      run('5', 'pytest', 'feat'),
      run('4'),
      run('3'),
      run('2', 'jest'),
      run('1'),
      run('0'),
    ];
    expect(shown(outcomes, runs)).to.deep.equal([
      'pytest',
      '6 without it',
      '4 passed',
      '3 without it',
      '1 failed',
    ]);
  });

  it('has the runs and results of one environment, that of the newest outcome', () => {
    const windows = { environment_key: 'os=windows' };
    const chromium = { environment_key: 'os=windows,project=chromium' };
    const outcomes = [
      at('4', 'failed', windows),
      at('4', 'passed', chromium),
      at('3', 'passed'),
      at('1', 'passed', windows),
    ];
    const on = (id: string, key: string) => run(id, 'pytest', 'main', key);
    const runs = [on('4', 'os=windows'), on('3', ''), on('2', 'os=windows'), on('1', 'os=windows')];
    expect(shown(outcomes, runs)).to.deep.equal(['pytest', '4 failed', '2 without it', '1 passed']);
    const project = [at('4', 'passed', chromium), at('4', 'failed', windows), at('2', 'passed', windows)];
    expect(shown(project, runs)).to.deep.equal(['pytest', '4 passed']);
  });

  it('has one cell for all attempts in a run: the last one decides', () => {
    const outcomes = [
      at('2', 'failed', { attempt: 1 }),
      at('2', 'passed', { attempt: 2 }),
      at('1', 'failed', { attempt: 2 }),
      at('1', 'failed', { attempt: 1 }),
    ];
    expect(shown(outcomes, [run('2'), run('1')])).to.deep.equal(['pytest', '2 flaky', '1 failed']);
  });

  it('has only runs with an outcome where the newest of them is not among the runs that were read', () => {
    expect(shown([at('2', 'passed'), at(null, 'failed')], [run('4'), run('3')])).to.deep.equal([
      null,
      '2 passed',
      'null failed',
    ]);
    expect(shown([], [run('4')])).to.deep.equal([null]);
  });
});
