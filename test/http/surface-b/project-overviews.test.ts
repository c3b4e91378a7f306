import { expect } from 'chai';
import { givenInactive, givenProject, givenRun, givenSubmission, givenTeam } from '../given.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface B: how a project stands', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const submit = async (items: readonly object[], metadata: object = { branch: 'main' }) =>
    (await givenSubmission(team.owner, project, items, { metadata })).run;
  const overview = async () => (await team.owner.get(`/v1/projects/${project}/overview`)).body.data;
  const listed = async (trouble: string) =>
    (await team.owner.get(`/v1/projects/${project}/tests?trouble=${trouble}`)).body;
  const names = async (trouble: string) =>
    (await listed(trouble)).data.map(({ name }: { name: string }) => name);

  it('says that a new project has no run', async () => {
    expect(await overview()).to.deep.equal({
      project_id: project,
      branch: null,
      runs: [],
      run_count: 0,
      last_run_at: null,
      runs_a_day: 0,
      tests: { flaky: 0, broken: 0, failing: 0 },
    });
  });

  it('shows the completed runs of the default branch, newest first, and counts all runs', async () => {
    const first = await submit([{ status: 'failed' }, {}, { status: 'known_fail' }]);
    const second = await submit([{}]);
    await submit([{ status: 'failed' }], { branch: 'feature' });
    const { created_at } = await givenRun(team.owner, project, { metadata: { branch: 'main' } });
    const shown = await overview();
    expect(shown.runs.map(({ created_at: _, ...run }: { created_at: string }) => run)).to.deep.equal([
      { id: second, outcome: 'passed', passed: 1, failed: 0 },
      { id: first, outcome: 'failed', passed: 2, failed: 1 },
    ]);
    expect(shown).to.include({ branch: 'main', run_count: 4, last_run_at: created_at, runs_a_day: 4 });
  });

  it('takes the pace of runs from when they took place, however late they are recorded', async () => {
    const started_at = new Date(Date.now() - 2 * 86_400_000).toISOString();
    await givenSubmission(team.owner, project, [{}], { metadata: { branch: 'main' }, started_at });
    await submit([{}]);
    await submit([{}]);
    expect((await overview()).runs_a_day).to.equal(1.5);
  });

  it('shows runs of all branches where the default branch has none', async () => {
    const run = await submit([{}], {});
    const shown = await overview();
    expect([shown.branch, shown.runs[0].id]).to.deep.equal([null, run]);
  });

  it('counts the tests that need somebody, and lists those with most failures first', async () => {
    const run = (statuses: Record<string, string>) =>
      submit(Object.entries(statuses).map(([name, status]) => ({ name, status })));
    for (let n = 0; n < 20; n += 1) await run({ well: 'passed', broken: 'failed', once: 'passed' });
    await submit([
      { name: 'flaky', status: 'failed', attempt: 1 },
      { name: 'flaky', status: 'passed', attempt: 2 },
      { name: 'once', status: 'failed' },
    ]);
    expect((await overview()).tests).to.deep.equal({ flaky: 1, broken: 1, failing: 2 });
    const { data, pagination } = await listed('any');
    expect(data[0].name).to.equal('broken');
    expect(pagination.total).to.equal(3);
    expect(await names('any')).to.have.members(['broken', 'flaky', 'once']);
    expect(await names('flaky')).to.deep.equal(['flaky']);
    expect(await names('broken')).to.deep.equal(['broken']);
    expect(await names('failing')).to.deep.equal(['broken', 'once']);
    await run({ once: 'passed' });
    expect(await names('failing')).to.deep.equal(['broken']);
  });

  it('refuses trouble together with another list', async () => {
    const answer = await team.owner.get(`/v1/projects/${project}/tests?trouble=any&known_failure=true`);
    expectError(answer, 400, 'invalid_request');
  });

  it('finds runs by a part of their message in any case', async () => {
    const run = await submit([{}], { branch: 'main', message: 'Mend the Checkout' });
    await submit([{}]);
    const { body } = await team.owner.get(`/v1/test-runs?project_id=${project}&q=mend%20the%20c`);
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal([run]);
    expect(body.pagination.total).to.equal(1);
  });

  it('lists active and inactive projects apart', async () => {
    const other = await server.newTeam();
    const [active, inactive] = [await givenProject(other.owner), await givenProject(other.owner)];
    await givenInactive(other.owner, inactive);
    const ids = async (query: string) =>
      (await other.owner.get(`/v1/projects${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('?status=active')).to.deep.equal([active]);
    expect(await ids('?status=inactive')).to.deep.equal([inactive]);
    expect(await ids('')).to.deep.equal([active, inactive]);
  });
});
