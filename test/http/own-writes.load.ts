import { expect } from 'chai';
import { forEachConcurrent } from '../../src/concurrency/for-each-concurrent.js';
import type { Answer } from '../kit/client.js';
import {
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeamWithProject,
  givenWebhook,
} from './given.js';
import { testServer } from '../kit/server.js';

describe('a write that was answered', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const get = async (path: string): Promise<any> => {
    const answer = await team.owner.get(path);
    expectCurrent(answer);
    return answer.body;
  };

  /** Pairs of a write and a read of it; each rejects if the read does not show the write. */
  const pairs: Record<string, (n: number) => Promise<void>> = {
    'a new result': async (n) => {
      const made = await givenResult(team.owner, team.project, { test_name: `test ${n}` });
      expect(await get(`/v1/test/result/${made.test_result_id}`)).to.deep.equal(made);
    },
    'a new run in the list of its project': async (n) => {
      const own = await givenProject(team.owner);
      const made = await givenRun(team.owner, own, { label: `run ${n}` });
      expect((await get(`/v1/test/run/?project_id=${own}`)).items).to.deep.equal([made]);
    },
    'a submitted run with its results': async (n) => {
      const outcome = n % 2 === 0 ? 'passed' : 'failed';
      const items = [{ status: outcome }, { status: 'skipped' }];
      const { run } = await givenSubmission(team.owner, team.project, items);
      expect((await get(`/v1/test-runs/${run}`)).data).to.include({ outcome, test_count: 2 });
      expect((await get(`/v1/test-runs/${run}/results`)).data[1].status).to.equal('skipped');
    },
    'a changed webhook': async (n) => {
      // In a new team, since a team can have few webhooks.
      const { owner } = await server.newTeam();
      const { id } = await givenWebhook(owner);
      const changes = { url: `https://example.org/${n}`, enabled: n % 2 === 0 };
      await owner.patch(`/v1/webhooks/${id}`, changes);
      const shown = await owner.get(`/v1/webhooks/${id}`);
      expectCurrent(shown);
      expect(shown.body.data).to.include(changes);
      await owner.delete(`/v1/webhooks/${id}`);
      const list = await owner.get('/v1/webhooks');
      expectCurrent(list);
      expect(list.body.data).to.deep.equal([]);
    },
    'a changed project': async (n) => {
      const id = await givenProject(team.owner);
      const { body } = await team.owner.patch(`/v1/projects/${id}`, { name: `project ${n}` });
      expect(await get(`/v1/projects/${id}`)).to.deep.equal(body);
    },
    'a known failure of a test': async (n) => {
      const own = await givenProject(team.owner);
      await givenResult(team.owner, own, { status: 'Failed' });
      const path = `/v1/projects/${own}/tests`;
      const [{ id }] = (await get(path)).data;
      const content = JSON.stringify({
        reason: `reason ${n}`,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      const known = `${path}/${id}/known-failure`;
      const { body, text } = await team.owner.send({ method: 'PUT', path: known, content });
      expect(await get(`${path}/${id}`), text).to.deep.equal(body);
      await team.owner.delete(known);
      expect((await get(`${path}/${id}`)).data.known_failure).to.equal(null);
    },
    'an updated run with the counts of its results': async (n) => {
      const { test_run_id } = await givenRun(team.owner, team.project);
      const status = n % 2 === 0 ? 'Passed' : 'Failed';
      await givenResult(team.owner, team.project, { test_run_id, status });
      await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
      const run = await get(`/v1/test/run/${test_run_id}`);
      expect(run).to.include({ status: 'Completed' });
      expect(run.count_snapshot).to.include({ total: 1, [status.toLowerCase()]: 1 });
    },
    'a deleted result': async () => {
      const { test_run_id } = await givenRun(team.owner, team.project);
      const { test_result_id } = await givenResult(team.owner, team.project, { test_run_id });
      await team.owner.delete(`/v1/test/result/${test_result_id}`);
      expect((await team.owner.get(`/v1/test/result/${test_result_id}`)).status).to.equal(404);
      expect((await get(`/v1/test/result/?test_run_id=${test_run_id}`)).items).to.deep.equal([]);
    },
  };

  // More at once would show nothing else, and on a busy machine a real log would refuse some as too late.
  it('is shown to every GET after it: 500 pairs, 16 at once, none stale', async () => {
    const kinds = Object.values(pairs);
    const all = Array.from({ length: 500 }, (_, n) => n);
    await forEachConcurrent(all, 16, (n) => kinds[n % kinds.length]!(n));
  });

  it('is accepted as a parent at once', async () => {
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const id = await givenProject(team.owner);
        const { test_run_id } = await givenRun(team.owner, id);
        await givenResult(team.owner, id, { test_run_id });
      }),
    );
  });

  it('is in the project lists of both surfaces', async () => {
    const own = await server.newTeam();
    for (let n = 1; n <= 5; n += 1) {
      await givenProject(own.owner);
      const b = await own.owner.get('/v1/projects');
      expectCurrent(b);
      expect(b.body.pagination.total).to.equal(n);
      expect((await own.owner.get('/v1/test/project/')).body.items).to.have.length(n);
    }
  });
});

function expectCurrent({ status, headers, text }: Answer): void {
  // Checked first: an answer that says that it is behind is not a stale one.
  expect(headers.get('x-read-lag')).to.equal(null);
  expect(status, text).to.equal(200);
}
