import { expect } from 'chai';
import { newIds } from '../../../../src/commands/ids.js';
import { streamName, type NewEvent } from '../../../../src/domain/event.js';
import { allEvents } from '../../events.js';
import { givenProject, givenResult, givenRun } from '../../given.js';
import { testServer } from '../../server.js';

describe('events of an older version', () => {
  const server = testServer();

  it('fold as those of the current version do, and the replay gives them under the current schema', async () => {
    const { id: team, owner } = await server.newTeam();
    const project_id = await givenProject(owner);
    const { test_run_id: run_id } = await givenRun(owner, project_id);
    const [old, current] = [
      await givenResult(owner, project_id, { test_run_id: run_id, test_name: 'adds up', status: 'Pending' }),
      await givenResult(owner, project_id, { test_run_id: run_id, test_name: 'adds up', status: 'Pending' }),
    ];
    const changes = { status: 'Failed', error_message: 'no' };
    await owner.post(`/v1/test/result/${current.test_result_id}`, changes);

    await server.stop();
    await server.stores(async ({ log }) => {
      const stream = streamName('result', team, old.test_result_id);
      const ids = { result_id: old.test_result_id, project_id, run_id };
      const updated: NewEvent = {
        id: newIds.event(stream, 0),
        type: 'ResultUpdated',
        version: 1,
        data: { ...ids, previous_status: 'Pending', ...changes },
        meta: {
          team_id: team,
          actor: 'key_1',
          at: '2026-11-21T12:00:00.000Z',
          correlation_id: 'r',
          causation_id: null,
        },
      };
      await log.append(stream, 0, [updated]);
    });
    await server.start();

    for (const { test_result_id } of [old, current]) {
      const { body } = await owner.get(`/v1/test/result/${test_result_id}`);
      expect(body).to.include({ test_name: 'adds up', ...changes });
    }
    const { body: run } = await owner.get(`/v1/test/run/${run_id}`);
    expect(run.counts).to.include({ total: 2, failed: 2, pending: 0 });

    const updates = (await allEvents(owner)).filter(({ type }) => type === 'ResultUpdated');
    expect(updates.map(({ data }) => data.test_name)).to.deep.equal(['adds up', null]);
    for (const { dataschema } of updates) {
      expect(dataschema).to.equal(`${server.url}/v1/events/schemas/ResultUpdated.v2`);
    }
  });
});
