/** Several processes on the same servers: each knows what another has answered. */
import { expect } from 'chai';
import { isApiKey } from '../../src/domain/api-key.js';
import { givenProject, givenResult, givenRun, newArtifact, uploaded } from '../http/given.js';
import { OWNER_KEY } from '../kit/environment.js';
import { servers, until, type RunningServer } from '../kit/process.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

const ROUNDS = 60;
/** The lease of a killed projector lasts 10 s. */
const TAKEN_OVER_MS = 15_000;

describe('two API processes and one projector on the same servers', function () {
  let stores: StoreUrls;
  beforeEach(() => (stores = emptyStores()));
  const given = servers(() => stores);

  let nodes: [RunningServer, RunningServer];
  let projector: RunningServer;
  beforeEach(async () => {
    projector = await given.start({ env: { ROLES: 'projector' } });
    nodes = [await given.start({ env: { ROLES: 'api' } }), await given.start({ env: { ROLES: 'api' } })];
  });

  /** The writer and the reader of the n-th pair: the nodes take turns. */
  const pair = (n: number) => (n % 2 === 0 ? nodes : nodes.toReversed()) as [RunningServer, RunningServer];

  it('show a write by one to a GET begun later on the other, in its record and in its list', async () => {
    const project = await givenProject(nodes[0].owner);
    const { test_run_id } = await givenRun(nodes[0].owner, project);
    for (let n = 0; n < ROUNDS; n += 1) {
      const [writer, reader] = pair(n);
      const made = await givenResult(writer.owner, project, { test_run_id, test_name: `test ${n}` });
      const one = await reader.owner.get(`/v1/test/result/${made.test_result_id}`);
      expect(one.headers.get('x-read-lag')).to.equal(null);
      expect(one.body).to.deep.equal(made);
      const run = await reader.owner.get(`/v1/test/run/${test_run_id}`);
      expect(run.body.counts).to.include({ total: n + 1, passed: n + 1 });
    }
  });

  it('accept as a parent, at once, what the other has answered', async () => {
    for (let n = 0; n < 40; n += 1) {
      const [one, other] = pair(n);
      const project = await givenProject(one.owner);
      const { test_run_id } = await givenRun(other.owner, project);
      const first = await givenResult(one.owner, project, { test_run_id, status: 'Failed' });
      const retry = await givenResult(other.owner, project, { test_run_id, retry_of: first.test_result_id });
      expect(retry.attempt).to.equal(2);
      const { status } = await one.owner.post(`/v1/test/result/${retry.test_result_id}`, {
        status: 'Failed',
      });
      expect(status).to.equal(200);
    }
  });

  for (const stopped of [false, true]) {
    it(`accept a key that the other has made at once, and refuse a key that it has revoked within 1 s${stopped ? ', with the projector stopped too' : ''}`, async () => {
      if (stopped) await projector.stop();
      for (let n = 0; n < 10; n += 1) {
        const [one, other] = pair(n);
        const { data } = (await one.owner.post('/v1/keys', { name: 'A key', role: 'member' })).body;
        expect(isApiKey(data.key)).to.equal(true);
        expect((await other.as(data.key).get('/v1/me')).status).to.equal(200);
        expect((await one.owner.delete(`/v1/keys/${data.id}`)).status).to.equal(204);
        await until(
          'the other to refuse it',
          async () => (await other.as(data.key).get('/v1/me')).status === 401,
          1_000,
        );
      }
    });
  }

  it('do a write once that is sent to both at once with one Idempotency-Key, and give the same answer', async () => {
    const project = await givenProject(nodes[0].owner);
    const { test_run_id } = await givenRun(nodes[0].owner, project);
    for (let n = 0; n < 20; n += 1) {
      const body = { project_id: project, test_run_id, test_name: `test ${n}`, status: 'Passed' };
      const send = async ({ owner }: RunningServer) => {
        for (;;) {
          const answer = await owner.post('/v1/test/result/', body, { 'Idempotency-Key': `key-${n}` });
          if (answer.body.code !== 'in_flight') return answer;
        }
      };
      const [one, other] = await Promise.all(nodes.map(send));
      expect(one!.status, one!.text).to.equal(200);
      expect(other!.text).to.equal(one!.text);
    }
    const { body } = await nodes[1].owner.get(`/v1/test/result/?test_run_id=${test_run_id}&page_size=100`);
    expect(body.items).to.have.length(20);
  });

  it('accept exactly 50 of a hundred artifacts that are announced to both, and confirm those of the other, even without a projector', async () => {
    const project = await givenProject(nodes[0].owner);
    const { test_result_id } = await givenResult(nodes[0].owner, project);
    await projector.stop();
    const announced = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        nodes[n % 2]!.owner.post('/v1/test/artifact/', { ...newArtifact, test_result_id }),
      ),
    );
    const made = announced.filter(({ status }) => status === 200);
    expect(made).to.have.length(50);
    const refused = announced.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ body }) => body.code))).to.deep.equal(new Set(['artifact_limit']));
    const ended = made.map(async ({ body }, n) => {
      expect(await uploaded(body.upload_url, 'the bytes')).to.equal(200);
      const { owner } = nodes[(n + 1) % 2]!;
      expect((await owner.post(`/v1/test/artifact/${body.artifact_id}/confirm`)).status).to.equal(200);
    });
    await Promise.all(ended);
    await given.start({ env: { ROLES: 'projector' } });
    await until('they are seen', async () => {
      const { body } = await nodes[0].owner.get(`/v1/test/artifact/?test_result_id=${test_result_id}`);
      return body.items?.length === 50;
    });
  });

  it("answer a team that wrote nothing at once, despite another team's backlog", async () => {
    const { data: quiet } = (await nodes[0].owner.post('/v1/teams', { name: 'Quiet' })).body;
    const project = await givenProject(nodes[0].as(quiet.key));
    expect((await nodes[1].as(quiet.key).getOnce('/v1/projects')).headers.get('x-read-lag')).to.equal(null);
    await projector.stop();
    const busy = await givenProject(nodes[0].owner);
    await Promise.all(Array.from({ length: 300 }, () => givenResult(nodes[0].owner, busy)));
    // A process that is new to both teams must not wait for the busy one.
    const late = await given.start({ env: { ROLES: 'api' } });
    for (const node of [...nodes, late]) {
      const answer = await node.as(quiet.key).getOnce('/v1/projects');
      expect(answer.headers.get('x-read-lag')).to.equal(null);
      expect(answer.body.data.map(({ id }: { id: string }) => id)).to.deep.equal([project]);
      const behind = await node.owner.getOnce('/v1/projects');
      expect(Number(behind.headers.get('x-read-lag'))).to.be.above(0);
    }
  });

  it('go on when the projector is killed: another takes over, and shows the writes made meanwhile', async () => {
    const second = await given.start({ env: { ROLES: 'projector' } });
    const project = await givenProject(nodes[0].owner);
    await nodes[1].caughtUp();
    await projector.kill();
    const made = await givenResult(nodes[0].owner, project);
    await until(
      'the second projector to take over',
      async () => (await nodes[1].owner.getOnce('/v1/projects')).headers.get('x-read-lag') === null,
      TAKEN_OVER_MS,
    );
    expect((await nodes[1].owner.get(`/v1/test/result/${made.test_result_id}`)).body).to.deep.equal(made);
    expect((await second.stop()).code).to.equal(0);
  });
});

describe('several processes that start at once on an empty log', function () {
  let stores: StoreUrls;
  beforeEach(() => (stores = emptyStores()));
  const given = servers(() => stores);

  it('create one team, and each accepts the same key', async () => {
    const started = await Promise.all([1, 2, 3].map(() => given.start()));
    const teams = await Promise.all(
      started.map(async (server) => (await server.as(OWNER_KEY).get('/v1/me')).body.data),
    );
    expect(new Set(teams.map(({ team, key }) => `${team.id} ${key.id}`)).size).to.equal(1);
  });
});
