import { expect } from 'chai';
import { alike, batches, givenIds, nameless, naming, send, unknown, type Ids } from './named-resources.js';
import { expectRefused } from './refusals.js';
import { openRoutes, testServer, type Team } from '../kit/server.js';

describe('the resources of another team', () => {
  const server = testServer();
  let one: Team;
  let other: Team;
  let own: Ids;
  let theirs: Ids;
  before(async () => {
    [one, other] = [await server.newTeam(), await server.newTeam()];
    [own, theirs] = [await givenIds(server, one.owner), await givenIds(server, other.owner)];
  });

  it('are requested by this suite through every mounted route', () => {
    const known = [naming, nameless, batches].flatMap((routes) => Object.keys(routes));
    expect(server.program.routes).to.have.members([...known, ...openRoutes()]);
  });

  for (const [route, requests] of Object.entries(naming)) {
    it(`are 404 for ${route}, like resources that do not exist`, async () => {
      const before = await state();
      for (const [at, request] of requests(theirs, own).entries()) {
        const foreign = await send(one.owner, route, request);
        expectRefused(foreign, request.path, 404, 'not_found');
        const nowhere = await send(one.owner, route, requests(unknown, own)[at]!);
        expect(alike(foreign)).to.deep.equal(alike(nowhere));
      }
      expect(await state()).to.deep.equal(before);
    });

    it(`are 404 for ${route} to the operator too`, async () => {
      for (const request of requests(theirs, own)) {
        expectRefused(await send(server.operator, route, request), request.path, 404, 'not_found');
      }
    });
  }

  for (const [route, request] of Object.entries(batches)) {
    it(`are 404 in the answer of ${route}, like resources that do not exist`, async () => {
      const before = await state();
      const [foreign, nowhere] = [
        await send(one.owner, route, request(theirs)),
        await send(one.owner, route, request(unknown)),
      ];
      expect(foreign.body.items.map(({ error }: any) => error.code)).to.deep.equal(['not_found']);
      expect(alike(foreign)).to.deep.equal(alike(nowhere));
      expect(await state()).to.deep.equal(before);
    });
  }

  for (const [route, request] of Object.entries(nameless)) {
    // Last of all, this one ends the key.
    if (route === 'DELETE /v1/keys/self') continue;
    it(`are not shown by ${route}`, async () => {
      const { text, status } = await send(one.owner, route, request);
      expect(status).to.be.oneOf(route === 'DELETE /v1/team' ? [400] : [200, 201, 403]);
      for (const id of [...Object.values(theirs), other.id]) expect(text).not.to.include(id);
    });
  }

  it('are not shown to an Idempotency-Key that both teams use', async () => {
    const headers = { 'Idempotency-Key': 'the-same' };
    const [first, second] = await Promise.all(
      [one, other].map(({ owner }) => owner.post('/v1/projects', { name: 'A project' }, headers)),
    );
    expect(first!.status).to.equal(201);
    expect(second!.body.data.id).not.to.equal(first!.body.data.id);
  });

  /** All resources of the other team, as it sees them itself. */
  async function state(): Promise<unknown> {
    const paths = [
      `/v1/projects/${theirs.project}`,
      `/v1/projects/${theirs.project}/tests`,
      `/v1/test/run/?project_id=${theirs.project}`,
      `/v1/test/result/?test_run_id=${theirs.run}`,
      `/v1/test/artifact/?test_result_id=${theirs.result}`,
      `/v1/test-runs/${theirs.run}/links`,
      `/v1/projects/${theirs.project}/badges`,
      '/v1/webhooks',
    ];
    const { body } = await other.owner.get('/v1/keys');
    const keys = body.data.map(({ id, revoked_at }: any) => [id, revoked_at]);
    return [keys, ...(await Promise.all(paths.map(async (path) => (await other.owner.get(path)).body)))];
  }
});
