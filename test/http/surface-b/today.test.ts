import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { bodyOf, givenProject, givenRun, givenSubmission, givenTeam } from '../given.js';

const HOUR = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

/** A run with the time at which it ran, as an import sends it. */
type Sent = { hours: number; branch?: string; actor?: string; tool?: string; results: readonly object[] };

describe('GET /v1/today', () => {
  const team = givenTeam(testServer(), 'each test');
  const today = async (query = '') => (await bodyOf(team.owner, `/v1/today${query}`)).data;

  async function given(
    project: string,
    { hours, branch = 'main', actor = 'mia', tool = 'jest', results }: Sent,
  ) {
    const at = { started_at: hoursAgo(hours), finished_at: hoursAgo(hours) };
    const metadata = { branch, commit: `commit-${hours}`, actor, tool, message: `Change ${hours}` };
    const items = results.map((each) => ({ started_at: at.started_at, duration_ms: 5, ...each }));
    return (await givenSubmission(team.owner, project, items, { metadata, ...at })).run;
  }
  const failed = (name: string, message: string, owner = '@shop/cart') => ({
    name,
    status: 'failed',
    error_message: message,
    metadata: { owner },
  });

  it('has nothing for a team in which nothing ran', async () => {
    const { causes, red, without_verdict, flaky, ending, running, projects } = await today();
    for (const list of [causes, red, without_verdict, flaky, ending, running])
      expect(list).to.deep.equal({ items: [], total: 0 });
    expect(projects).to.deep.equal({ total: 0, looked_at: 0 });
  });

  it('names new causes of the default branch with their first bad run, its author, and the owner', async () => {
    const project = await givenProject(team.owner, { name: 'Web shop' });
    await given(project, { hours: 50, results: [failed('old', 'Error: the old cause')] });
    const first = await given(project, {
      hours: 5,
      actor: 'noor',
      results: [failed('old', 'Error: the old cause'), failed('pays', 'TypeError: no card')],
    });
    await given(project, { hours: 1, results: [failed('pays', 'TypeError: no card')] });
    await given(project, {
      hours: 1,
      branch: 'wallet',
      results: [failed('other', 'RangeError: of a branch')],
    });
    const { causes } = await today();
    expect(causes.total).to.equal(1);
    expect(causes.items[0]).to.deep.include({
      project: 'Web shop',
      results: 2,
      runs: 2,
      owner: '@shop/cart',
    });
    expect(causes.items[0].first_run).to.include({
      id: first,
      actor: 'noor',
      commit: 'commit-5',
      title: 'Change 5',
    });
    expect((await today('?days=7')).causes.total).to.equal(2);
  });

  it('says since which run a default branch is red, by tool, and nothing of one that is green again', async () => {
    const project = await givenProject(team.owner, { name: 'API' });
    const bad = [failed('reads', 'Error: no answer')];
    const good = [{ name: 'reads', status: 'passed' }];
    await given(project, { hours: 9, results: bad });
    await given(project, { hours: 8, results: good });
    const since = await given(project, { hours: 7, results: bad });
    const newest = await given(project, { hours: 6, results: bad });
    await given(project, { hours: 5, tool: 'pytest', results: bad });
    await given(project, { hours: 4, tool: 'pytest', results: good });
    await given(project, { hours: 3, branch: 'wallet', results: bad });
    const { items, total } = (await today()).red;
    expect(total).to.equal(1);
    expect(items[0]).to.deep.include({ branch: 'main', runs: 2 });
    expect([items[0].since.id, items[0].newest.id, items[0].newest.tool]).to.deep.equal([
      since,
      newest,
      'jest',
    ]);
  });

  it('calls no default branch green that no run says it of', async () => {
    const good = [{ name: 'reads', status: 'passed' }];
    const bad = [failed('reads', 'Error: no answer')];
    const unnamed = await givenProject(team.owner, { name: 'A: runs name no branch' });
    const { run: failedRun } = await givenSubmission(team.owner, unnamed, bad, {});
    await given(await givenProject(team.owner, { name: 'B: another branch' }), {
      hours: 1,
      branch: 'trunk',
      results: bad,
    });
    const cut = await givenProject(team.owner, { name: 'C: cut' });
    await given(cut, { hours: 2, results: good });
    await givenSubmission(team.owner, cut, good, {
      metadata: { branch: 'main', tool: 'jest' },
      report: { partial: true },
    });
    const none = await givenProject(team.owner, { name: 'D: no results' });
    const { test_run_id } = await givenRun(team.owner, none, {
      label: 'Empty',
      metadata: { branch: 'main' },
    });
    await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    await given(await givenProject(team.owner, { name: 'E: green' }), { hours: 1, results: good });
    const { red, without_verdict: found } = await today();
    const rows = found.items.map(({ project, branch, reason }: any) => [project, branch, reason]);
    expect(rows.sort()).to.deep.equal([
      ['A: runs name no branch', 'main', 'no_run'],
      ['B: another branch', 'main', 'no_run'],
      ['C: cut', 'main', 'incomplete'],
      ['D: no results', 'main', 'empty'],
    ]);
    expect(
      found.items.find(({ reason, project }: any) => reason === 'no_run' && project[0] === 'A').newest.id,
    ).to.equal(failedRun);
    expect(red.total).to.equal(0);
  });

  it('names tests that became flaky, known failures that end within a week, and runs that are going', async () => {
    const project = await givenProject(team.owner, { name: 'API' });
    const both = { hours: 2, results: [failed('shakes', 'Error: late'), failed('known', 'Error: later')] };
    await given(project, both);
    const metadata = { branch: 'main', commit: 'commit-2', tool: 'jest' };
    await givenSubmission(team.owner, project, [{ name: 'shakes', status: 'passed' }], { metadata });
    const { data: tests } = await bodyOf(team.owner, `/v1/projects/${project}/tests?q=known`);
    const known = { reason: 'bug 7', expires_at: new Date(Date.now() + 72 * HOUR).toISOString() };
    const path = `/v1/projects/${project}/tests/${tests[0].id}/known-failure`;
    expect((await team.owner.send({ method: 'PUT', path, content: JSON.stringify(known) })).status).to.equal(
      200,
    );
    const { test_run_id: going } = await givenRun(team.owner, project, { label: 'Going' });
    await team.owner.post(`/v1/test/run/${going}`, { status: 'Running' });
    const found = await today();
    expect(found.flaky.items.map((each: any) => [each.name, each.project])).to.deep.equal([
      ['shakes', 'API'],
    ]);
    expect(found.ending.items.map((each: any) => [each.name, each.reason])).to.deep.equal([
      ['known', 'bug 7'],
    ]);
    expect(found.running.items.map(({ id, title }: any) => [id, title])).to.deep.equal([[going, 'Going']]);
  });

  it('narrows everything to owners and authors', async () => {
    const project = await givenProject(team.owner, { name: 'API' });
    await given(project, {
      hours: 3,
      actor: 'Noor',
      results: [failed('one', 'Error: one', '@shop/cart'), failed('two', 'TypeError: two', '@shop/search')],
    });
    expect((await today()).causes.total).to.equal(2);
    expect((await today('?who=@SHOP/search')).causes.items.map(({ owner }: any) => owner)).to.deep.equal([
      '@shop/search',
    ]);
    expect((await today('?who=noor,nobody')).red.total).to.equal(1);
    const { causes, red } = await today('?who=nobody');
    expect([causes.total, red.total]).to.deep.equal([0, 0]);
  });
});
