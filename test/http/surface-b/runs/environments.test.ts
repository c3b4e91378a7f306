import { expect } from 'chai';
import { bodyOf, givenProject, givenResult, givenRun, givenSubmission } from '../../given.js';
import { expectError, expectFaults } from '../../refusals.js';
import type { Answer } from '../../../kit/client.js';
import { testServer, type Team } from '../../../kit/server.js';

function expectNoKey(answer: Answer): void {
  expectError(answer, 400, 'invalid_request');
  expect(answer.body.error.details.errors[0]).to.include({
    pointer: '?environment',
    code: 'not_valid',
  });
}

const linux = { environment: { os: 'linux' } };
const windows = { environment: { os: 'windows' } };

describe('surface B: environments', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  beforeEach(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });
  const get = (path: string) => bodyOf(team.owner, path);
  const submission = async (items: readonly object[], metadata: object | null = null, fields: object = {}) =>
    givenSubmission(team.owner, project, items, { metadata, ...fields });
  const runsBy = async (query: string) => {
    const { data, pagination } = await get(`/v1/test-runs?project_id=${project}&${query}`);
    expect(pagination.total).to.equal(data.length);
    return data.map(({ id }: any) => id);
  };
  const namesBy = async (run: string, query: string) => {
    const { data, pagination } = await get(`/v1/test-runs/${run}/results?${query}`);
    return { names: data.map(({ name }: any) => name), total: pagination.total };
  };

  describe('a run', () => {
    it('shows its pairs by name, their key and its build; Surface A shows them in its metadata alone', async () => {
      const metadata = { environment: { os: 'linux', node: 22, ci: true }, build: 'ci 77' };
      const { run } = await submission([{}], metadata);
      const { data } = await get(`/v1/test-runs/${run}`);
      expect(data).to.deep.include({
        environment: { ci: 'true', node: '22', os: 'linux' },
        environment_key: 'ci=true,node=22,os=linux',
        build: 'ci 77',
        metadata,
      });
      const onA = await get(`/v1/test/run/${run}`);
      expect(onA).to.deep.include({ metadata });
      expect(onA).to.not.have.any.keys('environment', 'environment_key', 'build');
    });

    it('is found by its pairs in any order, also with other filters', async () => {
      const { run } = await submission([{}], { environment: { os: 'linux', node: '22' }, branch: 'main' });
      const { run: failed } = await submission([{ status: 'failed' }], linux);
      const { run: plain } = await submission([{}]);
      expect(await runsBy('environment=os%3Dlinux,node%3D22')).to.deep.equal([run]);
      expect(await runsBy('environment=node=22,os=linux&branch=main&status=passed')).to.deep.equal([run]);
      expect(await runsBy('environment=os=linux')).to.deep.equal([failed]);
      expect(await runsBy('environment=os=linux&status=failed')).to.deep.equal([failed]);
      expect(await runsBy('environment=os=linux&status=passed')).to.deep.equal([]);
      expect(await runsBy('environment=')).to.deep.equal([plain]);
      expect(await runsBy('environment=os=plan9')).to.deep.equal([]);
      await team.owner.post(`/v1/test/run/${plain}`, { metadata: linux });
      expect(await runsBy('environment=os=linux')).to.deep.equal([plain, failed]);
    });

    it('is found by its build', async () => {
      const { run: first } = await submission([{}], { build: '7', ...linux });
      const { run: second } = await submission([{ status: 'failed' }], { build: '7', ...windows });
      await submission([{}], { build: '8' });
      expect(await runsBy('build=7')).to.deep.equal([second, first]);
      expect(await runsBy('build=7&status=failed')).to.deep.equal([second]);
      expect(await runsBy('build=7&environment=os=linux')).to.deep.equal([first]);
    });

    it('is not looked for by what is no key', async () => {
      for (const key of ['linux', 'OS=linux', 'os=', 'os=linux,os=windows', ',']) {
        for (const path of [`/v1/test-runs?project_id=${project}&`, `/v1/projects/${project}/failures?`]) {
          const answer = await team.owner.get(`${path}environment=${key}`);
          expectNoKey(answer);
        }
      }
    });
  });

  describe('a result', () => {
    it('keeps that of its call when its run or another call says something else', async () => {
      const run_key = 'one run';
      const first = await submission([{ name: 'one' }], linux, { run_key });
      const call = { project_id: project, run_key, results: [{ name: 'two', status: 'passed' }] };
      await team.owner.post('/v1/test-runs', { ...call, metadata: windows });
      await team.owner.post(`/v1/test/run/${first.run}`, { metadata: { environment: { os: 'macos' } } });
      await givenResult(team.owner, project, { test_run_id: first.run, test_name: 'three' });
      const { data } = await get(`/v1/test-runs/${first.run}/results`);
      expect(data.map((each: any) => `${each.name} ${each.environment_key}`)).to.deep.equal([
        'one os=linux',
        'two os=windows',
        'three os=macos',
      ]);
      expect(await runsBy('environment=os=macos')).to.deep.equal([first.run]);
    });

    it('moves by a correction of its own metadata, and supersession stays', async () => {
      const { run, results } = await submission(
        [
          { name: 'pays', status: 'failed' },
          { name: 'pays', attempt: 2 },
        ],
        linux,
      );
      await team.owner.post(`/v1/test/result/${results[1]}`, { metadata: windows });
      const { data } = await get(`/v1/test-runs/${run}/results`);
      expect(data.map((each: any) => each.environment_key)).to.deep.equal(['os=linux', 'os=windows']);
      expect(data[0].superseded_by).to.equal(results[1]);
      expect((await namesBy(run, 'environment=os=linux')).total).to.equal(0);
      expect((await namesBy(run, 'environment=os=windows')).total).to.equal(1);
    });

    it('is found by environment in its run, also with other filters and in pages', async () => {
      const items = Array.from({ length: 700 }, (_, n) => ({
        name: `test ${n}`,
        status: n % 2 === 0 ? 'passed' : 'failed',
        ...(n % 3 === 0 && { metadata: windows }),
      }));
      const { run } = await submission(items, linux);
      await givenResult(team.owner, project, { test_run_id: run, test_name: 'test x', metadata: windows });
      expect(await namesBy(run, 'environment=os=windows&per_page=2&page=117')).to.deep.equal({
        names: ['test 696', 'test 699'],
        total: 235,
      });
      expect(await namesBy(run, 'environment=os=windows&per_page=2&page=118')).to.deep.equal({
        names: ['test x'],
        total: 235,
      });
      const both = 'environment=os=windows&status=failed&q=test%2069';
      expect(await namesBy(run, both)).to.deep.equal({
        names: ['test 69', 'test 693', 'test 699'],
        total: 3,
      });
      expect((await namesBy(run, 'environment=os=linux')).total).to.equal(466);
      expect((await namesBy(run, 'environment=')).total).to.equal(0);
      const answer = await team.owner.get(`/v1/test-runs/${run}/results?environment=windows`);
      expectNoKey(answer);
    });

    it('supersedes no result of another environment: a pass on Linux never hides a failure on Windows', async () => {
      const { run } = await submission(
        [
          { name: 'pays', status: 'failed', metadata: windows },
          { name: 'pays', attempt: 2 },
        ],
        linux,
      );
      const { data } = await get(`/v1/test-runs/${run}`);
      expect(data).to.include({ outcome: 'failed' });
      expect(data.standing_counts).to.include({ failed: 1, passed: 1 });
      const shard = { run_key: 'k', shard: { index: 1, total: 1, attempt: 1 } };
      const first = await submission([{ name: 'pays', status: 'failed' }], windows, shard);
      const again = { ...shard, shard: { ...shard.shard, attempt: 2 }, project_id: project };
      const results = [{ name: 'pays', status: 'passed' }];
      await team.owner.post('/v1/test-runs', { ...again, results, metadata: linux });
      expect((await get(`/v1/test-runs/${first.run}`)).data).to.deep.include({
        outcome: 'failed',
        test_count: 2,
      });
    });

    it('retries only a result of the same environment', async () => {
      const { run: test_run_id, results } = await submission([{ name: 'pays', status: 'failed' }], linux);
      const wanted = { project_id: project, test_run_id, test_name: 'pays', status: 'Passed' };
      const retry = { ...wanted, retry_of: results[0] };
      const answer = await team.owner.post('/v1/test/result/', { ...retry, metadata: windows });
      expectFaults(answer, '/retry_of other_environment');
      // The run says something else by now: the retry is of the call of the result all the same.
      await team.owner.post(`/v1/test/run/${test_run_id}`, { metadata: windows });
      const { test_result_id } = await givenResult(team.owner, project, retry);
      const { data } = await get(`/v1/test-results/${test_result_id}`);
      expect(data.environment_key).to.equal('os=linux');
    });

    it('of a shard that comes again in another environment is no repeat', async () => {
      const shard = { index: 1, total: 2, attempt: 1 };
      const call = {
        project_id: project,
        run_key: 'k',
        shard,
        results: [{ name: 'pays', status: 'passed' }],
      };
      const post = (metadata: object | null) => team.owner.post('/v1/test-runs', { ...call, metadata });
      expect((await post(linux)).status).to.equal(201);
      expect((await post(linux)).status).to.equal(200);
      expect((await post({ ...linux, branch: 'main' })).status).to.equal(200);
      expectError(await post(windows), 409, 'conflict', 'shard_exists');
    });
  });

  describe('the groups of failures', () => {
    const failing = (name: string, error_message: string, metadata: object | null = null) => ({
      name,
      status: 'failed',
      error_message,
      metadata,
    });
    const shown = ({ data }: any) =>
      data.map(({ title, results, tests, runs, example }: any) => [
        title,
        results,
        tests ?? runs,
        example.environment_key,
      ]);

    it('of a run and of a project count only the results in an environment, or without one', async () => {
      const { run } = await submission([
        failing('one', 'lost', linux),
        failing('two', 'lost', windows),
        failing('three', 'lost', windows),
        failing('four', 'lost'),
        failing('five', 'broke', windows),
        failing('six', 'left'),
      ]);
      const { run: other } = await submission([failing('one', 'lost')], { ...linux, branch: 'main' });
      const ofRun = async (query: string) => shown(await get(`/v1/test-runs/${run}/failures?${query}`));
      expect(await ofRun('environment=os=windows')).to.deep.equal([
        ['lost', 2, 2, 'os=windows'],
        ['broke', 1, 1, 'os=windows'],
      ]);
      expect(await ofRun('environment=os=linux')).to.deep.equal([['lost', 1, 1, 'os=linux']]);
      expect(await ofRun('environment=')).to.have.deep.members([
        ['lost', 1, 1, ''],
        ['left', 1, 1, ''],
      ]);
      expect(await ofRun('environment=os=macos')).to.deep.equal([]);
      const ofProject = async (query: string) =>
        shown(await get(`/v1/projects/${project}/failures?${query}`));
      expect(await ofProject('environment=os=linux')).to.deep.equal([['lost', 2, 2, 'os=linux']]);
      expect(await ofProject('environment=os=linux&branch=main')).to.deep.equal([['lost', 1, 1, 'os=linux']]);
      expect(await ofProject('environment=os=windows&since=2020-01-01T00:00:00Z')).to.have.deep.members([
        ['lost', 2, 1, 'os=windows'],
        ['broke', 1, 1, 'os=windows'],
      ]);
      for (const query of ['environment=', 'environment=&since=2020-01-01T00:00:00Z']) {
        expect(await ofProject(query)).to.have.deep.members([
          ['lost', 1, 1, ''],
          ['left', 1, 1, ''],
        ]);
      }
      expect(await ofProject('environment=&branch=main')).to.deep.equal([]);
      const { data } = await get(`/v1/projects/${project}/failures?environment=os=linux`);
      expect([data[0].first_seen.run_id, data[0].last_seen.run_id]).to.deep.equal([run, other]);
      const { data: plain } = await get(`/v1/projects/${project}/failures?environment=`);
      for (const { first_seen, last_seen } of plain)
        expect([first_seen.run_id, last_seen.run_id]).to.deep.equal([run, run]);
    });

    it('of a run are new where the baseline does not have them in the environment', async () => {
      const { run: baseline } = await submission([failing('one', 'lost', linux), failing('two', 'left')]);
      const { run } = await submission([
        failing('one', 'lost', linux),
        failing('one', 'lost', windows),
        failing('one', 'lost'),
        failing('two', 'left'),
      ]);
      const isNew = async (environment: string) => {
        const query = `baseline=${baseline}&details=true&environment=${environment}`;
        const { data } = await get(`/v1/test-runs/${run}/failures?${query}`);
        return data.map((row: any) => `${row.title} ${row.new} ${row.first_results.length}`);
      };
      expect(await isNew('os=linux')).to.deep.equal(['lost false 1']);
      expect(await isNew('os=windows')).to.deep.equal(['lost true 1']);
      expect(await isNew('')).to.deep.equal(['lost true 1', 'left false 1']);
    });
  });

  it('of a run that was made by itself are those of its results', async () => {
    const { test_run_id } = await givenRun(team.owner, project, { metadata: linux });
    const { test_result_id } = await givenResult(team.owner, project, { test_run_id });
    expect((await get(`/v1/test-results/${test_result_id}`)).data.environment).to.deep.equal({ os: 'linux' });
    expect((await namesBy(test_run_id, 'environment=os=linux')).total).to.equal(1);
  });
});
