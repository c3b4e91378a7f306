import { expect } from 'chai';
import { givenInactive, givenProject, givenTeam } from '../given.js';
import { idOf, instant } from '../records.js';
import { testServer } from '../../kit/server.js';

describe('surface A: the list of projects', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');

  it('is empty if the team has none', async () => {
    const { status, body } = await team.owner.get('/v1/test/project/');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ items: [], page_token: null });
  });

  it('has exactly the fields of the record', async () => {
    const id = await givenProject(team.owner, { name: 'Checkout', description: 'The shop' });
    const { body } = await team.owner.get('/v1/test/project/');
    const [project] = body.items;
    expect(project).to.include({
      project_id: id,
      name: 'Checkout',
      description: 'The shop',
      status: 'Active',
    });
    expect(project.project_id).to.match(idOf('project'));
    expect(project.created_at).to.match(instant);
  });

  it('has inactive projects too, as Inactive', async () => {
    const id = await givenProject(team.owner);
    await givenInactive(team.owner, id);
    const { body } = await team.owner.get('/v1/test/project/');
    expect(body.items).to.have.length(1);
    expect(body.items[0]).to.include({ project_id: id, status: 'Inactive', description: null });
  });

  it('keeps a project in its place after a change', async () => {
    const first = await givenProject(team.owner, { name: 'First' });
    const second = await givenProject(team.owner, { name: 'Second' });
    await team.owner.patch(`/v1/projects/${first}`, { name: 'Renamed' });
    const { body } = await team.owner.get('/v1/test/project/');
    expect(body.items.map(({ project_id, name }: any) => [project_id, name])).to.deep.equal([
      [first, 'Renamed'],
      [second, 'Second'],
    ]);
  });
});
