import { expect } from 'chai';
import { givenProject } from '../given.js';
import { testServer, type Team } from '../server.js';

describe('a test in runs with a key', () => {
  const server = testServer();
  let team: Team;
  let project_id: string;
  let keys = 0;
  let run_key = '';
  before(async () => {
    team = await server.newTeam();
  });
  beforeEach(async () => {
    project_id = await givenProject(team.owner);
    nextRun();
  });
  const nextRun = () => (run_key = `build ${(keys += 1)}`);

  /** One call with results of the test, each with its attempt. Returns the id of the first. */
  async function call(results: readonly (readonly [status: string, attempt?: number])[], more: object = {}) {
    const items = results.map(([status, attempt = 1]) => ({ name: 'pays', status, attempt }));
    const answer = await team.owner.post('/v1/test-runs', { project_id, run_key, results: items, ...more });
    expect([200, 201], answer.text).to.include(answer.status);
    const { id: run, result_id_prefix } = answer.body.data;
    return { run, result: `${result_id_prefix}0` };
  }
  const shard = (attempt: number, status: string, index = 1, total = 1) =>
    call([[status]], { shard: { index, total, attempt } });
  async function retry({ run, result }: { run: string; result: string }, status: string) {
    const sent = { project_id, test_name: 'pays', test_run_id: run, retry_of: result, status };
    const answer = await team.owner.post('/v1/test/result/', sent);
    expect(answer.status, answer.text).to.equal(200);
    return { run, result: answer.body.test_result_id };
  }
  async function state(): Promise<string> {
    return (await team.owner.get(`/v1/projects/${project_id}/tests`)).body.data[0].state;
  }

  describe('is flaky', () => {
    it('after it failed in one call and passed in a later attempt in another one', async () => {
      await call([['failed', 1]]);
      await call([['passed', 2]], { complete: true });
      expect(await state()).to.equal('flaky');
    });

    it('after a result of a call failed and its retry passed', async () => {
      await retry(await call([['failed']], { complete: true }), 'Passed');
      expect(await state()).to.equal('flaky');
    });

    it('after a shard failed and passed in its next attempt, however often it was tried within the first', async () => {
      await call([['failed'], ['failed', 2], ['failed', 3]], { shard: { index: 1, total: 1, attempt: 1 } });
      await shard(2, 'passed');
      expect(await state()).to.equal('flaky');
    });

    it('after the retries of a result of a later attempt of a shard passed', async () => {
      await shard(1, 'passed');
      const failed = await shard(2, 'failed');
      const again = await retry(failed, 'Failed');
      expect(await state()).to.equal('stable');
      await retry(again, 'Passed');
      expect(await state()).to.equal('flaky');
    });
  });

  describe('is not flaky', () => {
    it('after it failed in one shard and passed in another one', async () => {
      await shard(1, 'failed', 1, 2);
      await shard(1, 'passed', 2, 2);
      expect(await state()).to.equal('stable');
    });

    it('after it failed in one run and passed in a later attempt of a shard in the next one', async () => {
      await shard(1, 'failed');
      nextRun();
      await shard(2, 'passed');
      expect(await state()).to.equal('stable');
    });
  });

  describe('is broken', () => {
    it('after 20 runs whose last attempt failed, and not after 20 calls for one run', async () => {
      for (let n = 0; n < 20; n += 1) await call([['failed']]);
      expect(await state()).to.equal('stable');
      for (let n = 0; n < 18; n += 1) {
        nextRun();
        await shard(1, 'failed');
        await shard(2, 'failed');
      }
      expect(await state()).to.equal('stable');
      nextRun();
      await shard(1, 'failed');
      expect(await state()).to.equal('broken');
    });

    it('where lower attempts of the shard passed, and arrived late', async () => {
      for (let n = 0; n < 20; n += 1) {
        nextRun();
        await shard(2, 'failed');
        await shard(1, 'passed');
      }
      expect(await state()).to.equal('broken');
    });
  });
});
