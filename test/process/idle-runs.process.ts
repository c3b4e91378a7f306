import { expect } from 'chai';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { streamName } from '../../src/domain/event.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { servers, until } from '../kit/process.js';

describe('the process: a run that no client completes', () => {
  const given = servers();

  it('is completed as idle within 30 s after RUN_IDLE, and is never green; a run that is not running is left alone', async () => {
    const server = await given.start({ env: { RUN_IDLE: 'PT1S' } });
    const { owner } = server;
    const project = await givenProject(owner);
    const pending = await givenRun(owner, project);
    // More than one page.
    const left = await Promise.all(Array.from({ length: 120 }, () => givenRun(owner, project)));
    const [{ test_run_id }] = left;
    await givenResult(owner, project, { test_run_id });
    await Promise.all(
      left.map((run) => owner.post(`/v1/test/run/${run.test_run_id}`, { status: 'Running' })),
    );
    const listed = async (status: string) =>
      (await owner.get(`/v1/test/run/?project_id=${project}&status=${status}`)).body.items as any[];
    await until('all to be completed', async () => (await listed('Running')).length === 0, 31_000);
    expect((await listed('Pending')).map((run) => run.test_run_id)).to.deep.equal([pending.test_run_id]);
    const { body } = await owner.get(`/v1/test/run/${test_run_id}`);
    expect(body).to.include({ status: 'Completed' });
    const { data } = (await owner.get(`/v1/test-runs/${test_run_id}`)).body;
    expect(data).to.deep.include({
      outcome: 'passed',
      completed_by: 'idle',
      gate: 'failed',
      gate_reasons: ['incomplete'],
    });
    expect(body.count_snapshot).to.include({ total: 1, passed: 1, at: body.finished_at });

    await server.stop();
    const log = await openSqliteLog({ folder: given.folder, mode: 'writer' });
    const events = (await log.readStream(streamName('run', OPERATOR_TEAM, test_run_id))).events;
    await log.close();
    expect(events.at(-1)).to.include({ type: 'RunCompleted' });
    expect(events.at(-1)!.data).to.include({ reason: 'idle', completion: 1 });
    expect(events.at(-1)!.meta).to.include({ actor: 'system' });
  });
});
