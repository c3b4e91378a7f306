import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenResult, givenWebhook } from '../../http/given.js';
import { openEndpoint, type Endpoint } from '../../webhooks/delivery/endpoint.js';
import { servers, until } from '../../kit/process.js';
import { deliveriesOf } from './webhooks.js';

/** Names, and the addresses that a resolver gives for them. */
const names = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'unspecified.example': ['0.0.0.0'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  // One of them is enough for a refusal.
  'both.example': ['8.8.8.8', '127.0.0.1'],
};

describe('the process: a webhook whose name leads into the own network', function () {
  const given = servers();
  let inside: Endpoint;
  beforeEach(async () => {
    inside = await openEndpoint();
  });
  afterEach(() => inside.close());

  it('gets nothing: no connection is made, and each attempt says why', async () => {
    const { owner } = await given.start({ env: { NODE_OPTIONS: await resolving() } });
    const webhooks = new Map<string, string>();
    for (const name of Object.keys(names)) {
      const { id } = await givenWebhook(owner, {
        url: `http://${name}:${inside.port}/hook`,
        events: ['test.failed'],
      });
      webhooks.set(name, id);
    }
    await givenResult(owner, await givenProject(owner), { status: 'Failed' });
    for (const [name, id] of webhooks) {
      await until(`an attempt at ${name}`, async () => {
        const { items } = await deliveriesOf(owner, id, 'pending');
        return items.length === 1 && items[0].attempts.length > 0;
      });
      const { items } = await deliveriesOf(owner, id);
      expect(items[0].attempts[0], name).to.include({ status: null, response: null });
      expect(items[0].attempts[0].error, name).to.equal('address not allowed');
    }
    expect(inside.connections()).to.equal(0);
  });

  /** Options with which a server asks a resolver of this test instead of the network's. */
  async function resolving(): Promise<string> {
    const file = join(given.folder, 'resolver.cjs');
    await writeFile(
      file,
      `const { Resolver } = require('node:dns/promises');
       const names = new Map(Object.entries(${JSON.stringify(names)}));
       const none = () => Promise.reject(Object.assign(new Error('ENODATA'), { code: 'ENODATA' }));
       const answer = (isWanted) => async (name) => {
         const found = (names.get(name) ?? []).filter(isWanted);
         return found.length > 0 ? found : none();
       };
       Resolver.prototype.resolve4 = answer((address) => !address.includes(':'));
       Resolver.prototype.resolve6 = answer((address) => address.includes(':'));`,
    );
    return `--require=${JSON.stringify(file)}`;
  }
});
