import { expect } from 'chai';
import { givenArtifact, givenResult } from '../given.js';
import { countsOf, judged, notUnderstood } from '../records.js';
import { expectProblem } from '../refusals.js';
import { bothSurfaces } from './both-surfaces.js';

describe('on both surfaces', () => {
  const both = bothSurfaces();
  const { submit, get, runOnA, runOnB } = both;

  describe('a submitted run', () => {
    it('has results that accept artifacts', async () => {
      const { run, results } = await submit([{ status: 'failed' }, {}]);
      const [first, second] = results as [string, string];
      const { artifact_id, test_result_id } = await givenArtifact(both.team.owner, first);
      expect(test_result_id).to.equal(first);
      const listed = async (id: string) => (await get(`/v1/test/artifact/?test_result_id=${id}`)).items;
      expect((await listed(first)).map((each: any) => each.artifact_id)).to.deep.equal([artifact_id]);
      expect(await listed(second)).to.deep.equal([]);
      const { download_url } = await get(`/v1/test/artifact/${artifact_id}/download`);
      expect(await (await fetch(download_url)).text()).to.equal('the bytes');
      expect((await both.team.owner.delete(`/v1/test/result/${first}`)).status).to.equal(200);
      expectProblem(await both.team.owner.get(`/v1/test/artifact/${artifact_id}/download`), 404, 'not_found');
      expect((await runOnA(run)).counts).to.include({ total: 1, passed: 1 });
    });

    it('has the record of each surface at once', async () => {
      const { run, results } = await submit(
        [{ duration_ms: 7 }, { status: 'failed' }, { status: 'known_fail' }, { status: 'pending' }],
        { label: 'nightly', metadata: { branch: 'main' }, started_at: '2026-11-20T01:02:03Z' },
      );
      const a = await runOnA(run);
      const counts = countsOf({ total: 4, passed: 1, failed: 1, known_fail: 1, pending: 1 });
      expect(a).to.deep.include({
        test_run_id: run,
        project_id: both.project,
        label: 'nightly',
        status: 'Completed',
        metadata: { branch: 'main' },
        started_at: '2026-11-20T01:02:03.000Z',
        counts,
        count_snapshot: { ...counts, at: a.count_snapshot.at },
      });
      const b = await runOnB(run);
      const { created_at, started_at, finished_at } = a;
      expect(b).to.deep.equal({
        id: run,
        project_id: both.project,
        label: 'nightly',
        status: 'completed',
        outcome: 'failed',
        test_count: 4,
        counts,
        standing_counts: counts,
        duration_ms: Date.parse(finished_at) - Date.parse(started_at),
        metadata: { branch: 'main' },
        ...notUnderstood.run,
        branch: 'main',
        created_at,
        started_at,
        finished_at,
        run_key: null,
        shards: null,
        pinned: false,
        ...judged('failed', ['new_failures']),
        new_failures: 1,
      });
      const listed = (await get(`/v1/test/result/?test_run_id=${run}`)).items;
      expect(listed.map((each: any) => each.test_result_id)).to.deep.equal(results);
      expect((await get(`/v1/test/run/?project_id=${both.project}`)).items[0]).to.deep.equal(a);
      const { gate_settings: _, ...inList } = b;
      const { data } = await get(`/v1/test-runs?project_id=${both.project}&status=failed`);
      expect(data[0]).to.deep.equal(inList);
    });

    it('can change like any run: a label, a late result, another completion', async () => {
      const { run } = await submit([{}]);
      expect((await both.team.owner.post(`/v1/test/run/${run}`, { label: 'weekly' })).status).to.equal(204);
      await givenResult(both.team.owner, both.project, { test_run_id: run, status: 'Failed' });
      const late = await runOnA(run);
      expect(late.counts).to.deep.equal(countsOf({ total: 2, passed: 1, failed: 1 }));
      expect(late.count_snapshot).to.include({ total: 1, failed: 0 });
      expect(await runOnB(run)).to.include({ label: 'weekly', outcome: 'failed', test_count: 2 });
      await both.team.owner.post(`/v1/test/run/${run}`, { status: 'Completed' });
      expect((await runOnA(run)).count_snapshot).to.include({ total: 2, failed: 1 });
    });
  });
});
