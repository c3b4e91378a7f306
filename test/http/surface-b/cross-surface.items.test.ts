import { expect } from 'chai';
import { countsOf, notUnderstood } from '../records.js';
import { expectProblem } from '../refusals.js';
import { bothSurfaces } from './both-surfaces.js';

describe('on both surfaces', () => {
  const both = bothSurfaces();
  const { submit, get, onA, onB, runOnB } = both;
  const retry = (run: string, retry_of: string, more: object = {}) =>
    both.team.owner.post('/v1/test/result/', {
      project_id: both.project,
      test_run_id: run,
      test_name: 'test 0',
      status: 'Passed',
      retry_of,
      ...more,
    });

  describe('an item of a submission', () => {
    it('has the record of each surface', async () => {
      const metadata = { branch: 'topic', '': [1, { a: null }] };
      const { run, results } = await submit(
        [
          {
            name: 'adds up',
            status: 'failed',
            duration_ms: 1_500,
            error_message: 'no',
            metadata,
            attempt: 3,
          },
        ],
        { label: 'nightly', started_at: null },
      );
      const [id] = results as [string];
      const a = await onA(id);
      expect(a).to.deep.include({
        test_result_id: id,
        project_id: both.project,
        test_run_id: run,
        test_run_label: 'nightly',
        test_name: 'adds up',
        status: 'Failed',
        error_message: 'no',
        metadata,
        execution_time_ms: 1_500,
        attempt: 3,
        superseded_by: null,
      });
      const { failing_since, group, ...b } = await onB(id);
      expect(failing_since.run_id).to.equal(run);
      expect(group).to.have.all.keys('id', 'kind', 'title');
      expect(b).to.deep.equal({
        id,
        project_id: both.project,
        test_run_id: run,
        name: 'adds up',
        status: 'failed',
        duration_ms: 1_500,
        error_message: 'no',
        metadata,
        contents: 'kept',
        ...notUnderstood.result,
        error: { ...notUnderstood.error, message: 'no' },
        attempt: 3,
        superseded_by: null,
        started_at: a.started_at,
        finished_at: a.finished_at,
        created_at: a.created_at,
        last_passed: null,
        also_fails_on: [],
        known: false,
      });
    });

    it('can be deleted on surface A, and is then 404 on both', async () => {
      const { run, results } = await submit([{ status: 'failed' }, {}]);
      const [id, other] = results as [string, string];
      const { body, status } = await both.team.owner.delete(`/v1/test/result/${id}`);
      expect([status, body]).to.deep.equal([200, { test_result_id: id, deleted: true }]);
      expect((await both.team.owner.get(`/v1/test-results/${id}`)).status).to.equal(404);
      for (const answer of [
        await both.team.owner.get(`/v1/test/result/${id}`),
        await both.team.owner.delete(`/v1/test/result/${id}`),
        await both.team.owner.post(`/v1/test/result/${id}`, { status: 'Passed' }),
      ]) {
        expectProblem(answer, 404, 'not_found');
      }
      const left = await get(`/v1/test-runs/${run}/results`);
      expect(left.data.map((each: any) => each.id)).to.deep.equal([other]);
      expect(left.pagination.total).to.equal(1);
      expect(await runOnB(run)).to.deep.include({
        outcome: 'passed',
        counts: countsOf({ total: 1, passed: 1 }),
      });
    });
  });

  describe('attempts of one submission', () => {
    const items = [
      { name: 'test 0', status: 'failed' },
      { name: 'other', status: 'skipped' },
      { name: 'test 0', status: 'failed', attempt: 2 },
      { name: 'test 0', status: 'failed' },
      { name: 'test 0', status: 'passed', attempt: 4 },
    ];

    it('cannot be retried while they are superseded', async () => {
      const { run, results } = await submit(items);
      expectProblem(await retry(run, results[0]!), 409, 'already_superseded');
      const made = await retry(run, results[4]!);
      expect(made.body).to.include({ attempt: 5 });
      expect(await onB(results[4]!)).to.include({ superseded_by: made.body.test_result_id });
    });
  });
});
