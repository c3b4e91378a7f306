import { expect } from 'chai';
import { comparisonKinds } from '../../../../src/domain/comparison/compare.js';
import { bodyOf, givenProject, givenResult, givenRun, givenSubmission, givenTeam } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

const zero = Object.fromEntries(comparisonKinds.map((kind) => [kind, 0]));

describe('surface B: comparisons of runs:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const get = (path: string) => bodyOf(team.owner, path);
  const comparison = async (run: string, query = '') =>
    (await get(`/v1/test-runs/${run}/comparison${query}`)).data;
  const namesOf = async (run: string, kind: string, query = '') =>
    (await get(`/v1/test-runs/${run}/comparison/${kind}${query}`)).data.map(
      ({ name }: { name: string }) => name,
    );

  /** Submits a run: the status of each test by its name. */
  async function submitted(statuses: Record<string, string>, metadata: object = {}): Promise<string> {
    const items = Object.entries(statuses).map(([name, status]) => ({ name, status }));
    return (await givenSubmission(team.owner, project, items, { metadata })).run;
  }
  const onMain = (statuses: Record<string, string>, more: object = {}) =>
    submitted(statuses, { branch: 'main', ...more });
  const onFeature = (statuses: Record<string, string>, more: object = {}) =>
    submitted(statuses, { branch: 'feature', ...more });

  it('compares a run with the newest completed run of the default branch that was created before it', async () => {
    await onMain({ aa: 'failed', bb: 'failed' });
    const baseline = await onMain(
      { aa: 'passed', bb: 'failed', cc: 'failed', gone: 'passed', skipped: 'skipped' },
      { commit: 'c1' },
    );
    const run = await onFeature({ aa: 'failed', bb: 'failed', cc: 'passed', dd: 'failed' });
    await onMain({ aa: 'failed' });
    const { created_at } = (await get(`/v1/test-runs/${baseline}`)).data;
    expect(await comparison(run)).to.deep.equal({
      baseline: { id: baseline, commit: 'c1', created_at },
      passed_over: null,
      counts: { ...zero, new_failures: 2, still_failing: 1, fixed: 1, added: 1, removed: 1 },
      tests: 4,
      baseline_tests: 4,
      removed_files: 0,
    });
    expect(await namesOf(run, 'new_failures')).to.deep.equal(['aa', 'dd']);
    expect(await namesOf(run, 'still_failing')).to.deep.equal(['bb']);
    expect(await namesOf(run, 'fixed')).to.deep.equal(['cc']);
    expect(await namesOf(run, 'added')).to.deep.equal(['dd']);
    const removed = (await get(`/v1/test-runs/${run}/comparison/removed`)).data;
    expect(removed).to.have.length(1);
    expect(removed[0]).to.include({ name: 'gone', test_run_id: baseline });
  });

  it('keeps the baseline of a run, however many newer runs of the default branch are completed', async () => {
    const baseline = await onMain({ aa: 'failed', bb: 'passed' });
    const run = await onFeature({ aa: 'failed', bb: 'failed' });
    const never = await onFeature({ aa: 'failed' }, { tool: 'another' });
    const before = await comparison(run);
    expect(before.counts).to.include({ still_failing: 1, new_failures: 1 });
    for (let n = 0; n < 100; n += 1) await onMain({ aa: 'passed' });
    expect(await comparison(run)).to.deep.equal(before);
    expect((await comparison(never)).baseline).to.equal(null);
    const [newest] = (await get(`/v1/test-runs?project_id=${project}&branch=main`)).data;
    await team.owner.post(`/v1/test/run/${newest.id}`, { status: 'Running' });
    expect(await comparison(run), 'one of the newer runs is going').to.deep.equal(before);
    // It follows the results of both, and the default branch of the project, as before.
    const [first, second] = (await get(`/v1/test-runs/${baseline}/results`)).data;
    await team.owner.post(`/v1/test/result/${second.id}`, { status: 'Failed' });
    expect((await comparison(run)).counts).to.include({ still_failing: 2, new_failures: 0 });
    await team.owner.post(`/v1/test/result/${first.id}`, { status: 'Passed' });
    const again = { test_run_id: run, project_id: project, test_name: 'cc', status: 'Failed' };
    await team.owner.post('/v1/test/result/', again);
    await team.owner.post(`/v1/test/run/${run}`, { status: 'Completed' });
    expect(await comparison(run)).to.deep.include({ baseline: before.baseline });
    expect((await get(`/v1/test-runs/${run}`)).data.new_failures).to.equal(2);
  });

  it('takes a run that is named as the baseline, of the same project only', async () => {
    await onMain({ aa: 'passed' });
    const other = await onFeature({ aa: 'failed' });
    const run = await onFeature({ aa: 'failed' });
    expect((await comparison(run)).counts).to.include({ new_failures: 1, still_failing: 0 });
    const named = await comparison(run, `?baseline=${other}`);
    expect(named.baseline.id).to.equal(other);
    expect(named.counts).to.include({ new_failures: 0, still_failing: 1 });
    expect(await namesOf(run, 'still_failing', `?baseline=${other}`)).to.deep.equal(['aa']);
    project = await givenProject(team.owner);
    const elsewhere = await onMain({ aa: 'passed' });
    for (const baseline of [elsewhere, 'run_00000000000000000000000000', 'nonsense']) {
      const path = `/v1/test-runs/${run}/comparison?baseline=${baseline}`;
      expectError(await team.owner.get(path), 404, 'not_found');
    }
  });

  it('takes only completed runs as baselines, on both surfaces', async () => {
    const { test_run_id } = await givenRun(team.owner, project, { metadata: { branch: 'main' } });
    await givenResult(team.owner, project, { test_run_id, test_name: 'aa', status: 'Passed' });
    const run = await onFeature({ aa: 'failed' });
    expect((await comparison(run)).baseline).to.equal(null);
    await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    expect((await comparison(run)).baseline.id).to.equal(test_run_id);
    const { gate, new_failures } = (await get(`/v1/test-runs/${run}`)).data;
    expect({ gate, new_failures }).to.deep.equal({ gate: 'failed', new_failures: 1 });
  });

  it('follows the results of a run on surface A: changes, retries and deletions', async () => {
    await onMain({ aa: 'passed', bb: 'passed' });
    const { test_run_id } = await givenRun(team.owner, project, { metadata: { branch: 'feature' } });
    const first = await givenResult(team.owner, project, { test_run_id, test_name: 'aa', status: 'Running' });
    const counts = async () => (await comparison(test_run_id)).counts;
    await team.owner.post(`/v1/test/result/${first.test_result_id}/finish`, { status: 'Failed' });
    expect(await counts()).to.include({ new_failures: 1, flaky: 0 });
    const retry = await givenResult(team.owner, project, {
      test_run_id,
      test_name: 'aa',
      status: 'Passed',
      retry_of: first.test_result_id,
    });
    expect(await counts()).to.include({ new_failures: 0, flaky: 1 });
    await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    expect((await get(`/v1/test-runs/${test_run_id}`)).data).to.include({ gate: 'passed', new_failures: 0 });
    await team.owner.delete(`/v1/test/result/${retry.test_result_id}`);
    expect(await counts()).to.include({ new_failures: 1 });
    // What the run shows of new failures is as it was at its completion; its gate is live.
    expect((await get(`/v1/test-runs/${test_run_id}`)).data).to.include({ gate: 'failed', new_failures: 0 });
    await team.owner.post(`/v1/test/result/${first.test_result_id}`, { status: 'Passed' });
    expect(await counts()).to.include({ new_failures: 0 });
  });

  it('does not compare a run with itself', async () => {
    const run = await onMain({ aa: 'passed' });
    expectError(await team.owner.get(`/v1/test-runs/${run}/comparison?baseline=${run}`), 404, 'not_found');
  });

  it('shows the gate and the new failures of completed runs in the list', async () => {
    await onMain({ aa: 'passed', bb: 'failed' });
    await onFeature({ aa: 'failed', bb: 'failed' });
    await onFeature({ aa: 'passed' });
    await givenRun(team.owner, project);
    const { data } = await get(`/v1/test-runs?project_id=${project}`);
    const shown = data.map(({ gate, new_failures }: { gate: string; new_failures: number }) => ({
      gate,
      new_failures,
    }));
    expect(shown).to.deep.equal([
      { gate: null, new_failures: null },
      { gate: 'passed', new_failures: 0 },
      { gate: 'failed', new_failures: 1 },
      { gate: 'failed', new_failures: 1 },
    ]);
  });

  it('lists passes that took over 5 times the mean of the last passes on the default branch as slower', async () => {
    const run = (ms: number, branch: string) =>
      givenSubmission(team.owner, project, [{ name: 'aa', duration_ms: ms }], { metadata: { branch } });
    for (const ms of [100, 120, 80]) await run(ms, 'main');
    await run(5_000, 'feature');
    const usual = await run(500, 'feature');
    expect(await namesOf(usual.run, 'slower')).to.deep.equal([]);
    const slow = await run(501, 'feature');
    expect(await namesOf(slow.run, 'slower')).to.deep.equal(['aa']);
  });

  it('gives the results in pages, in the order in which they were sent', async () => {
    await onMain({ other: 'passed' });
    const names = Array.from({ length: 600 }, (_, n) => `test ${n}`);
    const run = await onFeature(Object.fromEntries(names.map((name) => [name, 'failed'])));
    const seen: string[] = [];
    for (let page = 1; page <= 6; page += 1) {
      const body = await get(`/v1/test-runs/${run}/comparison/new_failures?page=${page}&per_page=100`);
      expect(body.pagination).to.deep.equal({ page, per_page: 100, total: 600, total_pages: 6 });
      seen.push(...body.data.map(({ name }: { name: string }) => name));
    }
    expect(seen).to.deep.equal(names);
  });

  it('refuses an unknown kind, and an unknown run', async () => {
    const run = await onMain({ aa: 'passed' });
    expectError(await team.owner.get(`/v1/test-runs/${run}/comparison/nonsense`), 404, 'not_found');
    expectError(await team.owner.get('/v1/test-runs/nonsense/comparison'), 404, 'not_found');
    expectError(await team.owner.get(`/v1/test-runs/${run}/comparison?x=1`), 400, 'invalid_request');
  });
});
