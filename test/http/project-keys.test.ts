import { expect } from 'chai';
import type { Api } from '../kit/client.js';
import { givenKey } from './given.js';
import { alike, batches, givenIds, nameless, naming, send, unknown, type Ids } from './named-resources.js';
import { expectRefused } from './refusals.js';
import { openRoutes, testServer, type Team } from '../kit/server.js';
import { eventually } from '../stores.js';

/** An owner of one project may do most: whatever is refused to it is refused because of the project. */
describe('a key of some projects', () => {
  const server = testServer();
  let team: Team;
  let own: Ids;
  let theirs: Ids;
  let narrowed: Api;
  const newKey = async (fields: object, by: Api = team.owner) =>
    server.as((await by.post('/v1/keys', { name: 'CI', role: 'owner', ...fields })).body.data.key);
  before(async () => {
    team = await server.newTeam();
    [own, theirs] = [await givenIds(server, team.owner), await givenIds(server, team.owner)];
    narrowed = await newKey({ project_ids: [own.project] });
  });

  it('is tried on every mounted route', () => {
    const known = [naming, nameless, batches].flatMap((routes) => Object.keys(routes));
    expect(server.program.routes).to.have.members([...known, ...openRoutes()]);
  });

  for (const [route, requests] of Object.entries(naming)) {
    it(`neither reads nor writes another project by ${route}, as if it did not exist`, async () => {
      const before = await state();
      for (const [at, request] of requests(theirs, own).entries()) {
        const foreign = await send(narrowed, route, request);
        // What belongs to no project is refused whether it exists or not.
        expect(foreign.status, foreign.text).to.be.oneOf([404, 403]);
        expect(alike(foreign)).to.deep.equal(alike(await send(narrowed, route, requests(unknown, own)[at]!)));
      }
      expect(await state()).to.deep.equal(before);
    });
  }

  for (const [route, request] of Object.entries(batches)) {
    it(`neither reads nor writes another project by ${route}, as if it did not exist`, async () => {
      const before = await state();
      const foreign = await send(narrowed, route, request(theirs));
      expect(foreign.body.items.map(({ error }: any) => error.code)).to.deep.equal(['not_found']);
      expect(alike(foreign)).to.deep.equal(alike(await send(narrowed, route, request(unknown))));
      expect(await state()).to.deep.equal(before);
    });
  }

  for (const [route, request] of Object.entries(nameless)) {
    it(`is shown nothing of another project by ${route}`, async () => {
      const before = await state();
      const api = route === 'DELETE /v1/keys/self' ? await newKey({ project_ids: [own.project] }) : narrowed;
      const { text, status } = await send(api, route, request);
      expect(status, text).to.be.oneOf([200, 201, 204, 403]);
      for (const id of Object.values(theirs)) expect(text).not.to.include(id);
      expect(await state()).to.deep.equal(before);
    });
  }

  it('reads and writes its own project, by the same routes', async () => {
    const reads = [
      `/v1/projects/${own.project}`,
      `/v1/projects/${own.project}/overview`,
      `/v1/projects/${own.project}/stats`,
      `/v1/projects/${own.project}/tests/${own.test}`,
      `/v1/projects/${own.project}/failures/${own.group}`,
      `/v1/test-runs/${own.run}/results`,
      `/v1/test-runs/${own.run}/comparison`,
      `/v1/test-results/${own.result}`,
      `/v1/test/artifact/?test_result_id=${own.result}`,
    ];
    for (const path of reads) {
      const answer = await narrowed.get(path);
      expect(answer.status, path).to.equal(200);
      expect(answer.body, path).to.deep.equal((await team.owner.get(path)).body);
    }
    const run = await narrowed.post('/v1/test-runs', {
      project_id: own.project,
      results: [{ name: 'A test', status: 'passed' }],
    });
    expect(run.status).to.equal(201);
    expect((await narrowed.get('/v1/projects')).body).to.have.nested.property('pagination.total', 1);
    expect((await narrowed.get('/v1/test/project/')).body.items).to.have.length(1);
    const { projects } = (await narrowed.get('/v1/stats')).body.data;
    expect(projects.map(({ project_id }: { project_id: string }) => project_id)).to.deep.equal([own.project]);
  });

  it('replays the events of its projects only, in pages and as lines', async () => {
    for (const accept of ['application/json', 'application/x-ndjson']) {
      const { text } = await narrowed.send({
        method: 'GET',
        path: '/v1/events?limit=1000',
        headers: { accept },
      });
      expect(text).to.include(own.run);
      for (const id of Object.values(theirs)) expect(text).not.to.include(id);
      expect(text).not.to.include('KeyCreated');
    }
  });

  it('gets the stored answer to an Idempotency-Key only where it may see its project', async () => {
    const headers = { 'Idempotency-Key': 'a-job' };
    const create = (api: Api, project_id: string) => api.post('/v1/test/run/', { project_id }, headers);
    const first = await create(team.owner, theirs.project);
    expect(first.status).to.equal(200);
    expectRefused(await create(narrowed, theirs.project), '/v1/test/run/', 404, 'not_found');
    const other = await newKey({ project_ids: [theirs.project] });
    expect((await create(other, theirs.project)).body).to.deep.equal(first.body);
  });

  it('makes keys of its projects by default, and sees and revokes no others', async () => {
    const child = await newKey({}, narrowed);
    const { key } = (await child.get('/v1/me')).body.data;
    expect(key.project_ids).to.deep.equal([own.project]);
    const listed = (await narrowed.get('/v1/keys')).body.data;
    for (const { project_ids } of listed) expect(project_ids).to.deep.equal([own.project]);
    for (const project_ids of [null, [own.project, theirs.project]]) {
      const refused = await narrowed.post('/v1/keys', { name: 'CI', role: 'viewer', project_ids });
      expect(refused.status).to.be.oneOf([403, 404]);
    }
    expect((await narrowed.delete(`/v1/keys/${key.id}`)).status).to.equal(204);
    expectRefused(await child.get('/v1/me'), '/v1/me', 401, 'unauthorized');
  });

  it('makes webhooks of its projects by default, and reads, changes and pings no others', async () => {
    const wanted = { url: 'https://example.org/hook', events: ['*'] };
    const { status, body } = await narrowed.post('/v1/webhooks', wanted);
    expect(status).to.equal(201);
    expect(body.data.project_ids).to.deep.equal([own.project]);
    const path = `/v1/webhooks/${body.data.id}`;
    const listed = (await narrowed.get('/v1/webhooks?per_page=100')).body;
    expect(listed.data.map(({ id }: any) => id)).to.include(body.data.id);
    for (const { project_ids } of listed.data) expect(project_ids).to.deep.equal([own.project]);
    const { pagination } = (await team.owner.get('/v1/webhooks')).body;
    expect(pagination.total).to.be.greaterThan(listed.pagination.total);
    for (const project_ids of [null, [own.project, theirs.project], [theirs.project]]) {
      for (const answer of [
        await narrowed.post('/v1/webhooks', { ...wanted, project_ids }),
        await narrowed.patch(path, { project_ids }),
      ])
        expect(answer.status).to.be.oneOf([403, 404]);
    }
    expect((await narrowed.patch(path, { events: ['test.failed'] })).status).to.equal(200);
    expect((await narrowed.post(`${path}/ping`)).status).to.equal(202);
    expect((await narrowed.get(`${path}/deliveries`)).status).to.equal(200);
    // Once it reaches further than the key, it does not exist for it.
    expect((await team.owner.patch(path, { project_ids: null })).body.data.project_ids).to.equal(null);
    for (const answer of [await narrowed.get(path), await narrowed.patch(path, { enabled: false })])
      expectRefused(answer, path, 404, 'not_found');
    await team.owner.patch(path, { project_ids: [own.project] });
    expect((await narrowed.delete(path)).status).to.equal(204);
  });

  it('sees no delivery of a webhook from before the webhook was narrowed to its projects', async () => {
    const wanted = { url: 'https://example.org/hook', events: ['run.completed'] };
    const { id } = (await team.owner.post('/v1/webhooks', wanted)).body.data;
    const path = `/v1/webhooks/${id}`;
    const listed = async (api: Api) => (await api.get(`${path}/deliveries`)).body;
    const submit = (project_id: string) =>
      team.owner.post('/v1/test-runs', { project_id, results: [{ name: 'pays', status: 'passed' }] });
    const until = async (number: number) => {
      await eventually('the deliveries', async () => (await listed(team.owner)).pagination.total === number);
      return (await listed(team.owner)).data.map((delivery: any) => delivery.id);
    };
    await submit(theirs.project);
    const [before] = await until(1);
    await eventually('an attempt', async () => (await team.owner.get(path)).body.data.last_delivery !== null);
    await team.owner.patch(path, { project_ids: [own.project] });
    expect((await listed(narrowed)).pagination.total).to.equal(0);
    expect((await narrowed.get(path)).body.data.last_delivery).to.equal(null);
    const again = `${path}/deliveries/${before}/resend`;
    expectRefused(await narrowed.post(again), again, 404, 'not_found');
    expect((await team.owner.post(again)).status).to.equal(202);
    await submit(own.project);
    const [after] = await until(2);
    const { data, pagination } = await listed(narrowed);
    expect([data.map((delivery: any) => delivery.id), pagination.total]).to.deep.equal([[after], 1]);
    expect((await team.owner.delete(path)).status).to.equal(204);
  });

  it('makes no key that ends later than itself', async () => {
    const [soon, later] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const mortal = await newKey({ expires_at: soon });
    const create = (fields: object) => mortal.post('/v1/keys', { name: 'CI', role: 'viewer', ...fields });
    expect((await create({})).body.data.expires_at).to.equal(soon);
    for (const expires_at of [later, null])
      expectRefused(await create({ expires_at }), '/v1/keys', 403, 'forbidden');
  });

  it('says in a header that it ends within seven days, and not before', async () => {
    const [soon, later] = [6, 8].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const endOf = async (expires_at: string) =>
      (await (await newKey({ expires_at })).get('/v1/me')).headers.get('x-key-expires') ?? null;
    expect(await endOf(soon!)).to.equal(soon);
    expect(await endOf(later!)).to.equal(null);
  });

  it('ends itself, whoever has it', async () => {
    const leaked = server.as(await givenKey(team.owner, 'reporter'));
    expect((await leaked.delete('/v1/keys/self')).status).to.equal(204);
    expectRefused(await leaked.get('/v1/me'), '/v1/me', 401, 'unauthorized');
  });

  /** All that is in the other project, as the owner sees it. */
  async function state(): Promise<unknown> {
    const paths = [
      `/v1/projects/${theirs.project}`,
      `/v1/projects/${theirs.project}/tests`,
      `/v1/test/run/?project_id=${theirs.project}`,
      `/v1/test/result/?test_run_id=${theirs.run}`,
      `/v1/test/artifact/?test_result_id=${theirs.result}`,
      `/v1/test-runs/${theirs.run}/links`,
      `/v1/projects/${theirs.project}/badges`,
      `/v1/webhooks/${theirs.webhook}`,
      '/v1/team',
    ];
    const { body } = await team.owner.get('/v1/keys?per_page=100');
    const key = body.data.find(({ id }: any) => id === theirs.key)?.revoked_at;
    return [key, ...(await Promise.all(paths.map(async (path) => (await team.owner.get(path)).body)))];
  }
});
