import { expect } from 'chai';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from '../../kit/client.js';
import { givenProject, givenResult, givenRun, givenSubmission } from '../../http/given.js';
import { receiver, receiving } from './receiver.js';
import { servers, until } from '../../kit/process.js';
import { delivered, deliveriesOf, expectReceived, firstOf, expectedMessages } from './webhooks.js';

describe('the process: messages that webhooks get again', function () {
  const given = servers();
  const received = receiver();

  it('have the same bytes, though everything was changed since and the views were deleted', async () => {
    const server = await given.start({ env: receiving });
    const first = await received.register(server.owner);
    const project = await givenProject(server.owner, { name: 'As it was' });
    await happen(server.owner, project);
    await delivered(server.owner, first, received);
    const expected = await expectedMessages(server.owner);
    expect(new Set(expected.map(({ type }) => type)).size, 'one of each').to.equal(4);
    expectReceived(received, first, expected);
    const bytes = bytesOf(first);

    await changeAll(server.owner, project);
    await delivered(server.owner, first, received);
    await server.stop();
    const files = await readdir(given.folder);
    for (const name of files.filter((name) => /^(views|publication)\.sqlite/.test(name))) {
      await rm(join(given.folder, name));
    }
    const { owner } = await given.start({ env: receiving });
    const again = received.taken.length;
    const { items } = await deliveriesOf(owner, first);
    const old = items.filter(({ event_id }) => bytes.has(event_id));
    expect(old.length).to.equal(expected.length);
    for (const { id } of old) await resent(owner, first, id);
    await delivered(owner, first, received);
    expect(bytesOf(first, again, bytes)).to.deep.equal(bytes);

    // A webhook that did not exist then.
    const second = await received.register(owner);
    const recovered = await owner.post(`/v1/webhooks/${second}/recover`, { since: '2020-01-01T00:00:00Z' });
    expect(recovered.status, recovered.text).to.equal(202);
    await delivered(owner, second, received);
    expectReceived(received, second, await expectedMessages(owner));
    expect(bytesOf(second, 0, bytes)).to.deep.equal(bytes);
  });

  /** By `webhook-id`, of the requests that came since, for the wanted ids. */
  function bytesOf(webhook: string, since = 0, wanted?: ReadonlyMap<string, string>): Map<string, string> {
    const own = received.taken.slice(since).filter((each) => each.webhook === webhook);
    return new Map(
      firstOf(own)
        .filter(({ id }) => wanted?.has(id) ?? true)
        .map(({ id, body }): [string, string] => [id, body])
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }
});

/** A message of each type. */
async function happen(owner: Api, project: string): Promise<void> {
  const { test_run_id } = await givenRun(owner, project, {
    label: 'as it was',
    metadata: { branch: 'main' },
  });
  const fields = { test_run_id, metadata: { commit: 'c0ffee', note: 'as it was' } };
  for (const status of ['Failed', 'Passed', 'Failed']) {
    await givenResult(owner, project, { ...fields, status, test_name: 'one by one' });
  }
  const ended = await owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
  expect(ended.status, ended.text).to.equal(204);
  const items = [
    { name: 'single', status: 'failed', error_message: 'as it was' },
    { name: 'tried twice', status: 'failed', attempt: 1 },
    { name: 'tried twice', status: 'passed', attempt: 2 },
    { name: 'one by one', status: 'passed' },
  ];
  await givenSubmission(owner, project, items, { label: 'whole' });
  await givenSubmission(owner, project, [{ name: 'single', status: 'passed' }]);
}

async function changeAll(owner: Api, project: string): Promise<void> {
  const changed = await owner.patch(`/v1/projects/${project}`, { name: 'Renamed' });
  expect(changed.status, changed.text).to.equal(200);
  const runs = (await owner.get(`/v1/test/run/?project_id=${project}`)).body.items;
  for (const { test_run_id } of runs) {
    const relabelled = await owner.post(`/v1/test/run/${test_run_id}`, { label: 'changed', metadata: null });
    expect(relabelled.status, relabelled.text).to.equal(204);
    const { items } = (await owner.get(`/v1/test/result/?test_run_id=${test_run_id}`)).body;
    for (const [n, { test_result_id: id }] of items.entries()) {
      const path = `/v1/test/result/${id}`;
      const { status, text } =
        n === 0 ? await owner.delete(path) : await owner.post(path, { error_message: 'changed' });
      expect(status, text).to.equal(200);
    }
  }
}

/** Tries again while the message cannot be read because the views are being folded. */
async function resent(owner: Api, webhook: string, delivery: string): Promise<void> {
  await until('it is taken', async () => {
    const { status, text } = await owner.post(`/v1/webhooks/${webhook}/deliveries/${delivery}/resend`);
    expect(status, text).to.be.oneOf([202, 503]);
    return status === 202;
  });
}
