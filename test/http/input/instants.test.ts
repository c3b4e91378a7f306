import { expect } from 'chai';
import { givenResult, givenTeamWithProject } from '../given.js';
import { expectFaults } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('an instant', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const create = (started_at: unknown) =>
    team.owner.post('/v1/test/result/', {
      project_id: team.project,
      test_name: 'A test',
      status: 'Passed',
      started_at,
    });

  it('is shown in one form by every answer, whatever form was sent', async () => {
    for (const [sent, shown] of [
      ['2026-01-01T23:59:59.999-00:01', '2026-01-02T00:00:59.999Z'],
      ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ] as const) {
      const { status, body, text } = await create(sent);
      expect(status, text).to.equal(200);
      expect(body.started_at).to.equal(shown);
      const updated = await team.owner.post(`/v1/test/result/${body.test_result_id}`, { finished_at: sent });
      expect(updated.body.finished_at).to.equal(shown);
      const read = await team.owner.get(`/v1/test/result/${body.test_result_id}`);
      expect(read.body).to.include({ started_at: shown, finished_at: shown });
    }
  });

  it('is refused if there is no such instant, naming the field', async () => {
    expectFaults(await create('2026-02-29T03:04:05Z'), '/started_at not_an_instant');
  });

  it('in another form is not a change', async () => {
    const made = await givenResult(team.owner, team.project, { started_at: '2026-01-02T03:04:05Z' });
    const again = { started_at: '2026-01-02T05:04:05.000+02:00' };
    expect((await team.owner.post(`/v1/test/result/${made.test_result_id}`, again)).body).to.deep.equal(made);
  });
});
