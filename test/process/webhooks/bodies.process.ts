import { expect } from 'chai';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { givenProject, givenSubmission, givenWebhook } from '../../http/given.js';
import { openEndpoint } from '../../webhooks/delivery/endpoint.js';
import { freePort } from '../../kit/free-port.js';
import { servers, until } from '../../kit/process.js';
import { deliveriesOf } from './webhooks.js';

const env = { WEBHOOK_ALLOW: '127.0.0.0/8' };

describe('the process: the bodies of messages to an endpoint that does not answer', function () {
  const given = servers();

  const storedBytes = async () => {
    const names = (await readdir(given.folder)).filter((name) => name.startsWith('state.sqlite'));
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(given.folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };

  it('take no room in the state, and are sent whole once it answers, also after a restart', async () => {
    // One that no outgoing connection takes until the endpoint listens on it.
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;
    const first = await given.start({ env });
    const { owner } = first;
    const hooks = await Promise.all([1, 2].map(() => givenWebhook(owner, { url, events: ['test.failed'] })));
    const failures = Array.from({ length: 500 }, (_, n) => ({ name: `test ${n}`, status: 'failed' }));
    const metadata = { text: 'x'.repeat(17_500) };
    await givenSubmission(owner, await givenProject(owner), failures, { metadata });
    for (const { id } of hooks) {
      await until('all deliveries are recorded', async () => (await deliveriesOf(owner, id)).total === 500);
    }
    // The bodies are 18 MB.
    expect(await storedBytes()).to.be.lessThan(8 * 1024 * 1024);
    await first.stop();
    const again = await openEndpoint(undefined, { port });
    const second = await given.start({ env });
    for (const { id } of hooks) {
      // The first success brings the others forward.
      const delivered = async () => (await deliveriesOf(second.owner, id, 'delivered')).total;
      await until('all are delivered', async () => (await delivered()) === 500);
    }
    const bodies = again.taken.map(({ body }) => JSON.parse(body));
    const names = new Set(bodies.map(({ data }) => data.result.test_name));
    expect(names).to.deep.equal(new Set(failures.map(({ name }) => name)));
    for (const { data } of bodies) expect(data.run.metadata).to.deep.equal(metadata);
    await again.close();
  });
});
