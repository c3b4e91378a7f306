import { expect } from 'chai';
import { givenInactive, givenProject, givenResult, givenRun, givenTeam } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectError, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface B: the API for projects', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  const get = async (id: string) => (await team.owner.get(`/v1/projects/${id}`)).body.data;

  it('creates an active project, and answers 201 with exactly the fields of the record', async () => {
    const { status, body } = await team.owner.post('/v1/projects', {
      name: 'Checkout',
      description: 'The shop',
    });
    expect(status).to.equal(201);
    expect(body).to.have.all.keys('data');
    expect(body.data).to.include({ name: 'Checkout', description: 'The shop', status: 'active' });
    expect(body.data.id).to.match(idOf('project'));
    expect(body.data.created_at).to.match(instant);
    expect(await get(body.data.id)).to.deep.equal(body.data);
  });

  it('changes the sent fields, and answers the record', async () => {
    const id = await givenProject(team.owner, { name: 'Before', description: 'Old' });
    const before = await get(id);
    const named = await team.owner.patch(`/v1/projects/${id}`, { name: 'After' });
    expect([named.status, named.body]).to.deep.equal([200, { data: { ...before, name: 'After' } }]);
    const cleared = await team.owner.patch(`/v1/projects/${id}`, { description: null });
    expect(cleared.body.data).to.deep.equal({ ...before, name: 'After', description: null });
    const nothing = await team.owner.patch(`/v1/projects/${id}`, {});
    expect(nothing.body.data).to.deep.equal(cleared.body.data);
    expect(await get(id)).to.deep.equal(cleared.body.data);
  });

  it('lists projects in pages with a total, the newest last', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await givenProject(team.owner));
    const page = async (query: string) => (await team.owner.get(`/v1/projects${query}`)).body;
    const all = await page('');
    expect(all).to.have.all.keys('data', 'pagination');
    expect(all.data.map((project: any) => project.id)).to.deep.equal(ids);
    expect(all.pagination).to.deep.equal({ page: 1, per_page: 20, total: 5, total_pages: 1 });
    for (const [number, wanted] of [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []].entries()) {
      const { data, pagination } = await page(`?page=${number + 1}&per_page=2`);
      expect(data.map((project: any) => project.id)).to.deep.equal(wanted);
      expect(pagination).to.deep.equal({ page: number + 1, per_page: 2, total: 5, total_pages: 3 });
    }
  });

  it('has up to 100 projects on a page, and 20 by default', async () => {
    await Promise.all(Array.from({ length: 21 }, () => givenProject(team.owner)));
    const lengthOf = async (query: string) =>
      (await team.owner.get(`/v1/projects${query}`)).body.data.length as number;
    expect(await lengthOf('')).to.equal(20);
    expect(await lengthOf('?per_page=100')).to.equal(21);
    expect(await lengthOf('?per_page=1')).to.equal(1);
    for (const wrong of ['per_page=0', 'per_page=101', 'per_page=x', 'page=0', 'page=-1', 'page=', 'x=1']) {
      const answer = await team.owner.get(`/v1/projects?${wrong}`);
      expectError(answer, 400, 'invalid_request', 'validation_failed');
      expect(answer.body.error.details.errors[0].pointer).to.equal(`?${wrong.split('=')[0]}`);
    }
  });

  it('refuses every write in an inactive project, and answers every read', async () => {
    const id = await givenProject(team.owner);
    const { test_run_id } = await givenRun(team.owner, id);
    const { test_result_id } = await givenResult(team.owner, id, { test_run_id });
    await givenInactive(team.owner, id);
    expect((await get(id)).status).to.equal('inactive');

    const result = { project_id: id, test_name: 'A test', status: 'Passed' };
    for (const [path, body] of [
      ['run/', { project_id: id }],
      [`run/${test_run_id}`, { label: 'New label' }],
      [`run/${test_run_id}`, {}],
      ['result/', result],
      ['result/', { ...result, test_run_id }],
      [`result/${test_result_id}`, { status: 'Failed' }],
      [`result/${test_result_id}/start`, {}],
      [`result/${test_result_id}/finish`, {}],
    ] as const) {
      expectProblem(await team.owner.post(`/v1/test/${path}`, body), 403, 'project_inactive');
    }
    expectProblem(await team.owner.delete(`/v1/test/result/${test_result_id}`), 403, 'project_inactive');

    for (const path of [
      `run/${test_run_id}`,
      `run/?project_id=${id}`,
      `result/${test_result_id}`,
      `result/?test_run_id=${test_run_id}`,
    ]) {
      expect((await team.owner.get(`/v1/test/${path}`)).status).to.equal(200);
    }
  });
});
