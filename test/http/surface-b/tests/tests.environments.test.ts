import { expect } from 'chai';
import { bodyOf, givenProject, givenResult, givenSubmission, untilFollowed } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer, type Team } from '../../../kit/server.js';

describe('surface B: tests in environments', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
  });
  beforeEach(async () => {
    project = await givenProject(team.owner);
    await untilFollowed(team.owner, `/v1/projects/${project}/tests`);
  });
  const path = () => `/v1/projects/${project}/tests`;
  const tests = async (query = '') => (await bodyOf(team.owner, `${path()}?${query}`)).data;
  const submitted = async (os: string | null, status: string, more: object = {}) =>
    givenSubmission(team.owner, project, [{ name: 'pays', status }], {
      metadata: { branch: 'main', commit: 'abc', ...(os !== null && { environment: { os } }), ...more },
    });

  it('are flaky, broken and failing by line: a test that differs between two is not flaky', async () => {
    for (let n = 0; n < 20; n += 1) {
      await submitted('linux', 'passed');
      await submitted('windows', 'failed');
    }
    await submitted('mac', 'failed', { commit: 'def' });
    await submitted('mac', 'passed', { commit: 'def' });
    const [test] = await tests();
    const states = test.environments.map((line: any) => [line.environment, line.state, line.failure_rate]);
    expect(states).to.deep.equal([
      [{ os: 'windows' }, 'broken', 1],
      [{ os: 'mac' }, 'flaky', 0.5],
      [{ os: 'linux' }, 'stable', 0],
    ]);
    expect(test).to.deep.include({ state: 'broken', failure_rate: 0.5 });
    expect(test.last_outcomes.slice(0, 3)).to.deep.equal(['passed', 'failed', 'failed']);
    expect(await tests('trouble=broken')).to.have.length(1);
  });

  it('are listed as not run since an instant, by name, and in an environment by their line there', async () => {
    const ran = (name: string, os: string, day: string) =>
      givenSubmission(
        team.owner,
        project,
        [{ name, status: 'passed', started_at: `2026-11-${day}T10:00:00Z`, duration_ms: 1_000 }],
        { metadata: { environment: { os } } },
      );
    await ran('only in old runs', 'linux', '01');
    await ran('also on Windows now', 'linux', '02');
    await ran('also on Windows now', 'windows', '20');
    await ran('now', 'linux', '20');
    const since = 'not_run_since=2026-11-10T00:00:00%2B02:00';
    const names = async (query: string) => (await tests(query)).map(({ name }: { name: string }) => name);
    expect(await names(since)).to.deep.equal(['only in old runs']);
    expect(await names(`${since}&environment=os%3Dlinux`)).to.deep.equal([
      'also on Windows now',
      'only in old runs',
    ]);
    expect(await names(`${since}&environment=os%3Dwindows`)).to.deep.equal([]);
    expect(await names(`${since}&environment=os%3Dlinux&page=2&per_page=1`)).to.deep.equal([
      'only in old runs',
    ]);
    expectError(await team.owner.get(`${path()}?${since}&trouble=any`), 400, 'invalid_request');
    expectError(await team.owner.get(`${path()}?not_run_since=yesterday`), 400, 'invalid_request');
  });

  it('show 50 environments, the worst first, however many pass', async () => {
    const results = Array.from({ length: 60 }, (_, n) => ({
      name: 'pays',
      status: n === 57 ? 'failed' : 'passed',
      metadata: { environment: { n } },
    }));
    await givenSubmission(team.owner, project, results, { metadata: { branch: 'main' } });
    const [{ environments }] = await tests();
    expect(environments).to.have.length(50);
    expect(environments[0]).to.deep.include({ environment_key: 'n=57', last_outcomes: ['failed'] });
    expect(environments[1].environment_key).to.equal('n=0');
  });

  it('are in trouble in an environment by their line there, those with most failures in it first', async () => {
    const names = ['always on Windows', 'on Windows now', 'on Linux now'];
    const run = (os: string, failing: readonly string[]) =>
      givenSubmission(
        team.owner,
        project,
        names.map((name) => ({ name, status: failing.includes(name) ? 'failed' : 'passed' })),
        { metadata: { branch: 'main', environment: { os } } },
      );
    for (let n = 0; n < 20; n += 1) await run('windows', [names[0]!]);
    for (let n = 0; n < 3; n += 1) await run('linux', [names[2]!]);
    await run('windows', names.slice(0, 2));
    const listed = async (trouble: string, os: string, more = '') => {
      const { data, pagination } = await bodyOf(
        team.owner,
        `${path()}?trouble=${trouble}&environment=os%3D${os}${more}`,
      );
      expect(pagination.total, trouble).to.equal(more === '' ? data.length : 2);
      return data.map(({ name }: any) => name);
    };
    for (const trouble of ['any', 'failing']) {
      expect(await listed(trouble, 'windows')).to.deep.equal(names.slice(0, 2));
      expect(await listed(trouble, 'windows', '&per_page=1&page=2')).to.deep.equal([names[1]]);
      expect(await listed(trouble, 'linux')).to.deep.equal([names[2]]);
      expect(await listed(trouble, 'mac')).to.deep.equal([]);
    }
    expect(await listed('broken', 'windows')).to.deep.equal([names[0]]);
    expect(await listed('broken', 'linux')).to.deep.equal([]);
    expect(await listed('flaky', 'windows')).to.deep.equal([]);
  });

  it('are listed and shown by environment, on all branches or on one, or without one', async () => {
    await submitted('linux', 'passed');
    await submitted('windows', 'failed');
    await submitted('windows', 'passed', { branch: 'feat' });
    const shown = async (query: string) =>
      (await tests(query)).map(({ state, last_outcomes }: any) => [state, last_outcomes]);
    expect(await shown('environment=os%3Dwindows')).to.deep.equal([['flaky', ['passed', 'failed']]]);
    expect(await shown('environment=os%3Dwindows&branch=feat')).to.deep.equal([['flaky', ['passed']]]);
    expect(await shown('environment=os%3Dlinux&branch=main')).to.deep.equal([['stable', ['passed']]]);
    for (const none of ['environment=os%3Dlinux&branch=feat', 'environment=', 'environment=os%3Dother'])
      expect(await tests(none), none).to.deep.equal([]);
    const [{ id }] = await tests();
    const one = (await bodyOf(team.owner, `${path()}/${id}?environment=os%3Dlinux`)).data;
    expect(one).to.deep.include({ state: 'stable', last_outcomes: ['passed'] });
    await submitted(null, 'skipped');
    expect(await shown('environment=')).to.deep.equal([['stable', ['skipped']]]);
    expect(await shown('environment=&branch=main')).to.deep.equal([['stable', ['skipped']]]);
    expect(await tests('environment=&branch=feat')).to.deep.equal([]);
    expectError(await team.owner.get(`${path()}?environment=windows`), 400, 'invalid_request');
  });

  it('have outcomes and results by environment, however many came in others since', async () => {
    const old = (await submitted('windows', 'failed')).results[0]!;
    const newer = (await submitted('windows', 'passed', { branch: 'feat' })).results[0]!;
    const items = Array.from({ length: 120 }, (_, n) => ({ name: 'pays', attempt: n + 1 }));
    const { results } = await givenSubmission(team.owner, project, items, {
      metadata: { environment: { os: 'linux' } },
    });
    const [{ id }] = await tests();
    const listed = async (route: string, query: string) => {
      const { data, pagination } = await bodyOf(team.owner, `${path()}/${id}/${route}?${query}`);
      return { ids: data.map((each: any) => each.result_id ?? each.id), total: pagination.total };
    };
    for (const route of ['outcomes', 'history']) {
      const onWindows = { ids: [newer, old], total: 2 };
      expect(await listed(route, 'environment=os=windows')).to.deep.equal(onWindows);
      expect(await listed(route, 'environment=os=windows&branch=main')).to.deep.equal({
        ids: [old],
        total: 1,
      });
      const second = await listed(route, 'environment=os=linux&per_page=50&page=2');
      expect(second).to.deep.equal({ ids: results.toReversed().slice(50, 100), total: 120 });
      for (const none of ['environment=', 'environment=os=mac'])
        expect(await listed(route, none)).to.deep.equal({ ids: [], total: 0 });
      expectError(
        await team.owner.get(`${path()}/${id}/${route}?environment=windows`),
        400,
        'invalid_request',
      );
    }
    const around = await listed('outcomes', `around=${old}&environment=os=windows`);
    expect(around).to.deep.equal({ ids: [newer, old], total: 2 });
  });

  it('recover, and fail elsewhere, by line', async () => {
    await submitted('windows', 'failed');
    await submitted('linux', 'failed');
    const { run } = await submitted('linux', 'failed');
    const { data } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(data[0].also_fails_on).to.deep.equal([
      { branch: 'main', environment: { os: 'windows' }, environment_key: 'os=windows' },
    ]);
    await submitted('linux', 'passed');
    // The list waits for the history, which appends the transitions.
    await tests();
    const { data: events } = (await team.owner.get('/v1/events?types=TestRecovered')).body;
    const own = events.filter((event: any) => event.data.project_id === project);
    expect(own.map((event: any) => event.data.environment)).to.deep.equal([{ os: 'linux' }]);
  });

  it('fail where an item ran, which is not where its call ran, until a retry supersedes it', async () => {
    const mac = { environment: { os: 'mac' } };
    const { run } = await givenSubmission(
      team.owner,
      project,
      [{ name: 'pays', status: 'failed', metadata: mac }],
      { metadata: { branch: 'main', environment: { os: 'windows' } } },
    );
    const failsElsewhere = async () => {
      const { run: other } = await submitted('linux', 'failed', { branch: 'side' });
      return (await bodyOf(team.owner, `/v1/test-runs/${other}/results`)).data[0].also_fails_on;
    };
    const onMac = { branch: 'main', ...mac, environment_key: 'os=mac' };
    expect(await failsElsewhere()).to.deep.equal([onMac]);
    const [{ id }] = (await bodyOf(team.owner, `/v1/test-runs/${run}/results`)).data;
    const retry = { test_name: 'pays', status: 'Skipped', test_run_id: run, retry_of: id, metadata: mac };
    await givenResult(team.owner, project, retry);
    expect(await failsElsewhere()).to.deep.equal([]);
  });

  it('show the outcomes of a failure in runs of one environment, in which they ran', async () => {
    const one = (await submitted('windows', 'passed')).run;
    await submitted('linux', 'passed');
    const two = await givenSubmission(team.owner, project, [{ name: 'other' }], {
      metadata: { branch: 'main', environment: { os: 'windows' } },
    });
    const three = (await submitted('windows', 'failed')).run;
    await submitted('linux', 'passed');
    const { data } = await bodyOf(team.owner, `/v1/test-runs/${three}/failures?details=true`);
    const outcomes = [
      { run_id: three, outcome: 'failed' },
      { run_id: two.run, outcome: null },
      { run_id: one, outcome: 'passed' },
    ];
    expect(data[0].outcomes).to.deep.equal(outcomes);
    const group = await bodyOf(team.owner, `/v1/projects/${project}/failures/${data[0].group}`);
    expect(group.data.outcomes).to.deep.equal(outcomes);
  });

  it('are known to fail in one environment', async () => {
    await submitted('linux', 'passed');
    const [{ id }] = await tests();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const put = (body: object) =>
      team.owner.send({
        method: 'PUT',
        path: `${path()}/${id}/known-failure`,
        content: JSON.stringify({ reason: 'slow disk', expires_at, ...body }),
      });
    const windows = { environment: { os: 'windows' }, environment_key: 'os=windows' };
    for (const named of [{ environment: { os: 'windows' } }, { environment_key: 'os=windows' }]) {
      const { body } = await put(named);
      expect(body.data.known_failure).to.deep.include(windows);
    }
    const [onWindows, onLinux] = [await submitted('windows', 'failed'), await submitted('linux', 'failed')];
    const known = async ({ run }: { run: string }) =>
      (await bodyOf(team.owner, `/v1/test-runs/${run}/results`)).data[0].known;
    expect([await known(onWindows), await known(onLinux)]).to.deep.equal([true, false]);
    // The empty key is that of results without an environment, as everywhere.
    const none = { environment: null, environment_key: '' };
    expect((await put({ environment_key: '' })).body.data.known_failure).to.deep.include(none);
    expect((await tests())[0].known_failure).to.deep.include(none);
    const [plain, linux] = [await submitted(null, 'failed'), await submitted('linux', 'failed')];
    expect([await known(plain), await known(linux)]).to.deep.equal([true, false]);
    const all = (await put({})).body.data.known_failure;
    expect(all).to.deep.include({ environment: null, environment_key: null });
    expectError(await put({ environment: { OS: 'windows' } }), 400, 'invalid_request');
    expectError(await put({ environment_key: 'windows' }), 400, 'invalid_request');
  });
});
