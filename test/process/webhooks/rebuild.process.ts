import { expect } from 'chai';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../../kit/client.js';
import { allEvents } from '../../http/events.js';
import { givenProject, givenResult } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers } from '../../kit/process.js';
import { delivered, expectReceived, expectedMessages } from './webhooks.js';

describe('the process: webhooks and a rebuild of the read models', function () {
  const given = servers();
  const received = receiver();
  let project: string;
  let webhook: string;

  const start = () => given.start({ env: receiving });
  /** Each test fails and passes, so that it recovers and becomes flaky. */
  async function post(owner: Api, tests: number): Promise<void> {
    for (const status of ['Failed', 'Passed']) {
      await Promise.all(
        Array.from({ length: tests }, (_, n) =>
          givenResult(owner, project, { test_name: `test ${n}`, status, metadata: { commit: 'c0ffee' } }),
        ),
      );
    }
  }
  const transitionsIn = async (owner: Api) =>
    (await allEvents(owner, { types: 'TestRecovered,TestBecameFlaky,TestStabilised' })).map(
      ({ id, type, position, data }) => ({ id, type, position, data }),
    );

  async function withHistory() {
    const server = await start();
    project = await givenProject(server.owner);
    webhook = await received.register(server.owner);
    await post(server.owner, 20);
    await delivered(server.owner, webhook, received);
    const transitions = await transitionsIn(server.owner);
    const types = transitions.map(({ type }) => type);
    expect(types.filter((type) => type === 'TestRecovered')).to.have.length(20);
    expect(types.filter((type) => type === 'TestBecameFlaky')).to.have.length(20);
    return { server, transitions };
  }

  it('get all messages that a kill -9 left unsent, though the views were deleted then', async () => {
    const { server } = await withHistory();
    received.answering = () => 500;
    await post(server.owner, 100);
    await server.kill();
    await remove('records.sqlite', 'history.sqlite');
    received.answering = () => 204;
    const { owner } = await start();
    await delivered(owner, webhook, received);
    const expected = await expectedMessages(owner);
    expect(expected.length).to.be.at.least(200);
    expectReceived(received, webhook, expected);
    expect(new Set(received.acknowledged().values())).to.deep.equal(new Set([1]));
  });

  async function remove(...names: string[]): Promise<void> {
    const files = (await readdir(given.folder)).filter((file) => names.some((name) => file.startsWith(name)));
    for (const name of names) expect(files).to.include(name);
    await Promise.all(files.map((file) => rm(join(given.folder, file))));
  }
});
