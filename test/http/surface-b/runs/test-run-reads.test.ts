import { expect } from 'chai';
import { bodyOf, givenProject, givenResult, givenRun, givenTeam } from '../../given.js';
import { countsOf, judged, notUnderstood } from '../../records.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('surface B: reads of test runs:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });
  const get = (path: string) => bodyOf(team.owner, path);
  const list = (query = '') => get(`/v1/test-runs?project_id=${project}${query}`);
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  /** A run on surface A with results of these statuses. */
  async function run(results: readonly string[] = [], status?: string): Promise<string> {
    const { test_run_id } = await givenRun(team.owner, project, { label: 'nightly' });
    for (const each of results) await givenResult(team.owner, project, { test_run_id, status: each });
    if (status !== undefined) await team.owner.post(`/v1/test/run/${test_run_id}`, { status });
    return test_run_id;
  }

  describe('a single run', () => {
    it('shows exactly the fields of the record, as surface A made it', async () => {
      const id = await run(['Passed', 'KnownFail', 'Skipped']);
      const { data, ...more } = await get(`/v1/test-runs/${id}`);
      expect(more).to.deep.equal({});
      const { body } = await team.owner.get(`/v1/test/run/${id}`);
      expect(data).to.deep.equal({
        id,
        project_id: project,
        label: 'nightly',
        status: 'pending',
        outcome: 'passed',
        test_count: 3,
        counts: countsOf({ total: 3, passed: 1, known_fail: 1, skipped: 1 }),
        standing_counts: countsOf({ total: 3, passed: 1, known_fail: 1, skipped: 1 }),
        duration_ms: null,
        metadata: null,
        ...notUnderstood.run,
        created_at: body.created_at,
        started_at: null,
        finished_at: null,
        run_key: null,
        shards: null,
        pinned: false,
        ...judged(null),
        new_failures: null,
      });
    });

    it('has a duration from its start to its end, and none before its end', async () => {
      const id = await run([], 'Running');
      const running = (await get(`/v1/test-runs/${id}`)).data;
      expect(running).to.include({ status: 'running', duration_ms: null, finished_at: null });
      await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });
      const { data } = await get(`/v1/test-runs/${id}`);
      const lasted = Date.parse(data.finished_at) - Date.parse(data.started_at);
      expect(data).to.include({ status: 'completed', duration_ms: lasted, outcome: null });
      expect(lasted).to.be.at.least(0);
      const never = (await get(`/v1/test-runs/${await run([], 'Completed')}`)).data;
      expect(never).to.include({ started_at: null, duration_ms: null, status: 'completed' });
    });
  });

  describe('the list', () => {
    it('has each run as its record, the newest first', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) ids.unshift(await run());
      const all = await list();
      expect(idsOf(all)).to.deep.equal(ids);
      const { gate_settings: _, ...record } = (await get(`/v1/test-runs/${ids[0]!}`)).data;
      expect(all.data[0]).to.deep.equal(record);
    });

    it('is empty for a project without runs, and has no runs of another project', async () => {
      const pagination = { page: 1, per_page: 20, total: 0, total_pages: 0 };
      expect(await list()).to.deep.equal({ data: [], pagination });
      await givenRun(team.owner, await givenProject(team.owner));
      expect(await list('&status=pending')).to.deep.equal({ data: [], pagination });
    });

    it('filters by the outcome with `passed`, `failed` and `skipped`, and by the status with the others', async () => {
      const runs = {
        failed: await run(['Passed', 'Failed'], 'Completed'),
        passed: await run(['Passed', 'KnownFail'], 'Running'),
        skipped: await run(['Skipped']),
        open: await run(['Pending'], 'Running'),
      };
      for (const [status, wanted] of [
        ['failed', [runs.failed]],
        ['passed', [runs.passed]],
        ['skipped', [runs.skipped]],
        ['pending', [runs.skipped]],
        ['running', [runs.open, runs.passed]],
        ['completed', [runs.failed]],
      ] as const) {
        const page = await list(`&status=${status}`);
        expect(idsOf(page), status).to.deep.equal(wanted);
        expect(page.pagination, status).to.include({ total: wanted.length, total_pages: 1 });
      }
      expect(idsOf(await list('&status=running&per_page=1&page=2'))).to.deep.equal([runs.passed]);
    });

    it('refuses an invalid filter, and names it', async () => {
      for (const wrong of ['status=Passed', 'status=known_fail', 'status=']) {
        const answer = await team.owner.get(`/v1/test-runs?project_id=${project}&${wrong}`);
        expectError(answer, 400, 'invalid_request', 'validation_failed');
        expect(answer.body.error.details.errors[0].pointer).to.equal('?status');
      }
      const twice = await team.owner.get(`/v1/test-runs?project_id=${project}&status=passed&status=failed`);
      expectError(twice, 400, 'invalid_request');
    });

    it('requires an existing project', async () => {
      const without = await team.owner.get('/v1/test-runs');
      expectError(without, 400, 'invalid_request', 'validation_failed');
      const [fault] = without.body.error.details.errors;
      expect(fault).to.include({ pointer: '?project_id', code: 'required' });
      for (const id of ['project_00000000000000000000000000', 'nothing', '']) {
        expectError(await team.owner.get(`/v1/test-runs?project_id=${id}`), 404, 'not_found');
      }
    });
  });

  describe('the results of a run', () => {
    it('are in order of creation, and the total is the count of the run', async () => {
      const id = await run(['Passed', 'Failed', 'Skipped', 'KnownFail', 'Pending']);
      const path = `/v1/test-runs/${id}/results`;
      const all = await get(path);
      expect(all.data.map(({ status }: any) => status)).to.deep.equal([
        'passed',
        'failed',
        'skipped',
        'known_fail',
        'pending',
      ]);
      expect(all.pagination.total).to.equal(5);
      await team.owner.delete(`/v1/test/result/${all.data[0].id}`);
      const left = await get(path);
      expect([idsOf(left), left.pagination.total]).to.deep.equal([idsOf(all).slice(1), 4]);
      expectError(await team.owner.get(`${path}?status=green`), 400, 'invalid_request');
    });
  });

  describe('a single result', () => {
    it('shows exactly the fields of the record, as surface A made it', async () => {
      const metadata = { branch: 'main', '': [1, null] };
      const test_run_id = await run();
      const fields = { test_run_id, test_name: 'adds up', status: 'Running', metadata };
      const started_at = '2026-11-20T01:02:03.004Z';
      const made = await givenResult(team.owner, project, { ...fields, started_at });
      const finish = { status: 'KnownFail', error_message: 'no' };
      const { body } = await team.owner.post(`/v1/test/result/${made.test_result_id}/finish`, finish);
      const { data, ...more } = await get(`/v1/test-results/${made.test_result_id}`);
      expect(more).to.deep.equal({});
      expect(data).to.deep.equal({
        id: made.test_result_id,
        project_id: project,
        test_run_id,
        name: 'adds up',
        status: 'known_fail',
        duration_ms: body.execution_time_ms,
        error_message: 'no',
        metadata,
        contents: 'kept',
        ...notUnderstood.result,
        error: { ...notUnderstood.error, message: 'no' },
        attempt: 1,
        superseded_by: null,
        started_at,
        finished_at: body.finished_at,
        created_at: made.created_at,
        failing_since: null,
        last_passed: null,
        also_fails_on: null,
        group: null,
        known: false,
      });
      expect(await get(`/v1/test-runs/${test_run_id}/results`)).to.deep.include({ data: [data] });
    });

    it('can belong to no run', async () => {
      const { test_result_id } = await givenResult(team.owner, project);
      expect((await get(`/v1/test-results/${test_result_id}`)).data.test_run_id).to.equal(null);
    });

    it('is 404 if it is unknown, deleted, or not the id of a result', async () => {
      const { test_result_id } = await givenResult(team.owner, project);
      await team.owner.delete(`/v1/test/result/${test_result_id}`);
      const suffix = '00000000000000000000000000';
      const run = await givenRun(team.owner, project);
      const ofRun = `result_${run.test_run_id.slice(4)}_0`;
      for (const id of [test_result_id, `result_${suffix}`, `result_${suffix}_0`, ofRun, 'nothing', '%00']) {
        expectError(await team.owner.get(`/v1/test-results/${id}`), 404, 'not_found');
      }
    });
  });
});
