import { expect } from 'chai';
import { bodyOf, givenProject, givenResult, givenRun, givenSubmission, givenTeam } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('surface B: the baseline of a run:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const get = (path: string) => bodyOf(team.owner, path);
  const comparison = async (run: string) => (await get(`/v1/test-runs/${run}/comparison`)).data;
  const shown = async (run: string) => {
    const { baseline, passed_over } = await comparison(run);
    return { baseline: baseline?.id ?? null, passed_over };
  };
  const listed = async (run: string, kind: string) =>
    (await get(`/v1/test-runs/${run}/comparison/${kind}`)).data;

  const tests = (count: number, status = 'passed') =>
    Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, status }));
  const submitted = async (items: readonly object[], metadata: object = {}, more: object = {}) =>
    (
      await givenSubmission(team.owner, project, items, {
        metadata: { branch: 'main', ...metadata },
        ...more,
      })
    ).run;
  const onFeature = () => submitted(tests(4), { branch: 'feature' });
  const saying = (run: string, baseline: string | null, api = team.owner) =>
    api.patch(`/v1/test-runs/${run}`, { baseline });

  it('is of the same tool and environment, and of neither where the run has neither', async () => {
    const metadata = [
      {},
      { tool: 'jest' },
      { environment: { os: 'linux' } },
      { environment: { os: 'windows' } },
      { tool: 'jest', environment: { os: 'linux', node: 22 } },
    ];
    const runs = await Promise.all(metadata.map((each) => submitted(tests(2), each)));
    for (const [n, each] of metadata.entries()) {
      const run = await submitted(tests(2), { ...each, branch: 'feature' });
      expect(await shown(run)).to.deep.equal({ baseline: runs[n], passed_over: null });
    }
    // The order of the pairs, and a number in the place of a text, make no other environment.
    const same = { tool: 'jest', environment: { node: '22', os: 'linux' } };
    const run = await submitted(tests(2), { ...same, branch: 'feature' });
    expect((await shown(run)).baseline).to.equal(runs[4]);
    const none = await submitted(tests(2), { tool: 'ava', branch: 'feature' });
    expect((await shown(none)).baseline).to.equal(null);
  });

  it('is the same for a run of calls from several environments, in whatever order they came', async () => {
    const [linux, windows] = ['linux', 'windows'].map((os) => ({ environment: { os, node: '22' } }));
    await submitted(tests(2), linux);
    await submitted(tests(2), windows);
    const baseline = await submitted(tests(2), { environment: { node: '22' } });
    for (const [n, order] of [
      [linux, windows, {}],
      [windows, {}, linux],
      [{}, linux, windows],
    ].entries()) {
      const call = { project_id: project, run_key: `by hand ${n}`, complete: true, results: tests(2) };
      for (const environment of order) {
        const metadata = { ...environment, branch: `feature ${n}` };
        expect((await team.owner.post('/v1/test-runs', { ...call, metadata })).status).to.be.oneOf([
          200, 201,
        ]);
      }
      const run = (await get(`/v1/test-runs?project_id=${project}&branch=feature%20${n}`)).data[0].id;
      expect(await shown(run)).to.deep.equal({ baseline, passed_over: null });
      const { data } = await get(`/v1/test-runs?project_id=${project}&environment=node=22`);
      expect(data[0]).to.deep.include({ id: run, environment_key: 'node=22' });
    }
  });

  it('passes over newer runs in which nothing ran, and says so', async () => {
    const baseline = await submitted(tests(4));
    await submitted(tests(4, 'skipped'));
    expect(await shown(await onFeature())).to.deep.equal({
      baseline,
      passed_over: { runs: 1, reason: 'empty' },
    });
    const known = await submitted(tests(4, 'known_fail'));
    expect(await shown(await onFeature())).to.deep.equal({ baseline: known, passed_over: null });
  });

  it('passes over a run of which a shard is missing, until it comes', async () => {
    const baseline = await submitted(tests(4));
    const shards = { run_key: 'build 7', metadata: { branch: 'main' } };
    const shard = (index: number) => ({ ...shards, shard: { index, total: 2 } });
    const part = await givenSubmission(team.owner, project, tests(4), shard(1));
    await team.owner.post(`/v1/test/run/${part.run}`, { status: 'Completed' });
    const run = await onFeature();
    expect(await shown(run)).to.deep.equal({ baseline, passed_over: { runs: 1, reason: 'incomplete' } });
    const results = [{ name: 'test 5', status: 'passed' }];
    await team.owner.post('/v1/test-runs', { project_id: project, results, ...shard(2) });
    expect(await shown(run)).to.deep.equal({ baseline: part.run, passed_over: null });
  });

  it('passes over a run with less than half of the tests of the ten before it', async () => {
    const baseline = await submitted(tests(9));
    await submitted(tests(4));
    await submitted(tests(2));
    const run = await onFeature();
    expect(await shown(run)).to.deep.equal({ baseline, passed_over: { runs: 2, reason: 'too_small' } });
    const half = await submitted(tests(5));
    expect(await shown(await onFeature())).to.deep.equal({ baseline: half, passed_over: null });
    // Tests that were skipped are not counted, and one in two environments counts twice.
    await submitted([...tests(4), { name: 'skipped', status: 'skipped' }]);
    expect((await shown(await onFeature())).passed_over).to.deep.equal({ runs: 1, reason: 'too_small' });
    const windows = { name: 'test 0', metadata: { environment: { os: 'windows' } } };
    const twice = await submitted([...tests(4), windows]);
    expect(await shown(await onFeature())).to.deep.equal({ baseline: twice, passed_over: null });
  });

  it('follows the word of a member, until they take it back', async () => {
    const first = await submitted(tests(9));
    const small = await submitted(tests(1));
    const run = await onFeature();
    expect((await shown(run)).baseline).to.equal(first);
    const { status, body } = await saying(small, 'fit');
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal((await get(`/v1/test-runs/${small}`)).data);
    expect(body.data.baseline).to.equal('fit');
    expect(await shown(run)).to.deep.equal({ baseline: small, passed_over: null });
    await saying(small, 'unfit');
    await saying(first, 'unfit');
    const nothing = { baseline: null, passed_over: { runs: 2, reason: 'set_aside' } };
    expect(await shown(run)).to.deep.equal(nothing);
    expect((await get(`/v1/test-runs/${run}/comparison/new_failures`)).data).to.deep.equal([]);
    await saying(first, null);
    await saying(small, null);
    expect(await shown(run)).to.deep.equal({
      baseline: first,
      passed_over: { runs: 1, reason: 'too_small' },
    });
    const texts = (await get(`/v1/test-runs/${small}/history`)).data.map(
      ({ text }: { text: string }) => text,
    );
    expect(
      texts.slice(-3).map((text: string) => text.replace(/^.*? (?=accepted|set|left)/, '')),
    ).to.deep.equal([
      'accepted the run as a baseline.',
      'set the run aside: it is no baseline.',
      'left it to the rules whether the run is a baseline.',
    ]);
  });

  it('takes no other word than fit, unfit and null, and changes nothing where nothing is said', async () => {
    const run = await submitted(tests(1));
    expectError(await team.owner.patch(`/v1/test-runs/${run}`, { baseline: 'good' }), 400, 'invalid_request');
    expectError(await team.owner.patch(`/v1/test-runs/${run}`, { label: 'x' }), 400, 'invalid_request');
    const before = (await get(`/v1/test-runs/${run}/history`)).data.length;
    await team.owner.patch(`/v1/test-runs/${run}`, {});
    await saying(run, null);
    expect((await get(`/v1/test-runs/${run}/history`)).data).to.have.length(before);
  });

  it('compares a test in each environment with itself there', async () => {
    const [linux, windows] = [{ os: 'linux' }, { os: 'windows' }];
    const on = (environment: object, status: string) => ({ name: 'pays', status, metadata: { environment } });
    await submitted([on(linux, 'passed'), on(windows, 'failed')]);
    const run = await submitted([on(linux, 'failed'), on(windows, 'failed')], { branch: 'feature' });
    expect((await comparison(run)).counts).to.include({
      new_failures: 1,
      still_failing: 1,
      added: 0,
      removed: 0,
    });
    const [fresh] = await listed(run, 'new_failures');
    expect(fresh.metadata.environment).to.deep.equal(linux);
    const alone = await submitted([on(linux, 'passed')], { branch: 'feature' });
    expect(await comparison(alone)).to.deep.include({ tests: 1, baseline_tests: 2 });
    expect((await comparison(alone)).counts).to.include({ removed: 1, fixed: 0, still_failing: 0 });
    // A correction of the environment moves the result.
    const { id } = (await get(`/v1/test-runs/${alone}/results`)).data[0];
    await team.owner.post(`/v1/test/result/${id}`, { metadata: { environment: windows } });
    expect((await comparison(alone)).counts).to.include({ removed: 1, fixed: 1 });
  });

  it('takes a removed and an added test of one title, or of one file and suite, for one that was renamed', async () => {
    const of = (name: string, file: string, suite: string) => ({ name, metadata: { file, suite } });
    await submitted([
      of('cart › pays by card', 'cart.ts', 'cart'),
      of('cart › pays by cash', 'cart.ts', 'cart'),
      of('login › greets', 'login.ts', 'login'),
      { name: 'gone', metadata: { file: 'gone.ts' } },
      { name: 'skipped', status: 'skipped' },
    ]);
    const run = await submitted(
      [
        of('checkout › pays by card', 'checkout.ts', 'checkout'),
        of('cart › pays with cash', 'cart.ts', 'cart'),
        of('sign-in › welcomes', 'sign-in.ts', 'login'),
      ],
      { branch: 'feature' },
    );
    const { counts, removed_files } = await comparison(run);
    expect(counts).to.include({ removed: 2, renamed_maybe: 2, added: 3 });
    expect(removed_files).to.equal(2);
    const pairs = await get(`/v1/test-runs/${run}/comparison/renamed_maybe?per_page=1&page=2`);
    expect(pairs.pagination).to.deep.include({ page: 2, total: 2 });
    const names = (await listed(run, 'renamed_maybe')).map(
      ({ removed, added }: Record<'removed' | 'added', { name: string }>) => [removed.name, added.name],
    );
    expect(names).to.deep.equal([
      ['cart › pays by card', 'checkout › pays by card'],
      ['cart › pays by cash', 'cart › pays with cash'],
    ]);
    expect(pairs.data[0].removed.name).to.equal('cart › pays by cash');
    expect((await listed(run, 'removed')).map(({ name }: { name: string }) => name)).to.deep.equal([
      'login › greets',
      'gone',
    ]);
  });

  it('takes no test for removed that has a result, even a skipped one', async () => {
    await submitted(tests(2));
    const run = await submitted([{ name: 'test 0', status: 'skipped' }], { branch: 'feature' });
    expect((await comparison(run)).counts).to.include({ removed: 1 });
    const { test_run_id } = await givenRun(team.owner, project, { metadata: { branch: 'feature' } });
    await givenResult(team.owner, project, { test_run_id, test_name: 'test 0', status: 'Pending' });
    expect((await comparison(test_run_id)).counts).to.include({ removed: 2 });
  });

  it('calls a failure new whose known failure has ended', async () => {
    await submitted([{ name: 'pays' }]);
    const { id } = (await get(`/v1/projects/${project}/tests`)).data[0];
    const path = `/v1/projects/${project}/tests/${id}/known-failure`;
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const content = JSON.stringify({ reason: 'SHOP-1', expires_at, branch: 'main' });
    await team.owner.send({ method: 'PUT', path, content });
    await submitted([{ name: 'pays', status: 'failed' }]);
    const before = await submitted([{ name: 'pays', status: 'failed' }], { branch: 'feature' });
    // Known on the default branch only.
    expect((await comparison(before)).counts).to.include({ still_failing: 1, known: 0 });
    await team.owner.delete(path);
    const after = await submitted([{ name: 'pays', status: 'failed' }], { branch: 'feature' });
    expect((await comparison(after)).counts).to.include({ new_failures: 1, still_failing: 0 });
  });
});
