import { expect } from 'chai';
import { isId } from '../../../src/domain/ids.js';
import {
  bodyOf,
  givenProject,
  givenResult,
  givenRun,
  givenSubmission,
  givenTeam,
  untilFollowed,
} from '../given.js';
import { pagination } from '../records.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const refused = { status: 'failed', error_message: 'connection refused' };
const declined = { status: 'failed', error_message: 'card declined' };
const nowhere = 'group_01h455vb4pex5vsknk084sn02q';

describe('surface B: failures that are the same:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner);
    await untilFollowed(team.owner, `/v1/projects/${project}/failures`);
  });
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });
  const get = (path: string) => bodyOf(team.owner, path);
  const submitted = (items: readonly object[], metadata: object | null = null) =>
    givenSubmission(team.owner, project, items, { metadata });
  const ofRun = (run: string, query = '') => get(`/v1/test-runs/${run}/failures${query}`);
  const ofProject = (query = '') => get(`/v1/projects/${project}/failures${query}`);
  const resultOf = async (id: string) => (await get(`/v1/test-results/${id}`)).data;
  const groupOf = async (result: string): Promise<string> => (await resultOf(result)).group.id;

  describe('the groups of a run', () => {
    it('are shown by a GET right after the POST, the largest first, with exactly the fields of the record', async () => {
      const { run, results } = await submitted(
        [declined, { ...refused, name: 'pays' }, {}, { ...refused, name: 'pays' }, refused],
        { branch: 'main', commit: 'abc' },
      );
      const { data, ...more } = await ofRun(run);
      expect(more).to.deep.equal({ pagination: pagination(2) });
      const [first, second] = data;
      expect(isId('group', first.group)).to.equal(true);
      expect(first).to.deep.include({ results: 3, tests: 2, new: true });
      expect(second).to.deep.include({ results: 1, tests: 1, new: true });
      expect(first.first_seen).to.deep.equal({ run_id: run, commit: 'abc', at: first.example.created_at });
      expect(first.last_seen).to.deep.equal(first.first_seen);
      expect(first.example).to.deep.equal(await resultOf(results[1]!));
      expect(second.example.id).to.equal(results[0]);
    });

    it('are none in a run without failures', async () => {
      const { run } = await submitted([{}, { status: 'skipped' }, { status: 'known_fail' }]);
      expect(await ofRun(run)).to.deep.equal({ data: [], pagination: pagination(0) });
    });
  });

  describe('a group in a run', () => {
    it('has its results, in the order of their failures, in pages', async () => {
      const { run, results } = await submitted([refused, declined, refused, refused]);
      const group = await groupOf(results[0]!);
      const path = `/v1/test-runs/${run}/failures/${group}`;
      const all = await get(path);
      expect(all.pagination).to.deep.equal(pagination(3));
      expect(all.data).to.deep.equal(await Promise.all([0, 2, 3].map((n) => resultOf(results[n]!))));
      const page = await get(`${path}?page=2&per_page=2`);
      expect(page.data).to.deep.equal(all.data.slice(2));
    });

    it('is 404 where the run has no failure of it', async () => {
      const { run, results } = await submitted([refused]);
      const { run: other } = await submitted([declined]);
      const group = await groupOf(results[0]!);
      for (const path of [`${other}/failures/${group}`, `${run}/failures/${nowhere}`, `${run}/failures/x`]) {
        expectError(await team.owner.get(`/v1/test-runs/${path}`), 404, 'not_found');
      }
    });
  });

  describe('the groups of a project', () => {
    it('are those of most runs first, with exactly the fields of the record', async () => {
      const first = await submitted([refused, refused, declined], { branch: 'main', commit: 'a' });
      const second = await submitted([declined], { branch: 'main', commit: 'b' });
      const { data, ...more } = await ofProject();
      expect(more).to.deep.equal({ pagination: pagination(2) });
      const [top, other] = data;
      expect(top).to.deep.include({ runs: 2, results: 2 });
      expect(other).to.deep.include({ runs: 1, results: 2 });
      expect([top.first_seen, top.last_seen].map(({ run_id, commit }) => [run_id, commit])).to.deep.equal([
        [first.run, 'a'],
        [second.run, 'b'],
      ]);
      expect(top.example.id).to.equal(second.results[0]);
      const [seen] = (await ofRun(first.run)).data.filter(({ group }: any) => group === top.group);
      expect([seen.first_seen, seen.last_seen]).to.deep.equal([top.first_seen, top.last_seen]);
    });

    it('can be those of one branch', async () => {
      await submitted([refused, declined], { branch: 'main' });
      const { run } = await submitted([refused], { branch: 'a/b é' });
      await submitted([refused]);
      const { data, pagination: pages } = await ofProject(`?branch=${encodeURIComponent('a/b é')}`);
      expect(pages).to.deep.equal(pagination(1));
      expect(data[0]).to.deep.include({ runs: 1, results: 1 });
      expect([data[0].first_seen.run_id, data[0].last_seen.run_id]).to.deep.equal([run, run]);
      expect((await ofProject()).data[0]).to.deep.include({ runs: 3, results: 3 });
      expect((await ofProject('?branch=none')).data).to.deep.equal([]);
    });

    it('can be those that were seen since an instant', async () => {
      await submitted([refused]);
      const { results } = await submitted([declined]);
      const { created_at: at, group } = await resultOf(results[0]!);
      const since = async (instant: string) => (await ofProject(`?since=${instant}`)).data;
      const found = await since(at);
      expect(found.map((row: any) => row.group)).to.include(group.id);
      for (const { last_seen } of found) expect(last_seen.at >= at).to.equal(true);
      const later = new Date(Date.parse(at) + 60_000).toISOString();
      expect(await since(later.replace('Z', '%2B00:00'))).to.deep.equal([]);
    });

    it('refuse a filter that is no instant, and an unknown one', async () => {
      for (const query of ['since=yesterday', 'since=', 'branch=', 'status=failed']) {
        const answer = await team.owner.get(`/v1/projects/${project}/failures?${query}`);
        expectError(answer, 400, 'invalid_request');
      }
    });

    it('have a result without a run as a run of its own', async () => {
      await givenResult(team.owner, project, { status: 'Failed' });
      const [row] = (await ofProject()).data;
      expect(row.first_seen.run_id).to.equal(null);
      const { runs } = await get(`/v1/projects/${project}/failures/${row.group}`);
      expect(runs.map(({ run_id, results }: any) => [run_id, results])).to.deep.equal([[null, 1]]);
    });
  });

  describe('a group of a project', () => {
    it('has its row, its runs, newest first, and an outcome for each of the last 20 runs', async () => {
      const first = await submitted([refused, { ...refused, name: 'test 0' }], { commit: 'a' });
      const between = await submitted([{}]);
      const last = await submitted([refused], { commit: 'b' });
      const running = (await givenRun(team.owner, project)).test_run_id;
      const group = await groupOf(last.results[0]!);
      const { data, runs, pagination: pages } = await get(`/v1/projects/${project}/failures/${group}`);
      const { outcomes, ...row } = data;
      const [listed] = (await ofProject()).data;
      expect(row).to.deep.include(listed);
      expect(outcomes).to.deep.equal([
        { run_id: running, outcome: null },
        { run_id: last.run, outcome: 'failed' },
        { run_id: between.run, outcome: 'passed' },
        { run_id: first.run, outcome: 'failed' },
      ]);
      expect(pages).to.deep.equal(pagination(2));
      expect(
        runs.map(({ title: _, branch: __, actor: ___, tool: ____, ...seen }: any) => seen),
      ).to.deep.equal([
        { ...row.last_seen, results: 1, tests: 1 },
        { ...row.first_seen, results: 2, tests: 1 },
      ]);
      const { data: shown } = await get(`/v1/test-runs/${last.run}`);
      const { branch, actor, tool } = shown;
      expect(runs[0]).to.deep.include({ branch, actor, tool });
      expect(runs[0].title).to.be.a('string');
      const page = await get(`/v1/projects/${project}/failures/${group}?page=2&per_page=1`);
      expect(page.runs).to.deep.equal(runs.slice(1));
    });

    describe('has as outcomes', () => {
      const line = { branch: 'main', tool: 'pytest' };
      /** Of the project, and of the run: newest first. */
      const outcomesOf = async ({ run, results }: { run: string; results: string[] }, n = 0) => {
        const group = await groupOf(results[n]!);
        const { data } = await get(`/v1/projects/${project}/failures/${group}`);
        const rows = (await ofRun(run, '?details=true')).data;
        expect(rows.find((row: any) => row.group === group).outcomes).to.deep.equal(data.outcomes);
        return data.outcomes.map(({ run_id, outcome }: any) => [run_id, outcome]);
      };

      it('no pass of a run in which none of its tests ran, and none where they were skipped or failed else', async () => {
        const failing = await submitted([refused], line);
        const other = await submitted([{ name: 'another' }], line);
        const skipped = await submitted([{ status: 'skipped' }], line);
        const declining = await submitted([declined], line);
        const passed = await submitted([{}], line);
        expect(await outcomesOf(failing)).to.deep.equal([
          [passed.run, 'passed'],
          [declining.run, null],
          [skipped.run, null],
          [other.run, null],
          [failing.run, 'failed'],
        ]);
      });

      it('those of one branch and tool', async () => {
        const before = await submitted([{}], line);
        const failing = await submitted([refused], line);
        for (const other of [
          { ...line, branch: 'feat' },
          { ...line, tool: 'jest' },
          { branch: 'main' },
          null,
        ])
          await submitted([{}], other);
        expect(await outcomesOf(failing)).to.deep.equal([
          [failing.run, 'failed'],
          [before.run, 'passed'],
        ]);
      });

      it('the last attempt of each test in a run', async () => {
        const retried = await submitted([refused, { name: 'test 0', attempt: 2 }, declined], line);
        const failing = await submitted([refused], line);
        expect(await outcomesOf(failing)).to.deep.equal([
          [failing.run, 'failed'],
          [retried.run, 'passed'],
        ]);
      });

      it('those of a run with a key, and of results that were reported one by one', async () => {
        const failing = await submitted([refused], line);
        const fields = { run_key: 'build 7', shard: { index: 1, total: 1 }, metadata: line };
        const keyed = await givenSubmission(team.owner, project, [{}], fields);
        const { test_run_id } = await givenRun(team.owner, project, { metadata: line });
        await givenResult(team.owner, project, { test_run_id, test_name: 'test 0' });
        expect(await outcomesOf(failing)).to.deep.equal([
          [test_run_id, null],
          [keyed.run, 'passed'],
          [failing.run, 'failed'],
        ]);
        await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
        expect((await outcomesOf(failing))[0]).to.deep.equal([test_run_id, 'passed']);
      });
    });

    it('is 404 where the project has no failure of it', async () => {
      const { results } = await submitted([refused]);
      const group = await groupOf(results[0]!);
      const other = await givenProject(team.owner);
      for (const path of [
        `${other}/failures/${group}`,
        `${project}/failures/${nowhere}`,
        `${project}/failures/x`,
      ]) {
        expectError(await team.owner.get(`/v1/projects/${path}`), 404, 'not_found');
      }
    });
  });
});
