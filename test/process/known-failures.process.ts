import { expect } from 'chai';
import { allEvents } from '../http/events.js';
import { givenProject, givenResult } from '../http/given.js';
import { servers, until } from './server.js';

describe('the process: a known failure without a request to end it', () => {
  const given = servers();

  it('ends by itself within 30 s, and later failures are not known', async () => {
    const { owner } = await given.start();
    const project = await givenProject(owner);
    const fail = () => givenResult(owner, project, { test_name: 'pays', status: 'Failed' });
    await fail();
    const path = `/v1/projects/${project}/tests`;
    const shown = async () => (await owner.get(path)).body.data[0];
    const { id } = await shown();
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    const content = JSON.stringify({ reason: 'reported', expires_at });
    const set = await owner.send({ method: 'PUT', path: `${path}/${id}/known-failure`, content });
    expect(set.body.data.known_failure).to.include({ reason: 'reported', by: 'bootstrap' });
    await until('it to end', async () => (await shown()).known_failure === null, 31_000);
    const [end, ...more] = await allEvents(owner, { types: 'KnownFailureEnded' });
    expect(more).to.deep.equal([]);
    expect(end!.data).to.include({ test_id: id, ended: 'expired' });
    expect(end!['actor']).to.equal('system');
    expect(String(end!['time']) >= expires_at, 'not before its time').to.equal(true);
    await fail();
    expect((await shown()).known_failure).to.equal(null);
  });
});
