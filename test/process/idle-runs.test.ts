import { expect } from 'chai';
import { openSqliteLog } from '../../src/adapters/log.sqlite.js';
import { streamName } from '../../src/domain/event.js';
import { OPERATOR_TEAM } from '../../src/core/teams.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { servers, until } from './server.js';

describe('the process: a run nobody ends', function () {
  this.timeout(60_000);
  const given = servers();

  it('is completed, for being idle, within 30 s of RUN_IDLE, and one that is not running is left alone', async () => {
    const server = await given.start({ env: { RUN_IDLE: 'PT1S' } });
    const { owner } = server;
    const project = await givenProject(owner);
    const [left, pending] = [await givenRun(owner, project), await givenRun(owner, project)];
    await owner.post(`/v1/test/run/${left.test_run_id}`, { status: 'Running' });
    await givenResult(owner, project, { test_run_id: left.test_run_id });
    const record = async (id: string) => (await owner.get(`/v1/test/run/${id}`)).body;
    await until(
      'the run to be completed',
      async () => (await record(left.test_run_id)).status === 'Completed',
      31_000,
    );
    expect((await record(left.test_run_id)).count_snapshot).to.include({ total: 1, passed: 1 });
    expect((await record(pending.test_run_id)).status).to.equal('Pending');

    await server.stop();
    const log = await openSqliteLog({ folder: given.folder, mode: 'writer' });
    const events = await log.readStream(streamName('run', OPERATOR_TEAM, left.test_run_id));
    await log.close();
    expect(events.at(-1)).to.deep.include({ type: 'RunCompleted' });
    expect(events.at(-1)!.data).to.include({ reason: 'idle', completion: 1 });
    expect(events.at(-1)!.meta).to.include({ actor: 'system' });
  });
});
