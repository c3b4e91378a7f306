import { expect } from 'chai';
import { givenKey } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface B: the API for teams', () => {
  const server = testServer();

  it('creates a team with its first owner key, which works at once', async () => {
    const { status, body } = await server.operator.post('/v1/teams', { name: 'Payments' });
    expect(status).to.equal(201);
    expect(body.data).to.include({ name: 'Payments' });
    expect(body.data.id).to.match(idOf('team'));
    expect(body.data.created_at).to.match(instant);
    const { data } = (await server.as(body.data.key).get('/v1/me')).body;
    expect(data.team).to.deep.equal({ id: body.data.id, name: 'Payments' });
    expect(data.key).to.include({ role: 'owner' });
  });

  it('is only for owners in the team of the operator, whatever the body', async () => {
    const { owner } = await server.newTeam();
    const admin = server.as(await givenKey(server.operator, 'admin'));
    for (const api of [owner, admin]) {
      for (const body of [{ name: 'Payments' }, { nome: 1 }]) {
        expectError(await api.post('/v1/teams', body), 403, 'forbidden', 'role');
      }
    }
  });

  it('accepts two teams with one name', async () => {
    const [one, two] = await Promise.all([server.newTeam(), server.newTeam()]);
    expect(one.id).not.to.equal(two.id);
  });
});
