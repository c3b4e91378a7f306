import { expect } from 'chai';
import { ownServer } from '../../kit/server.js';
import { startIssuer, type Issuer } from '../../trusts/issuer.js';
import { givenKey, givenProject, givenTeamWithProject } from '../given.js';
import { idOf, instant } from '../records.js';
import type { Answer } from '../../kit/client.js';

const expectStatus = (answer: Answer, status: number) =>
  expect(answer.status, JSON.stringify(answer.body)).to.equal(status);

describe('surface B: trusts and the keys of builds', () => {
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const team = givenTeamWithProject(server, 'each test');
  let issuer: Issuer;
  before(async () => {
    issuer = await startIssuer();
  });
  after(() => issuer.close());

  const wanted = (fields: object = {}) => ({
    issuer: issuer.url,
    audience: 'us',
    claims: { repository: 'acme/*' },
    ...fields,
  });
  const path = () => `/v1/projects/${team.project}/trusts`;
  const givenTrust = async (): Promise<string> => (await team.owner.post(path(), wanted())).body.data.id;
  const exchange = async (token: string, fields: object = {}) =>
    server.as(null).post('/v1/ci-token', { token, project_id: team.project, ...fields });
  const right = () => issuer.token({ aud: 'us' });

  it('makes, lists and removes trusts, with exactly the fields', async () => {
    const { status, body } = await team.owner.post(path(), wanted());
    expect(status).to.equal(201);
    expect(body.data).to.have.all.keys('id', 'issuer', 'audience', 'claims', 'created_at');
    expect(body.data).to.deep.include(wanted());
    expect(body.data.id).to.match(idOf('trust'));
    expect(body.data.created_at).to.match(instant);
    expect((await team.owner.get(path())).body.data).to.deep.equal([body.data]);
    expect((await team.owner.delete(`${path()}/${body.data.id}`)).status).to.equal(204);
    expect((await team.owner.get(path())).body.data).to.deep.equal([]);
    expectStatus(await team.owner.delete(`${path()}/${body.data.id}`), 404);
  });

  it('refuses a trust that lets in strangers, in an issuer that cannot be asked, or of a member', async () => {
    for (const claims of [{}, { repository: '**' }, { ref: 'main' }])
      expectStatus(await team.owner.post(path(), wanted({ claims })), 400);
    for (const url of ['http://ci.example', 'ftp://ci.example', 'https://10.0.0.1', 'https://u:p@ci.example'])
      expectStatus(await team.owner.post(path(), wanted({ issuer: url })), 400);
    const member = server.as(await givenKey(team.owner, 'member'));
    expectStatus(await member.post(path(), wanted()), 403);
    expectStatus(await member.get(path()), 403);
  });

  it('refuses a trust, which has no end, from a key that ends', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const wantedKey = { name: 'for a day', role: 'admin', expires_at };
    const admin = server.as((await team.owner.post('/v1/keys', wantedKey)).body.data.key);
    const { status, body } = await admin.post(path(), wanted());
    expect(status).to.equal(403);
    expect(body.error.message).to.include('makes no trust');
    expectStatus(await admin.get(path()), 200);
  });

  it('gives a build a key of its project for 15 minutes, or as long as it asks for', async () => {
    await givenTrust();
    const { status, body } = await exchange(await right());
    expect(status).to.equal(200);
    expect(body.data).to.have.all.keys('key', 'expires_at', 'project_id');
    expect(body.data.project_id).to.equal(team.project);
    const minutes = (at: string) => Math.round((Date.parse(at) - Date.now()) / 60_000);
    expect(minutes(body.data.expires_at)).to.equal(15);
    const { key } = (await server.as(body.data.key).get('/v1/me')).body.data;
    expect(key).to.include({ name: 'build acme/shop refs/heads/main 4711', role: 'reporter' });
    expect(key.project_ids).to.deep.equal([team.project]);
    const longer = await exchange(await right(), { ttl: 'PT6H' });
    expect(minutes(longer.body.data.expires_at)).to.equal(360);
    for (const ttl of ['PT7H', 'PT0S', 'soon', '-PT1H'])
      expectStatus(await exchange(await right(), { ttl }), 400);
  });

  it('tells the audit that a trust gave keys, once an hour', async () => {
    const trust = await givenTrust();
    for (let n = 0; n < 3; n += 1) await exchange(await right());
    // It is told behind the answer.
    for (let told: any[] = []; told.length === 0;) {
      told = (await team.owner.get('/v1/audit?type=ci_token_exchanged')).body.data;
      for (const entry of told) expect(entry.subject).to.include({ type: 'trust', id: trust });
      // An hour may have ended meanwhile.
      const hours = told.map(({ at }) => at.slice(0, 13));
      expect(new Set(hours).size).to.equal(hours.length);
    }
    expect((await team.owner.get('/v1/audit?type=key_made')).body.data).to.have.length(1);
  });

  it('exchanges a token again, since a job runs several commands', async () => {
    await givenTrust();
    const token = await right();
    const keys = [await exchange(token), await exchange(token)].map(({ body }) => body.data.key as string);
    expect(keys[0]).to.not.equal(keys[1]);
    for (const key of keys) expect((await server.as(key).get('/v1/me')).status).to.equal(200);
  });

  it('refuses a wrong token, an unknown project and one without a trust with the same words', async () => {
    await givenTrust();
    const other = await givenProject(team.owner);
    const unknown = `project_${'0'.repeat(26)}`;
    const answers = [
      await exchange(await right(), { project_id: other }),
      await exchange(await right(), { project_id: unknown }),
      await exchange(await right(), { project_id: 'x' }),
    ];
    for (const { status, body } of answers) {
      expect(status).to.equal(401);
      expect(body.error.code).to.equal('invalid_token');
    }
    expect(new Set(answers.map(({ body }) => body.error.message)).size).to.equal(1);
    const broken = [await exchange('x.y'), await exchange('x.y', { project_id: unknown })];
    expect(broken[0]!.body.error.message).to.equal(broken[1]!.body.error.message);
    const expired = await exchange(await issuer.token({ aud: 'us', exp: 1_000 }));
    expect(expired.body.error).to.include({ code: 'invalid_token' });
    expect(expired.body.error.message).to.match(/^exp:/);
  });

  it('shows what a build has done as done by the build', async () => {
    await givenTrust();
    const build = server.as((await exchange(await right())).body.data.key);
    const results = [{ name: 'one test', status: 'passed' }];
    const run = await build.post('/v1/test-runs', { project_id: team.project, results });
    expect(run.status).to.equal(201);
    const { body } = await team.owner.get(`/v1/test-runs/${run.body.data.id}/history`);
    expect(body.data[0].actor).to.equal('build acme/shop refs/heads/main 4711');
    expect(body.data[0].text).to.match(/^The build "acme\/shop refs\/heads\/main 4711"/);
  });

  it('gives a key that sees and writes its own project alone', async () => {
    await givenTrust();
    const build = server.as((await exchange(await right())).body.data.key);
    const other = await givenProject(team.owner);
    const results = [{ name: 'one test', status: 'passed' }];
    expectStatus(await build.post('/v1/test-runs', { project_id: other, results }), 404);
    expectStatus(await build.get(`/v1/projects/${other}`), 404);
    for (const denied of ['/v1/keys', '/v1/webhooks', '/v1/events', path()])
      expectStatus(await build.get(denied), 403);
    expectStatus(await build.post(path(), wanted()), 403);
  });

  it('ends the keys of a trust with the trust, at once', async () => {
    const trust = await givenTrust();
    const build = server.as((await exchange(await right())).body.data.key);
    expect((await build.get('/v1/me')).status).to.equal(200);
    await team.owner.delete(`${path()}/${trust}`);
    expectStatus(await build.get('/v1/me'), 401);
    expectStatus(await exchange(await right()), 401);
  });

  it('lets a build end its key', async () => {
    await givenTrust();
    const build = server.as((await exchange(await right())).body.data.key);
    expect((await build.delete('/v1/keys/self')).status).to.equal(204);
    expectStatus(await build.get('/v1/me'), 401);
  });

  it('keeps the keys of builds out of the log', async () => {
    await givenTrust();
    await exchange(await right());
    const { data } = (await team.owner.get('/v1/events')).body;
    const types = (data as { type: string }[]).map(({ type }) => type);
    expect(types.filter((type) => type.includes('Key'))).to.have.length(1);
    expect(types.filter((type) => type.includes('Trust'))).to.have.length(1);
  });

  // The last: the next wrong token of the address is 429.
  it('lets a right token in from an address whose wrong ones are refused for now', async () => {
    await givenTrust();
    let last = 401;
    for (let n = 0; n < 25 && last === 401; n += 1) last = (await exchange('wrong')).status;
    expect(last).to.equal(429);
    for (let n = 0; n < 25; n += 1) expectStatus(await exchange(await right()), 200);
    expectStatus(await exchange('wrong'), 429);
  });
});
