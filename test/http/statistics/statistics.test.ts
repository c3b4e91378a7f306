import { expect } from 'chai';
import { givenProject, givenSubmission, givenTeam } from '../given.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const noTotals = {
  runs: { passed: 0, failed: 0, skipped: 0, empty: 0 },
  tests: 0,
  results: { passed: 0, failed: 0, skipped: 0, known_fail: 0 },
  new_failures: 0,
  fixed: 0,
  flaky_tests: 0,
  known_failures: 0,
  removed: 0,
  duration_ms: { p50: null, p95: null },
  lost_ms: 0,
};

describe('surface B: statistics', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  type Run = { day?: string; minutes?: number; metadata?: object };
  const submit = async (
    items: readonly object[],
    { day = '2026-11-20', minutes = 1, metadata }: Run = {},
  ) => {
    const [started_at, finished_at] = [`${day}T10:00:00.000Z`, `${day}T10:0${minutes}:00.000Z`];
    const fields = { started_at, finished_at, metadata: metadata ?? { branch: 'main' } };
    return (await givenSubmission(team.owner, project, items, fields)).run;
  };
  const stats = async (query: string) =>
    (await team.owner.get(`/v1/projects/${project}/stats?${query}`)).body.data;
  const sorted = async (query: string) =>
    (await team.owner.get(`/v1/projects/${project}/tests?from=2026-11-01&to=2026-11-30&${query}`)).body.data;
  const names = async (query: string) => (await sorted(query)).map(({ name }: { name: string }) => name);

  it('has a row of zeros for each day of a project without runs, by default of the last 30', async () => {
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const { from, to, totals, previous, rows } = await stats('');
    expect([totals, previous]).to.deep.equal([noTotals, noTotals]);
    expect(rows).to.have.length(30);
    expect([rows[0].day, rows[29].day]).to.deep.equal([from, to]);
    // Midnight may have passed meanwhile.
    expect(to).to.be.oneOf([before, today()]);
  });

  it('counts runs, results and distinct tests by day, with the window before', async () => {
    await submit([{}, { status: 'failed' }], { day: '2026-11-18', minutes: 3 });
    await submit([{}, {}, { status: 'skipped' }]);
    await submit([{ status: 'failed' }, {}], { metadata: { branch: 'feature', tool: 'jest' } });
    const { totals, previous, rows } = await stats('from=2026-11-19&to=2026-11-20');
    expect(rows.map(({ day }: { day: string }) => day)).to.deep.equal(['2026-11-19', '2026-11-20']);
    expect(rows[0]).to.deep.equal({ day: '2026-11-19', ...noTotals });
    expect(totals).to.deep.include({
      runs: { passed: 1, failed: 1, skipped: 0, empty: 0 },
      tests: 2,
      results: { passed: 3, failed: 1, skipped: 1, known_fail: 0 },
      fixed: 1,
      new_failures: 1,
    });
    expect(totals.duration_ms.p50).to.be.within(58_800, 61_200);
    expect(previous).to.deep.include({ tests: 2, runs: { ...noTotals.runs, failed: 1 } });
  });

  it('narrows by branch, class of branch, tool and environment', async () => {
    await submit([{}]);
    await submit([{}, {}], { metadata: { branch: 'feature', tool: 'jest', environment: { os: 'linux' } } });
    const passed = async (query: string) => (await stats(`to=2026-11-20&${query}`)).totals.results.passed;
    expect(await passed('branch=main')).to.equal(1);
    expect(await passed('branch=feature')).to.equal(2);
    expect(await passed('branch=none')).to.equal(0);
    expect(await passed('branch_class=default')).to.equal(1);
    expect(await passed('branch_class=others')).to.equal(2);
    expect(await passed('tool=jest')).to.equal(2);
    expect(await passed('environment=os%3Dlinux')).to.equal(2);
    expect(await passed('environment=')).to.equal(1);
  });

  it('has a row a week, by its Monday, of the days of the window', async () => {
    await submit([{}], { day: '2026-11-16' });
    await submit([{}], { day: '2026-11-18' });
    await submit([{}], { day: '2026-11-23' });
    const { rows } = await stats('from=2026-11-17&to=2026-11-24&by=week');
    expect(rows.map(({ day, results }: any) => [day, results.passed])).to.deep.equal([
      ['2026-11-16', 1],
      ['2026-11-23', 1],
    ]);
  });

  it('moves with corrections, deletions and reruns', async () => {
    const run = await submit([{ status: 'failed', duration_ms: 5_000 }, {}]);
    const result = `result_${run.slice('run_'.length)}_0`;
    const totals = async () => (await stats('from=2026-11-20&to=2026-11-20')).totals;
    expect((await totals()).runs.failed).to.equal(1);
    await team.owner.post(`/v1/test/result/${result}`, { status: 'Passed' });
    expect(await totals()).to.deep.include({
      runs: { ...noTotals.runs, passed: 1 },
      results: { ...noTotals.results, passed: 2 },
      new_failures: 1,
    });
    await team.owner.delete(`/v1/test/result/${result}`);
    expect(await totals()).to.deep.include({ tests: 1, results: { ...noTotals.results, passed: 1 } });
  });

  it('counts the time of failures that were no fault of the commit, and each millisecond once', async () => {
    const metadata = { branch: 'main', commit: 'abc' };
    const failed = { name: 'flaky', status: 'failed', duration_ms: 7_000 };
    const lost = async () => (await stats('from=2026-11-20&to=2026-11-20')).totals.lost_ms;
    await submit(
      [
        { ...failed, attempt: 1 },
        { name: 'flaky', attempt: 2 },
        { name: 'red', status: 'failed', duration_ms: 500 },
      ],
      { metadata },
    );
    expect(await lost()).to.equal(7_000);
    await submit([{ name: 'red' }, { name: 'other', status: 'failed' }], { metadata });
    expect(await lost()).to.equal(7_500);
    // Run again green: both red runs took a minute each.
    await submit([{ name: 'red' }], { metadata });
    expect(await lost()).to.equal(120_000);
    expect((await sorted('sort=lost')).map(({ name, lost_ms }: any) => [name, lost_ms])).to.deep.equal([
      ['flaky', 7_000],
      ['red', 500],
      ['other', 0],
    ]);
  });

  it('sorts tests by what they cost in a window', async () => {
    const tests = (more: object = {}) => [
      { name: 'fast', duration_ms: 10, ...more },
      { name: 'slow', duration_ms: 9_000 },
      { name: 'retried', attempt: 1, status: 'failed', duration_ms: 100 },
      { name: 'retried', attempt: 2, duration_ms: 120 },
      { name: 'skipped', status: 'skipped' },
    ];
    await submit(tests());
    await submit(tests({ status: 'failed' }));
    await submit([{ name: 'old' }], { day: '2026-10-01' });
    expect(await names('sort=duration')).to.deep.equal(['slow', 'retried', 'fast']);
    expect(await names('sort=duration&order=asc')).to.deep.equal(['fast', 'retried', 'slow']);
    expect((await names('sort=failure_rate'))[0]).to.equal('fast');
    expect((await names('sort=flaky'))[0]).to.equal('retried');
    expect((await names('sort=last_result_at&order=asc'))[0]).to.equal('old');
    expect(await names('sort=last_result_at')).to.have.length(5);
    expect(await names('sort=duration&q=FAST')).to.deep.equal(['fast']);
    const [slow] = await sorted('sort=duration&per_page=1');
    expect(slow).to.include({ runs: 2, failures: 0, flaky_runs: 0, lost_ms: 0 });
    expect(slow.duration_ms.p50).to.be.within(8_820, 9_180);
    const [retried] = await sorted('sort=flaky&per_page=1');
    expect(retried).to.include({ runs: 2, failures: 0, flaky_runs: 2, lost_ms: 200 });
  });

  it('sorts tests anew once a run is completed, a result is corrected, or one is deleted', async () => {
    await submit([
      { name: 'quick', duration_ms: 10 },
      { name: 'slow', duration_ms: 100 },
    ]);
    expect(await names('sort=duration')).to.deep.equal(['slow', 'quick']);
    await submit([{ name: 'slower', duration_ms: 1_000 }]);
    expect(await names('sort=duration')).to.deep.equal(['slower', 'slow', 'quick']);
    const list = await team.owner.get(`/v1/projects/${project}/tests?q=slower`);
    const { id: test } = list.body.data[0];
    const { body } = await team.owner.get(`/v1/projects/${project}/tests/${test}/history`);
    const result = `/v1/test/result/${body.data[0].id}`;
    await team.owner.post(result, { execution_time_ms: 50 });
    expect(await names('sort=duration')).to.deep.equal(['slow', 'slower', 'quick']);
    await team.owner.delete(result);
    expect(await names('sort=duration')).to.deep.equal(['slow', 'quick']);
  });

  it('sorts the tests that ran on a branch by the runs of its class, and those of an environment by theirs', async () => {
    await submit([{ name: 'both', duration_ms: 10 }, { name: 'main alone' }]);
    await submit([{ name: 'both', duration_ms: 9_000 }], {
      metadata: { branch: 'feature', environment: { os: 'linux' } },
    });
    expect(await names('sort=duration&branch=feature')).to.deep.equal(['both']);
    expect((await sorted('sort=duration&branch=main'))[0].duration_ms.p50).to.equal(10);
    expect((await sorted('sort=duration&branch_class=others'))[0].duration_ms.p50).to.be.within(8_820, 9_180);
    expect(await names('sort=duration&environment=os%3Dlinux')).to.deep.equal(['both']);
    expect((await sorted('sort=duration&environment='))[0].duration_ms.p50).to.equal(10);
  });

  it('counts all projects of the team, and each of them', async () => {
    await submit([{}]);
    const first = project;
    project = await givenProject(team.owner);
    await submit([{}, {}]);
    const { totals, projects } = (await team.owner.get('/v1/stats?from=2026-11-20&to=2026-11-20')).body.data;
    const own = projects.filter(({ project_id }: any) => [first, project].includes(project_id));
    expect(own.map(({ tests }: any) => tests)).to.deep.equal([1, 2]);
    expect(totals.tests).to.equal(projects.reduce((sum: number, { tests }: any) => sum + tests, 0));
  });

  it('refuses windows and orders that do not go together', async () => {
    for (const query of [
      'stats?from=2026-02-30',
      'stats?from=yesterday',
      'stats?from=2026-11-02&to=2026-11-01',
      'stats?from=2025-01-01&to=2026-11-01',
      'stats?branch=main&branch_class=others',
      'stats?environment=x',
      'stats?by=month',
      'tests?sort=commit',
      'tests?sort=name&from=2026-11-01',
      'tests?order=asc',
      'tests?from=2026-11-01',
      'tests?branch_class=others',
      'tests?sort=lost&trouble=any',
      'tests?sort=lost&not_run_since=2026-11-01T00%3A00%3A00Z',
    ])
      expectError(await team.owner.get(`/v1/projects/${project}/${query}`), 400, 'invalid_request');
  });
});
