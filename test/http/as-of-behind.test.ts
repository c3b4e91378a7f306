import { expect } from 'chai';
import { ownServer } from '../kit/server.js';
import { givenProject, givenSubmission } from './given.js';

describe('as of the newest position, while read models are behind', () => {
  const server = ownServer();

  it('a run is what the log says up to it', async () => {
    const { owner } = await server.newTeam();
    const project = await givenProject(owner);
    const failing = [{ name: 'pays', status: 'failed' }, { name: 'adds' }];
    const { run, results } = await givenSubmission(owner, project, failing);
    await server.stop();
    await server.start({ ROLES: 'api' });
    await owner.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    const { data } = (await owner.getOnce('/v1/events?limit=1000')).body;
    const { position } = data.findLast(({ type }: { type: string }) => type === 'ResultUpdated');
    const { body, headers } = await owner.getOnce(`/v1/test-runs/${run}?as_of=${position}`);
    expect(body.data.counts).to.include({ passed: 2, failed: 0 });
    expect(headers.get('X-Read-Lag')).to.equal(null);
    expect(headers.get('X-As-Of')).to.equal(position);
  });
});
