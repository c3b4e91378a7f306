import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { linesOf, readProjections } from '../../src/cli/commands/projections.js';
import { partitionOf } from '../../src/domain/partition.js';
import { streamName } from '../../src/domain/event.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { until } from '../kit/process.js';
import { ownServer, type Team } from '../kit/server.js';

describe('an event that this program cannot fold', function () {
  const server = ownServer();
  let broken: Team;
  let sound: Team;
  let project: string;
  const eventId = randomUUID();

  before(async () => {
    broken = await server.newTeam();
    do sound = await server.newTeam();
    while (partitionOf(sound.id) === partitionOf(broken.id));
    project = await givenProject(broken.owner);
    await server.stop();
    await server.stores(async ({ log }) => {
      const stream = streamName('project', broken.id, project);
      const meta = {
        team_id: broken.id,
        actor: 'system',
        at: new Date().toISOString(),
        correlation_id: 'c',
        causation_id: null,
      };
      const event = { id: eventId, type: 'ProjectDescribed', version: 99, data: {}, meta };
      await log.append(stream, (await log.readStream(stream)).events.length - 1, [event]);
    });
    await server.start();
  });

  it('leaves every other team its reads, its tests and its writes', async () => {
    const other = await givenProject(sound.owner);
    const { test_run_id } = await givenRun(sound.owner, other);
    const { test_result_id: id } = await givenResult(sound.owner, other, { test_run_id, status: 'Failed' });
    expect((await sound.owner.get(`/v1/test/result/${id}`)).body).to.include({ test_result_id: id });
    const tests = await sound.owner.get(`/v1/projects/${other}/tests`);
    expect(tests.body.data).to.have.length(1);
  });

  it('makes /readyz say so by a number alone, and stay 200, because writes go on', async () => {
    const ready = () => server.as(null).getOnce('/readyz');
    await until('both are stuck', async () => (await ready()).body.stuck === 2);
    const { status, body } = await ready();
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ status: 'degraded', stuck: 2 });
  });

  it('is counted in the metrics', async () => {
    const { text } = await server.as(null).getOnce('/metrics');
    for (const projection of ['records', 'history'])
      expect(text).to.include(`testledger_projection_stuck_partitions{projection="${projection}"} 1\n`);
  });

  it('is listed by `testledger projections`', async () => {
    const lines = (await readProjections(server.config)).flatMap(linesOf);
    const stuck = lines.filter((line) => line.includes('is stuck'));
    expect(stuck).to.have.length(2);
    expect(stuck[0])
      .to.include(`partition ${partitionOf(broken.id)}`)
      .and.include(eventId)
      .and.include('ProjectDescribed');
  });

  it('answers its own team 503 for a thing that it made since then, and never 404', async () => {
    const made = await givenRun(broken.owner, await givenProject(broken.owner));
    const answer = await broken.owner.getOnce(`/v1/test/run/${made.test_run_id}`);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('1');
    expect(Number(answer.headers.get('x-read-lag'))).to.be.above(0);
  });
});
