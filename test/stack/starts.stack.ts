/** Processes that start while a server that ours need is away. */
import { expect } from 'chai';
import { OWNER_KEY } from '../kit/environment.js';
import { servers, until } from '../kit/process.js';
import { startStandIn } from './esdb.js';
import { startMongod } from './mongod.js';
import { startAll, type StackServer } from '../kit/stack-server.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

describe('a start while MongoDB is away', function () {
  let events: StackServer;
  let views: StackServer;
  let stores: StoreUrls;
  beforeEach(async () => {
    [events, views] = await startAll([startStandIn(), startMongod()]);
    stores = emptyStores({ events: events.url, views: views.url });
    await views.kill();
  });
  const given = servers(() => stores);
  afterEach(() => Promise.all([events.stop(), views.stop()]));

  it('takes writes although nobody can sign in yet, and shows them once MongoDB is back', async () => {
    const [server, projector] = await Promise.all([
      given.start({ env: { ROLES: 'api' } }),
      given.start({ env: { ROLES: 'projector' } }),
    ]);
    expect((await server.as(OWNER_KEY).getOnce('/readyz')).status).to.equal(200);
    const made = await server.owner.post('/v1/projects', { name: 'Made meanwhile' });
    expect(made.status, made.text).to.equal(201);
    const refused = await server.owner.getOnce('/v1/projects');
    expect(refused.body.error.details.reason, refused.text).to.equal('views_unavailable');
    expect(server.stderr()).not.to.include('/first-start/');
    await views.start();
    await until('the project to be shown', async () => {
      const { status, headers, body } = await server.owner.getOnce('/v1/projects');
      return status === 200 && !headers.has('x-read-lag') && body.data[0]?.id === made.body.data.id;
    });
    expect((await server.stop()).code).to.equal(0);
    expect((await projector.stop()).code).to.equal(0);
    const next = await given.start({ env: { ROLES: 'api' } });
    await until('the link to be shown', () => next.stderr().includes('/first-start/'));
  });
});
