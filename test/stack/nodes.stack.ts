/** Several processes on the same servers: each knows what another has answered. */
import { expect } from 'chai';
import { isApiKey } from '../../src/domain/teams/api-key.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { servers, until, type RunningServer } from '../kit/process.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

const ROUNDS = 60;
/** A node that is told nothing looks at the log every 5 s. */
const TOLD_WITHIN_MS = 1_000;

describe('two API processes and one projector on the same servers', function () {
  let stores: StoreUrls;
  before(() => (stores = emptyStores()));
  const given = servers(() => stores, 'each suite');
  const start = (ROLES: string) => given.start({ env: { ROLES } });

  let nodes: [RunningServer, RunningServer];
  let projector: RunningServer;
  before(async () => {
    const [first, ...apis] = await Promise.all([start('projector'), start('api'), start('api')]);
    [projector, nodes] = [first, apis];
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

  const areToldOfKeys = async () => {
    const took: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      const [one, other] = pair(n);
      const { data } = (await one.owner.post('/v1/keys', { name: 'A key', role: 'member' })).body;
      expect(isApiKey(data.key)).to.equal(true);
      expect((await other.as(data.key).get('/v1/me')).status).to.equal(200);
      expect((await one.owner.delete(`/v1/keys/${data.id}`)).status).to.equal(204);
      const revoked = performance.now();
      await until(
        'the other to refuse it',
        async () => (await other.as(data.key).get('/v1/me')).status === 401,
      );
      took.push(performance.now() - revoked);
    }
    // On a busy machine single ones take longer. Without the news, half of them would take 2.5 s and more.
    expect(took.sort((a, b) => a - b)[5]).to.be.below(TOLD_WITHIN_MS);
  };

  it('accept a key that the other has made at once, and refuse a key that it has revoked within 1 s', () =>
    areToldOfKeys());

  it('go on when the projector is killed: another takes over, and shows the writes made meanwhile; without any, they know keys as before', async () => {
    const second = await start('projector');
    const project = await givenProject(nodes[0].owner);
    await nodes[1].caughtUp();
    await projector.kill();
    const made = await givenResult(nodes[0].owner, project);
    await until(
      'the second projector to take over',
      async () => (await nodes[1].owner.getOnce('/v1/projects')).headers.get('x-read-lag') === null,
    );
    expect((await nodes[1].owner.get(`/v1/test/result/${made.test_result_id}`)).body).to.deep.equal(made);
    expect((await second.stop()).code).to.equal(0);
    await areToldOfKeys();
  });
});
