import { expect } from 'chai';
import { givenInactive, givenProject, givenResult, givenRun, givenTeam } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectProblem } from '../refusals.js';
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

  it('lists projects, the newest last', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await givenProject(team.owner));
    const { data } = (await team.owner.get('/v1/projects')).body;
    expect(data.map((project: any) => project.id)).to.deep.equal(ids);
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
