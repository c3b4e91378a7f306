import { expect } from 'chai';
import { isId } from '../../../../src/domain/ids.js';
import { bodyOf, givenProject, givenResult, givenSubmission, givenTeam, untilFollowed } from '../../given.js';
import { pagination } from '../../records.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('surface B: the tests of a project:', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner);
    await untilFollowed(team.owner, `/v1/projects/${project}/tests`);
  });
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });
  const get = (path: string) => bodyOf(team.owner, `/v1/projects/${project}/tests${path}`);
  const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  /** The id of a new result of the test. */
  async function result(test_name: string, status: string, metadata: object = {}): Promise<string> {
    return (await givenResult(team.owner, project, { test_name, status, metadata })).test_result_id;
  }
  const change = async (id: string, status: string) =>
    expect((await team.owner.post(`/v1/test/result/${id}`, { status })).status).to.equal(200);
  const remove = async (id: string) =>
    expect((await team.owner.delete(`/v1/test/result/${id}`)).status).to.equal(200);
  const idOf = async (name: string): Promise<string> =>
    (await get('?per_page=100')).data.find((test: any) => test.name === name).id;

  describe('the list', () => {
    it('has each test with exactly the fields of the record', async () => {
      await result('pays', 'Failed');
      const id = await result('pays', 'Passed');
      const { data, ...more } = await get('');
      expect(more).to.deep.equal({ pagination: pagination(1) });
      const [test] = data;
      expect(isId('test', test.id)).to.equal(true);
      const { updated_at } = (await team.owner.get(`/v1/test/result/${id}`)).body;
      expect(test).to.deep.equal({
        id: test.id,
        project_id: project,
        name: 'pays',
        state: 'stable',
        last_outcomes: ['passed', 'failed'],
        failure_rate: 0.5,
        last_result_at: updated_at,
        environments: [
          {
            environment: null,
            environment_key: '',
            state: 'stable',
            last_outcomes: ['passed', 'failed'],
            failure_rate: 0.5,
            last_result_at: updated_at,
          },
        ],
        known_failure: null,
        owner: null,
        tags: [],
      });
    });

    it('is ordered by name, with each test once', async () => {
      await givenSubmission(
        team.owner,
        project,
        ['e', 'b', 'd', 'a', 'c'].flatMap((letter) => [{ name: `x${letter}` }, { name: `x${letter}` }]),
      );
      expect(namesOf(await get(''))).to.deep.equal(['xa', 'xb', 'xc', 'xd', 'xe']);
    });

    it('leaves out a test before its first final result, and after its last is deleted', async () => {
      const id = await result('pays', 'Running');
      expect(await get('')).to.deep.equal({ data: [], pagination: pagination(0) });
      await change(id, 'Failed');
      const [test] = (await get('')).data;
      await remove(id);
      expect(await get('')).to.deep.equal({ data: [], pagination: pagination(0) });
      for (const path of [`/${test.id}`, `/${test.id}/history`]) {
        expectError(await team.owner.get(`/v1/projects/${project}/tests${path}`), 404, 'not_found');
      }
    });

    it('is refused for a query that is not UTF-8', async () => {
      for (const branch of ['%ff', '%C3', 'a%c3%28', '%ED%A0%80']) {
        const path = `/v1/projects/${project}/tests?branch=${branch}`;
        expectError(await team.owner.get(path), 400, 'invalid_request');
      }
      expect((await get('?branch=%C3%A9%20+%f0%9f%92%a5')).data).to.deep.equal([]);
      expect((await get('?branch=100%')).data).to.deep.equal([]);
    });

    it('with a branch has the tests of that branch, with their outcomes there and their general state', async () => {
      await result('pays', 'Failed', { branch: 'main', commit: 'c1' });
      await result('pays', 'Passed', { branch: 'side', commit: 'c1' });
      await result('ships', 'Skipped', { branch: 'main' });
      await result('other', 'Passed');
      const main = await get('?branch=main');
      expect(namesOf(main)).to.deep.equal(['pays', 'ships']);
      expect(main.pagination).to.deep.equal(pagination(2));
      expect(main.data[0]).to.deep.include({
        state: 'flaky',
        last_outcomes: ['failed'],
        failure_rate: 1,
      });
      const side = await get('?branch=side&per_page=1');
      expect(side.data[0]).to.deep.include({ state: 'flaky', last_outcomes: ['passed'], failure_rate: 0 });
      expect(await get('?branch=nowhere')).to.deep.equal({ data: [], pagination: pagination(0) });
    });
  });

  describe('the list with filters', () => {
    const list = async (query: string) => {
      const { data, pagination: page } = await get(`?${query}`);
      return [data.map((test: any) => `${test.name}: ${test.owner}`), page.total];
    };

    it('has the tests of an owner: that of the newest result, on a branch of the newest one there', async () => {
      await result('pays', 'Passed', { owner: 'shop', branch: 'main' });
      await result('ships', 'Failed', { owner: 'shop', branch: 'main' });
      const newest = await result('pays', 'Passed', { owner: 'pay', branch: 'side' });
      await result('counts', 'Passed', { owner: 'x'.repeat(256), branch: 'main' });
      expect(await list('owner=shop')).to.deep.equal([['ships: shop'], 1]);
      expect(await list('owner=pay')).to.deep.equal([['pays: pay'], 1]);
      expect(await list('owner=pay&branch=main')).to.deep.equal([[], 0]);
      expect(await list('owner=shop&branch=main')).to.deep.equal([['pays: shop', 'ships: shop'], 2]);
      expect(await list('branch=main')).to.deep.equal([['counts: null', 'pays: shop', 'ships: shop'], 3]);
      const id = await idOf('pays');
      const ownerOf = async (query = '') => (await get(`/${id}${query}`)).data.owner as unknown;
      expect([await ownerOf(), await ownerOf('?branch=main'), await ownerOf('?branch=none')]).to.deep.equal([
        'pay',
        'shop',
        null,
      ]);
      await remove(newest);
      expect(await list('owner=shop')).to.deep.equal([['pays: shop', 'ships: shop'], 2]);
    });

    it('has the tests with a tag: those of the newest result, also on a branch and after a deletion', async () => {
      await result('pays', 'Passed', { tags: ['slow', 'shop'], branch: 'main', owner: 'a' });
      await result('ships', 'Passed', { tags: ['shop'], branch: 'main' });
      await result('counts', 'Passed', { tags: ['x'.repeat(65)], branch: 'main' });
      const newest = await result('pays', 'Passed', {
        tags: ['shop', '__proto__'],
        branch: 'side',
        owner: 'a',
      });
      await givenSubmission(team.owner, project, [{ name: 'item', metadata: { tags: ['slow'] } }]);
      expect(await list('tag=slow')).to.deep.equal([['item: null'], 1]);
      expect(await list('tag=shop')).to.deep.equal([['pays: a', 'ships: null'], 2]);
      expect(await list('tag=__proto__&branch=main&owner=a')).to.deep.equal([['pays: a'], 1]);
      expect(await list('tag=shop&q=ship')).to.deep.equal([['ships: null'], 1]);
      expect(await list('tag=shop&per_page=1&page=2')).to.deep.equal([['ships: null'], 2]);
      expect((await get(`/${await idOf('pays')}`)).data.tags).to.deep.equal(['shop', '__proto__']);
      await remove(newest);
      expect(await list('tag=slow')).to.deep.equal([['item: null', 'pays: a'], 2]);
      expect((await get(`/${await idOf('counts')}`)).data.tags).to.deep.equal([]);
    });

    it('takes the owner of an item, and of the result as it was when it got its final status', async () => {
      const metadata = { owner: 'shop' };
      await givenSubmission(team.owner, project, [{ name: 'item', metadata }]);
      const id = await result('steps', 'Running');
      const finish = { status: 'Passed', metadata };
      expect((await team.owner.post(`/v1/test/result/${id}/finish`, finish)).status).to.equal(200);
      expect(await list('owner=shop')).to.deep.equal([['item: shop', 'steps: shop'], 2]);
    });

    it('has the tests with a part of the name, ignoring case, in pages with exact totals', async () => {
      await givenSubmission(
        team.owner,
        project,
        ['Pays by card', 'pays in cash', 'ΟΔΟΣ pays', 'ships', '100% (a+b)'].map((name, n) => ({
          name,
          metadata: n === 1 ? { owner: 'shop', branch: 'main' } : { owner: 'pay', branch: 'side' },
        })),
      );
      const named = async (query: string) => {
        const { data, pagination: page } = await get(`?${query}`);
        return [namesOf({ data }), page.total];
      };
      expect(await named('q=PAYS')).to.deep.equal([['Pays by card', 'pays in cash', 'ΟΔΟΣ pays'], 3]);
      expect(await named('q=PAYS&per_page=1&page=2')).to.deep.equal([['pays in cash'], 3]);
      expect(await named('q=PAYS&page=9')).to.deep.equal([[], 3]);
      expect(await named('q=%CE%BF%CF%82')).to.deep.equal([['ΟΔΟΣ pays'], 1]);
      expect(await named('q=0%25+(A%2BB)')).to.deep.equal([['100% (a+b)'], 1]);
      expect(await named('q=.')).to.deep.equal([[], 0]);
      expect(await named('q=pays&owner=shop')).to.deep.equal([['pays in cash'], 1]);
      expect(await named('q=pays&branch=side')).to.deep.equal([['Pays by card', 'ΟΔΟΣ pays'], 2]);
      expect(await named('q=pays&branch=side&owner=shop')).to.deep.equal([[], 0]);
      expect(await named('q=CARD&branch=side&owner=pay')).to.deep.equal([['Pays by card'], 1]);
    });

    it('refuses an empty filter and one that is too long, and takes none in a history', async () => {
      const refusedAt = async (path: string) =>
        expectError(await team.owner.get(`/v1/projects/${project}/tests${path}`), 400, 'invalid_request');
      for (const name of ['q', 'owner']) {
        await refusedAt(`?${name}=`);
        await refusedAt(`?${name}=${'x'.repeat(256)}`);
        await result('pays', 'Passed');
        await refusedAt(`/${await idOf('pays')}/history?${name}=x`);
      }
    });
  });

  describe('a single test', () => {
    it('is the same as in the list, with an id that follows from project and name', async () => {
      await result('pays', 'Passed');
      const [listed] = (await get('')).data;
      expect(await get(`/${listed.id}`)).to.deep.equal({ data: listed });
    });

    it('shows no outcomes for a branch without results', async () => {
      await result('pays', 'Failed');
      const { data } = await get(`/${await idOf('pays')}?branch=main`);
      expect(data).to.deep.include({ last_outcomes: [], failure_rate: 0, last_result_at: null });
    });

    it('shows the newest remaining result after a deletion', async () => {
      const first = await result('pays', 'Passed');
      const { updated_at } = (await team.owner.get(`/v1/test/result/${first}`)).body;
      await remove(await result('pays', 'Failed'));
      const { data } = await get(`/${await idOf('pays')}`);
      expect(data).to.deep.include({
        last_outcomes: ['passed'],
        failure_rate: 0,
        last_result_at: updated_at,
      });
    });
  });

  describe('the outcomes', () => {
    it('are the entries of the history, newest first, with branch, duration and group, and without metadata', async () => {
      const { results } = await givenSubmission(
        team.owner,
        project,
        [
          { name: 'pays', status: 'failed', attempt: 1, duration_ms: 12, error_message: 'no' },
          { name: 'pays', status: 'passed', attempt: 2, duration_ms: 7 },
        ],
        { metadata: { branch: 'main' } },
      );
      const { data, pagination: shown } = await get(`/${await idOf('pays')}/outcomes`);
      expect(shown).to.deep.equal(pagination(2));
      const [second, first] = data;
      expect(first.group.id).to.match(/^group_/);
      const { test_run_id } = second;
      expect(test_run_id).to.match(/^run_/);
      expect(first).to.deep.equal({
        result_id: results[0],
        test_run_id,
        status: 'failed',
        attempt: 1,
        duration_ms: 12,
        at: first.at,
        branch: 'main',
        environment_key: '',
        group: first.group,
        known: false,
        superseded_by: results[1],
      });
      expect(second).to.deep.include({
        result_id: results[1],
        status: 'passed',
        group: null,
        superseded_by: null,
      });
      expect((await get(`/${await idOf('pays')}/outcomes?branch=side`)).data).to.deep.equal([]);
    });

    it('have the time at which a status was recorded, where the result says no other, also after later changes', async () => {
      const id = await result('pays', 'Running');
      const other = await result('pays', 'Passed');
      await change(id, 'Failed');
      const { updated_at } = (await team.owner.get(`/v1/test/result/${id}`)).body;
      const described = { metadata: { note: 'later' } };
      expect((await team.owner.post(`/v1/test/result/${id}`, described)).status).to.equal(200);
      await remove(other);
      const path = `/${await idOf('pays')}`;
      expect((await get(`${path}/outcomes`)).data.map(({ at }: any) => at)).to.deep.equal([updated_at]);
      expect((await get(path)).data.last_result_at).to.equal(updated_at);
    });

    it('around a result are those before and after it', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 7; n += 1) ids.push(await result('pays', 'Passed'));
      const path = `/${await idOf('pays')}/outcomes?per_page=3&around=`;
      const around = async (id: string) => (await get(path + id)).data.map(({ result_id }: any) => result_id);
      expect(await around(ids[3]!)).to.deep.equal([ids[4], ids[3], ids[2]]);
      expect(await around(ids[6]!)).to.deep.equal([ids[6], ids[5]]);
      expect(await around(ids[0]!)).to.deep.equal([ids[1], ids[0]]);
      expect(await around('result_01kaz5a41cf5v8b0a6q7w4xk2n')).to.deep.equal([ids[6], ids[5], ids[4]]);
    });

    it('around a result have no pages', async () => {
      await result('pays', 'Passed');
      const path = `/v1/projects/${project}/tests/${await idOf('pays')}/outcomes?around=x&page=2`;
      expectError(await team.owner.get(path), 400, 'invalid_request');
    });
  });

  describe('the history', () => {
    it('has each result like a single GET, newest first, whichever surface created it', async () => {
      const first = await result('pays', 'Failed');
      const { results } = await givenSubmission(team.owner, project, [
        { name: 'pays', status: 'skipped' },
        { name: 'other' },
        { name: 'pays', status: 'known_fail' },
      ]);
      const last = await result('pays', 'Passed');
      const history = await get(`/${await idOf('pays')}/history`);
      expect(idsOf(history)).to.deep.equal([last, results[2], results[0], first]);
      expect(history.pagination).to.deep.equal(pagination(4));
      for (const data of history.data) {
        expect((await team.owner.get(`/v1/test-results/${data.id}`)).body).to.deep.equal({ data });
      }
    });

    it('with a branch has the results of that branch', async () => {
      const ids: string[] = [];
      for (const branch of ['main', 'side', 'main', 'main'])
        ids.push(await result('pays', 'Passed', { branch }));
      const path = `/${await idOf('pays')}/history`;
      const [a] = ids;
      const main = await get(`${path}?branch=main&per_page=2&page=2`);
      expect(idsOf(main)).to.deep.equal([a]);
      expect(main.pagination).to.deep.equal(pagination(3, { page: 2, per_page: 2, total_pages: 2 }));
      expect(await get(`${path}?branch=nowhere`)).to.deep.equal({ data: [], pagination: pagination(0) });
    });
  });

  it('are 404 in another project of the same team, under every id', async () => {
    await result('pays', 'Passed');
    const id = await idOf('pays');
    project = await givenProject(team.owner);
    await result('pays', 'Failed');
    expect(await idOf('pays')).not.to.equal(id);
    for (const path of [`/${id}`, `/${id}/history`, '/pays', `/${project}`]) {
      expectError(await team.owner.get(`/v1/projects/${project}/tests${path}`), 404, 'not_found');
    }
  });

  it('are refused for an empty, long or unknown query parameter', async () => {
    await result('pays', 'Passed');
    const one = `/${await idOf('pays')}`;
    for (const path of [
      '?branch=',
      `?branch=${'x'.repeat(256)}`,
      '?branch=a&branch=b',
      '?status=passed',
      `${one}?page=1`,
      `${one}?branch=`,
      `${one}/history?branch=`,
    ]) {
      expectError(await team.owner.get(`/v1/projects/${project}/tests${path}`), 400, 'invalid_request');
    }
  });
});
