import { expect } from 'chai';
import type { WholeResult } from '../../../../src/queries/results/whole-results.js';
import { showingResults } from '../../../../src/http/surface-b/runs/result-records.js';
import { noFailure } from '../../../../src/queries/failure-facts.js';
import {
  bodyOf,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeam,
  untilFollowed,
} from '../../given.js';
import { testServer } from '../../../kit/server.js';

const failed = { name: 'pays', status: 'failed', error_message: 'card declined' };
const passed = { name: 'pays', status: 'passed' };
const nothing = {
  failing_since: null,
  last_passed: null,
  also_fails_on: null,
  group: null,
  known: false,
};

describe('surface B: a failed result', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner);
    await untilFollowed(team.owner, `/v1/projects/${project}/failures`);
  });
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });
  const get = async (path: string) => (await bodyOf(team.owner, path)).data;
  const result = (id: string) => get(`/v1/test-results/${id}`);
  /** The id of the one result of a new run. */
  const run = async (item: object, branch = 'main', commit: string | null = null) =>
    (await givenSubmission(team.owner, project, [item], { metadata: { branch, commit } })).results[0]!;
  const momentOf = ({ test_run_id: run_id, created_at: at }: any, commit: string | null) => ({
    run_id,
    commit,
    at,
  });

  it('shows since when its test fails on its branch, and when it passed last', async () => {
    const pass = await result(await run(passed, 'main', 'a'));
    const first = await result(await run(failed, 'main', 'b'));
    await run(passed, 'side', 'x');
    await run({ name: 'pays', status: 'skipped' }, 'main', 'c');
    const last = await result(await run(failed, 'main', 'd'));
    const row = { failing_since: momentOf(first, 'b'), last_passed: momentOf(pass, 'a') };
    expect(first).to.deep.include(row);
    expect(last).to.deep.include({ ...row, known: false });
    expect(last.group).to.have.all.keys('id', 'kind', 'title');
    expect(last.group).to.deep.equal(first.group);
    await run(passed, 'main', 'e');
    const again = await result(await run(failed, 'main', 'f'));
    expect(again.failing_since).to.deep.equal(momentOf(again, 'f'));
  });

  it('has moments of the time at which the results ran, however much later they were recorded', async () => {
    const posted = async (started_at: string, finished_at: string | undefined, items: object[]) =>
      (await givenSubmission(team.owner, project, items, { started_at, finished_at })).results;
    await posted('2026-01-02T03:00:00.000Z', '2026-01-02T03:10:00.000Z', [passed]);
    await posted('2026-01-03T03:00:00.000Z', '2026-01-03T03:10:00.000Z', [failed]);
    const own = { ...failed, started_at: '2026-01-04T03:01:00.000Z', duration_ms: 2_000 };
    const [last] = await posted('2026-01-04T03:00:00.000Z', '2026-01-04T03:10:00.000Z', [own]);
    const { failing_since, last_passed, group } = await result(last!);
    expect(last_passed.at).to.equal('2026-01-02T03:10:00.000Z');
    expect(failing_since.at).to.equal('2026-01-03T03:10:00.000Z');
    const of = `/v1/projects/${project}`;
    const { data, runs } = await bodyOf(team.owner, `${of}/failures/${group.id}`);
    expect(data.first_seen.at).to.equal('2026-01-03T03:10:00.000Z');
    expect(data.last_seen.at).to.equal('2026-01-04T03:01:02.000Z');
    expect(runs.map(({ at }: any) => at)).to.deep.equal([data.last_seen.at, data.first_seen.at]);
    const [test] = await get(`${of}/tests`);
    expect(test.last_result_at).to.equal(data.last_seen.at);
    const [newest] = await get(`${of}/tests/${test.id}/outcomes`);
    expect(newest.at).to.equal(data.last_seen.at);
    expect((await get(`${of}/overview`)).last_run_at).to.equal('2026-01-04T03:10:00.000Z');
    const since = (at: string) => get(`${of}/failures?since=${at}`);
    expect(await since('2026-01-04T00:00:00Z')).to.have.length(1);
    expect(await since('2026-01-05T00:00:00Z')).to.deep.equal([]);
  });

  it('has the time of its start, or of its record, where it has no end', async () => {
    const started_at = '2026-01-02T03:00:00.000Z';
    const fields = { test_name: 'pays', status: 'Failed', started_at };
    const { test_result_id } = await givenResult(team.owner, project, fields);
    expect((await result(test_result_id)).failing_since.at).to.equal(started_at);
    const { test_result_id: bare } = await givenResult(team.owner, project, {
      test_name: 'refunds',
      status: 'Failed',
    });
    const { failing_since, created_at } = await result(bare);
    expect(failing_since.at).to.equal(created_at);
  });

  it('names up to 10 other branches on which the newest result of the test fails', async () => {
    for (let n = 0; n < 12; n += 1) await run(failed, `branch ${n}`);
    await run(passed, 'branch 11');
    const { also_fails_on } = await result(await run(failed, 'main'));
    const none = { environment: null, environment_key: '' };
    expect(also_fails_on).to.deep.equal(
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => ({ branch: `branch ${n}`, ...none })),
    );
    await givenResult(team.owner, project, { test_name: 'pays', status: 'Failed' });
    const other = await result(await run(failed, 'branch 0'));
    const branches = other.also_fails_on.map(({ branch }: any) => branch);
    expect(branches).to.have.length(10).and.to.include('main').and.not.to.include('branch 0');
  });

  it('shows the same in every list, and no other result shows any of it', async () => {
    const { run: id, results } = await givenSubmission(team.owner, project, [failed, {}, failed]);
    const listed = await get(`/v1/test-runs/${id}/results`);
    expect(listed).to.deep.equal(await Promise.all(results.map(result)));
    expect(listed[0].group.id).to.equal(listed[2].group.id);
    expect(listed[1]).to.deep.include(nothing);
    const [test] = (await get(`/v1/projects/${project}/tests`)).filter(({ name }: any) => name === 'pays');
    const history = await get(`/v1/projects/${project}/tests/${test.id}/history`);
    expect(history).to.deep.equal([listed[2], listed[0]]);
  });

  it('shows it right after a call of surface A, and no more after its correction', async () => {
    const { test_run_id } = await givenRun(team.owner, project, {
      metadata: { branch: 'main', commit: 'a' },
    });
    const { test_result_id: id } = await givenResult(team.owner, project, { test_run_id, status: 'Running' });
    expect(await result(id)).to.deep.include(nothing);
    await team.owner.post(`/v1/test/result/${id}/finish`, { status: 'Failed', error_message: 'no' });
    const { failing_since, group } = await result(id);
    expect(failing_since).to.deep.include({ run_id: test_run_id, commit: 'a' });
    expect(group.id).to.match(/^group_/);
    await team.owner.post(`/v1/test/result/${id}`, { status: 'Passed' });
    expect(await result(id)).to.deep.include(nothing);
  });

  it('is known where a known failure of its test was in force', async () => {
    await run(passed);
    const [test] = await get(`/v1/projects/${project}/tests`);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const path = `/v1/projects/${project}/tests/${test.id}/known-failure`;
    const content = JSON.stringify({ reason: 'a fix is on its way', expires_at });
    const { status } = await team.owner.send({ method: 'PUT', path, content });
    expect(status).to.equal(200);
    expect((await result(await run(failed))).known).to.equal(true);
    expect((await result(await run({ ...failed, name: 'refunds' }))).known).to.equal(false);
  });
});

describe('surface B: an answer with results', () => {
  const answer = async (...statuses: string[]) => {
    const waits: string[] = [];
    const show = showingResults(async () => new Map());
    const call = { waitFor: async (...models: string[]) => waits.push(...models) > 0 };
    const results = statuses.map((status) => ({ test_result_id: status, status }) as WholeResult);
    const shown = await show(call, results);
    return { waits, shown };
  };

  it('waits for the history only if one of them failed', async () => {
    expect((await answer('Passed', 'Skipped', 'KnownFail', 'Running')).waits).to.deep.equal([]);
    expect((await answer('Passed', 'Failed')).waits).to.deep.equal(['history']);
  });

  it('shows nulls for a failure that the history does not have yet', async () => {
    const { shown } = await answer('Failed');
    expect(shown[0]).to.deep.include(noFailure);
  });
});
