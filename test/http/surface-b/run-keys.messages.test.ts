import { expect } from 'chai';
import { eventually } from '../../stores.js';
import { givenProject, givenWebhook } from '../given.js';
import { testServer, type Team } from '../server.js';

describe('a run with shards tells webhooks', () => {
  const server = testServer();
  let team: Team;
  let project_id: string;
  before(async () => {
    team = await server.newTeam();
    await givenWebhook(team.owner, { events: ['test.failed'] });
    project_id = await givenProject(team.owner);
  });

  /** A shard whose test failed. Returns the id of the result. */
  async function failedShard(run_key: string, attempt: number): Promise<string> {
    const shard = { index: 1, total: 1, attempt };
    const results = [{ name: 'pays', status: 'failed' }];
    const { body, text } = await team.owner.post('/v1/test-runs', { project_id, run_key, shard, results });
    expect(body.data, text).to.have.property('result_id_prefix');
    return `${body.data.result_id_prefix}0`;
  }
  const isTold = async (result: string) => {
    const [made] = (await team.owner.get(`/v1/test-results/${result}/history`)).body.data;
    return made.deliveries.length > 0;
  };
  /** Waits until messages about all that came before were made. */
  async function untilTold(): Promise<void> {
    const last = await failedShard('the last one', 1);
    await eventually('the last failure to be told', () => isTold(last));
  }

  it('of a failure in a lower attempt that comes late, where the result of the higher one was deleted', async () => {
    const higher = await failedShard('deleted', 2);
    expect((await team.owner.delete(`/v1/test/result/${higher}`)).status).to.equal(200);
    const lower = await failedShard('deleted', 1);
    await eventually('the failure to be told', () => isTold(lower), 10_000);
  });

  it('of no failure in a lower attempt that comes late', async () => {
    await failedShard('late', 2);
    const lower = await failedShard('late', 1);
    await untilTold();
    expect(await isTold(lower)).to.equal(false);
  });
});
