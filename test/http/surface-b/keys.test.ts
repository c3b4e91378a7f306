import { expect } from 'chai';
import { givenKey, givenTeam } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectError, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface B: the API for keys', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  const list = async (query = '') => (await team.owner.get(`/v1/keys${query}`)).body;
  const me = async (key: string) => server.as(key).get('/v1/me');

  it('creates a key that works at once, and answers 201 with exactly the fields and the key', async () => {
    const { status, body } = await team.owner.post('/v1/keys', { name: 'CI', role: 'member' });
    expect(status).to.equal(201);
    expect(body).to.have.all.keys('data');
    expect(body.data).to.include({ name: 'CI', role: 'member' });
    expect(body.data.id).to.match(idOf('key'));
    expect(body.data.created_at).to.match(instant);
    expect(body.data.key).to.match(/^tl_[0-9A-Za-z]{36}$/);
    expect((await me(body.data.key)).status).to.equal(200);
  });

  it('shows a key of any role its own record', async () => {
    for (const role of ['reporter', 'viewer', 'member', 'admin', 'owner']) {
      const { data } = (await team.owner.post('/v1/keys', { name: `The ${role}`, role })).body;
      const { status, body } = await me(data.key);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({
        data: {
          key: { id: data.id, name: `The ${role}`, role, expires_at: null, project_ids: null },
          team: { id: team.id, name: 'A team' },
        },
      });
    }
  });

  it('lists keys with exactly the fields, oldest first, and never the key itself', async () => {
    const { id, key, created_at } = (await team.owner.post('/v1/keys', { name: 'CI', role: 'viewer' })).body
      .data;
    const { data, pagination } = await list();
    expect(data).to.have.length(2);
    const first = (await team.owner.get('/v1/me')).body.data.key.id;
    expect(data[0]).to.include({ id: first, role: 'owner', created_by: null });
    expect(data[1]).to.deep.equal({
      id,
      name: 'CI',
      role: 'viewer',
      expires_at: null,
      project_ids: null,
      prefix: key.slice(0, 8),
      created_by: first,
      created_at,
      last_used_at: null,
      revoked_at: null,
    });
    expect(pagination).to.deep.equal({ page: 1, per_page: 20, total: 2, total_pages: 1 });
    const { text } = await team.owner.get('/v1/keys');
    for (const secret of [key, team.owner.key!]) expect(text).not.to.include(secret);
  });

  it('shows when a key was last used', async () => {
    const began = new Date().toISOString();
    const key = await givenKey(team.owner, 'viewer');
    await me(key);
    const { last_used_at } = (await list()).data[1];
    expect(last_used_at).to.match(instant);
    expect(last_used_at >= began && last_used_at <= new Date().toISOString()).to.equal(true);
  });

  it('still lists a revoked key, and accepts a second revocation', async () => {
    const { id } = (await me(await givenKey(team.owner, 'viewer'))).body.data.key;
    await team.owner.delete(`/v1/keys/${id}`);
    const [, revoked] = (await list()).data;
    expect(revoked.id).to.equal(id);
    expect(revoked.revoked_at).to.match(instant);
    expect((await team.owner.delete(`/v1/keys/${id}`)).status).to.equal(204);
    expect((await list()).data[1]).to.deep.equal(revoked);
  });

  it('allows a key to revoke itself', async () => {
    const key = await givenKey(team.owner, 'admin');
    const { id } = (await me(key)).body.data.key;
    expect((await server.as(key).delete(`/v1/keys/${id}`)).status).to.equal(204);
    expectError(await me(key), 401, 'unauthorized');
  });

  it('accepts a key with the Bearer scheme too', async () => {
    const key = team.owner.key!;
    for (const header of [key, `Bearer ${key}`, `bearer ${key}`]) {
      expect((await server.as(header).get('/v1/me')).status, header).to.equal(200);
    }
  });

  it('refuses everything that is not a key', async () => {
    const key = team.owner.key!;
    const last = key.endsWith('0') ? '1' : '0';
    const wrong = [
      '',
      'Bearer',
      'x',
      `Basic ${key}`,
      `Bearer Bearer ${key}`,
      key.slice(0, -1) + last,
      `${key}0`,
      key.toLowerCase(),
      'tl_000000000000000000000000000000000000',
      'x'.repeat(8_000),
    ];
    for (const header of wrong) {
      expectError(await server.as(header).get('/v1/me'), 401, 'unauthorized');
      expectProblem(await server.as(header).get('/v1/test/project/'), 401, 'unauthorized');
    }
    expectError(await server.as(null).get('/v1/me'), 401, 'unauthorized');
  });
});
