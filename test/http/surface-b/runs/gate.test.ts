import { expect } from 'chai';
import { bodyOf, givenProject, givenResult, givenRun, givenSubmission, givenTeam } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

const byDefault = { fail_on: 'new', max_removed: 'default', min_tests: null, max_known: null };

describe('surface B: the gate:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const get = (path: string) => bodyOf(team.owner, path);
  const runOf = async (id: string) => (await get(`/v1/test-runs/${id}`)).data;
  const gateOf = async (id: string) => {
    const { empty, gate, gate_reasons } = await runOf(id);
    return { empty, gate, gate_reasons };
  };
  const passed = { empty: false, gate: 'passed', gate_reasons: [] };
  const failed = (...gate_reasons: string[]) => ({ empty: false, gate: 'failed', gate_reasons });

  async function submit(branch: string, statuses: Record<string, string>, fields: object = {}) {
    const items = Object.entries(statuses).map(([name, status]) => ({ name, status }));
    return (await givenSubmission(team.owner, project, items, { metadata: { branch }, ...fields })).run;
  }
  const post = async (fields: object) =>
    (await team.owner.post('/v1/test-runs', { project_id: project, ...fields })).body.data;
  const change = (path: string, gate: unknown) => team.owner.patch(path, { gate });
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`t ${n}`, 'passed']));

  describe('its settings', () => {
    it('are those of the project, then those of the team, then the usual ones', async () => {
      const ofProject = async () => (await get(`/v1/projects/${project}`)).data.gate;
      expect(await ofProject()).to.deep.equal(byDefault);
      expect((await change('/v1/team', { fail_on: 'any', min_tests: 5 })).body.data.gate).to.deep.equal({
        ...byDefault,
        fail_on: 'any',
        min_tests: 5,
      });
      expect(await ofProject()).to.deep.equal({ ...byDefault, fail_on: 'any', min_tests: 5 });
      const { status, body } = await change(`/v1/projects/${project}`, {
        min_tests: null,
        max_removed: '5%',
      });
      expect(status).to.equal(200);
      const both = { fail_on: 'any', max_removed: '5%', min_tests: null, max_known: null };
      expect(body.data.gate).to.deep.equal(both);
      await change('/v1/team', { max_known: 3 });
      expect(await ofProject()).to.deep.equal({ ...both, max_known: 3 });
      const { data } = await get('/v1/projects');
      expect(data[0].gate).to.deep.equal({ ...both, max_known: 3 });
      await change(`/v1/projects/${project}`, null);
      await change('/v1/team', null);
      expect(await ofProject()).to.deep.equal(byDefault);
      expect((await get('/v1/team')).data.gate).to.deep.equal(byDefault);
    });

    it('are refused where they are none', async () => {
      for (const path of [`/v1/projects/${project}`, '/v1/team']) {
        for (const gate of [
          { fail_on: 'old' },
          { fail_on: null },
          { max_removed: '101%' },
          { max_removed: '1.5%' },
          { max_removed: 'ten' },
          { max_removed: -1 },
          { min_tests: 1.5 },
          { max_known: '3' },
          { other: 1 },
          [],
        ])
          expectError(await change(path, gate), 400, 'invalid_request');
      }
    });

    it('are those at the decision, and stand beside it', async () => {
      const run = await submit('main', { aa: 'failed' });
      expect((await runOf(run)).gate_settings).to.deep.equal(byDefault);
      await change(`/v1/projects/${project}`, { fail_on: 'none' });
      expect(await runOf(run)).to.deep.include({ ...failed('new_failures'), gate_settings: byDefault });
      const next = await submit('main', { aa: 'failed' });
      expect(await runOf(next)).to.deep.include({
        ...passed,
        gate_settings: { ...byDefault, fail_on: 'none' },
      });
    });
  });

  it('is not decided before the run is completed, and not while it runs again', async () => {
    const { test_run_id: id } = await givenRun(team.owner, project);
    const open = { empty: false, gate: null, gate_reasons: [] };
    expect(await runOf(id)).to.deep.include({ ...open, gate_settings: null });
    await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });
    expect(await gateOf(id)).to.deep.equal({ empty: true, gate: 'failed', gate_reasons: ['empty'] });
    await team.owner.post(`/v1/test/run/${id}`, { status: 'Running' });
    expect(await gateOf(id)).to.deep.equal(open);
  });

  it('fails for what is new, lets pass what the baseline has too, and counts known failures by themselves', async () => {
    await submit('main', { aa: 'passed', bb: 'failed' });
    expect(await gateOf(await submit('f', { aa: 'failed', bb: 'failed' }))).to.deep.equal(
      failed('new_failures'),
    );
    expect(await gateOf(await submit('f', { aa: 'passed', bb: 'failed' }))).to.deep.equal(passed);
    await change(`/v1/projects/${project}`, { fail_on: 'any', max_known: 0 });
    expect(await gateOf(await submit('f', { aa: 'passed', bb: 'failed' }))).to.deep.equal(failed('failures'));
    const tests = (await get(`/v1/projects/${project}/tests`)).data;
    const { id } = tests.find(({ name }: { name: string }) => name === 'bb');
    const known = { reason: 'known', expires_at: new Date(Date.now() + 60_000).toISOString() };
    await team.owner.send({
      method: 'PUT',
      path: `/v1/projects/${project}/tests/${id}/known-failure`,
      content: JSON.stringify(known),
    });
    expect(await gateOf(await submit('f', { aa: 'passed', bb: 'failed' }))).to.deep.equal(
      failed('max_known'),
    );
  });

  it('fails for tests that are missing, and for fewer tests than it should have', async () => {
    await submit('main', many(100));
    expect(await gateOf(await submit('f', many(80)))).to.deep.equal(passed);
    expect(await gateOf(await submit('f', many(79)))).to.deep.equal(failed('removed'));
    await change(`/v1/projects/${project}`, { max_removed: null, min_tests: 80 });
    expect(await gateOf(await submit('f', many(79)))).to.deep.equal(failed('min_tests'));
  });

  it('fails an empty run: without results, and with skipped ones alone', async () => {
    const { id } = await post({ run_key: 'none', complete: true, results: [] });
    expect(await gateOf(id)).to.deep.equal({ empty: true, gate: 'failed', gate_reasons: ['empty'] });
    const skipped = await submit('f', { aa: 'skipped' });
    expect(await gateOf(skipped)).to.deep.equal({ empty: true, gate: 'failed', gate_reasons: ['empty'] });
    expect(await gateOf(await submit('f', { aa: 'known_fail' }))).to.deep.equal(passed);
  });

  it('fails a run of which a shard is missing, until it comes', async () => {
    const shard = (index: number) =>
      post({ run_key: 'k', shard: { index, total: 2 }, results: [{ name: `t ${index}`, status: 'passed' }] });
    const { id } = await shard(1);
    await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });
    expect(await gateOf(id)).to.deep.equal(failed('incomplete'));
    await shard(2);
    expect(await gateOf(id)).to.deep.equal(passed);
  });

  it('fails a report that was cut, and one that counts failures which were not read, until its shard comes again', async () => {
    const results = [{ name: 'aa', status: 'passed' }];
    const cut = await post({ results, report: { partial: true } });
    expect(await gateOf(cut.id)).to.deep.equal(failed('incomplete'));
    const report = { partial: true, failures_unread: 3 };
    const shard = (attempt: number, more: object) =>
      post({ run_key: 'k', shard: { index: 1, total: 1, attempt }, results, ...more });
    const { id } = await shard(1, { report });
    expect(await gateOf(id)).to.deep.equal(failed('incomplete', 'report_failed'));
    expect((await runOf(id)).report).to.deep.equal(report);
    await shard(2, {});
    expect(await gateOf(id)).to.deep.equal(passed);
    expect((await runOf(id)).report).to.deep.equal({ partial: false, failures_unread: 0 });
    // Of a report of which nothing could be read, too.
    const none = await post({ run_key: 'n', complete: true, results: [], report });
    expect(await gateOf(none.id)).to.deep.equal({
      empty: true,
      gate: 'failed',
      gate_reasons: ['empty', 'incomplete', 'report_failed'],
    });
    expectError(
      await team.owner.post('/v1/test-runs', {
        project_id: project,
        results,
        report: { failures_unread: -1 },
      }),
      400,
      'invalid_request',
    );
  });

  it('is decided again when the results of the run change, and turns for no correction of its baseline', async () => {
    const base = await givenSubmission(team.owner, project, [{ name: 'aa' }, { name: 'bb' }], {
      metadata: { branch: 'main' },
    });
    const { run, results } = await givenSubmission(team.owner, project, [{ name: 'aa' }, { name: 'bb' }], {
      metadata: { branch: 'f' },
    });
    const set = (id: string, status: string) => team.owner.post(`/v1/test/result/${id}`, { status });
    expect(await gateOf(run)).to.deep.equal(passed);
    await set(results[0]!, 'Failed');
    expect(await gateOf(run)).to.deep.equal(failed('new_failures'));
    // The comparison shows the correction; the gate does not turn.
    await set(base.results[0]!, 'Failed');
    expect((await get(`/v1/test-runs/${run}/comparison`)).data.counts).to.include({ new_failures: 0 });
    expect(await gateOf(run)).to.deep.equal(failed('new_failures'));
    // Another change of its own: now it is judged against the baseline as it is.
    await set(results[1]!, 'Skipped');
    expect(await gateOf(run)).to.deep.equal(passed);
    await set(results[0]!, 'Skipped');
    expect(await gateOf(run)).to.deep.equal({ empty: true, gate: 'failed', gate_reasons: ['empty'] });
    await givenResult(team.owner, project, { test_run_id: run, test_name: 'cc', status: 'Passed' });
    expect(await gateOf(run)).to.deep.equal(passed);
    await team.owner.delete(`/v1/test/result/${results[0]!}`);
    expect(await gateOf(run)).to.deep.equal(passed);
  });

  it('counts a missing test as it comes after the completion, one by one', async () => {
    await submit('main', many(50));
    const { test_run_id: id } = await givenRun(team.owner, project, { metadata: { branch: 'f' } });
    const add = (n: number) =>
      givenResult(team.owner, project, { test_run_id: id, test_name: `t ${n}`, status: 'Passed' });
    await add(0);
    await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });
    for (let n = 1; n < 29; n += 1) await add(n);
    expect(await gateOf(id)).to.deep.equal(failed('removed'));
    await add(29);
    expect(await gateOf(id)).to.deep.equal(passed);
  });
});
