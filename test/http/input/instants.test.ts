import { expect } from 'chai';
import { givenProject, givenResult } from '../given.js';
import { expectFaults } from '../refusals.js';
import { testServer, type Team } from '../../kit/server.js';

describe('an instant', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });
  const create = (started_at: unknown) =>
    team.owner.post('/v1/test/result/', {
      project_id: project,
      test_name: 'A test',
      status: 'Passed',
      started_at,
    });

  for (const [sent, shown] of [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.123999999Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-01T23:59:59.999-00:01', '2026-01-02T00:00:59.999Z'],
    ['2024-02-29T12:00:00+23:59', '2024-02-28T12:01:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ] as const) {
    it(`${sent} is read as ${shown}`, async () => {
      const { status, body, text } = await create(sent);
      expect(status, text).to.equal(200);
      expect(body.started_at).to.equal(shown);
      const updated = await team.owner.post(`/v1/test/result/${body.test_result_id}`, { finished_at: sent });
      expect(updated.body.finished_at).to.equal(shown);
      const read = await team.owner.get(`/v1/test/result/${body.test_result_id}`);
      expect(read.body).to.include({ started_at: shown, finished_at: shown });
    });
  }

  for (const wrong of [
    '2026-01-02',
    '2026-01-02T03:04Z',
    '2026-01-02T03:04:05',
    '2026-02-29T03:04:05Z',
    '2026-13-01T03:04:05Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:05Z',
    '2026-01-02T03:04:61Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+0200',
    '+002026-01-02T03:04:05Z',
    ' 2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05Z\n',
    '٢٠٢٦-01-02T03:04:05Z',
    '1767323045',
    'now',
  ]) {
    it(`${JSON.stringify(wrong)} is refused, naming the field`, async () => {
      expectFaults(await create(wrong), '/started_at not_an_instant');
    });
  }

  it('in another form is not a change', async () => {
    const made = await givenResult(team.owner, project, { started_at: '2026-01-02T03:04:05Z' });
    const again = { started_at: '2026-01-02T05:04:05.000+02:00' };
    expect((await team.owner.post(`/v1/test/result/${made.test_result_id}`, again)).body).to.deep.equal(made);
  });
});
