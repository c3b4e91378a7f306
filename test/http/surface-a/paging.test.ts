import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { givenProject, givenResult, givenRun, givenTeam } from '../given.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const LENGTH = 6;

type List = {
  name: string;
  /** A path with a query to which parameters can be added. */
  path: string;
  idOf: (item: any) => string;
  /** The ids in the order that the list must have. */
  ids: string[];
};

describe('surface A: a list', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const lists: List[] = [];
  const byName = (name: string) => lists.find((list) => list.name === name)!;

  before(async () => {
    const projects = [];
    const runs = [];
    const results = [];
    for (let n = 0; n < LENGTH; n += 1) projects.push(await givenProject(team.owner));
    const [project] = projects as [string];
    for (let n = 0; n < LENGTH; n += 1) runs.push((await givenRun(team.owner, project)).test_run_id);
    const [run] = runs as [string];
    for (let n = 0; n < LENGTH; n += 1) {
      results.push((await givenResult(team.owner, project, { test_run_id: run })).test_result_id);
    }
    const runId = (item: any) => item.test_run_id;
    const resultId = (item: any) => item.test_result_id;
    const runsPath = `/v1/test/run/?project_id=${project}`;
    const resultsPath = `/v1/test/result/?test_run_id=${run}`;
    const newestFirst = runs.toReversed();
    lists.push(
      { name: 'projects', path: '/v1/test/project/?', idOf: (item) => item.project_id, ids: projects },
      { name: 'runs', path: runsPath, idOf: runId, ids: newestFirst },
      { name: 'runs of one status', path: `${runsPath}&status=Pending`, idOf: runId, ids: newestFirst },
      { name: 'results', path: resultsPath, idOf: resultId, ids: results },
      { name: 'results of one status', path: `${resultsPath}&status=Passed`, idOf: resultId, ids: results },
    );
  });

  const names = ['projects', 'runs', 'runs of one status', 'results', 'results of one status'];

  for (const name of names) {
    for (const size of [1, 2, 3, 4, 5, 6, 7]) {
      it(`of ${name} in pages of ${size} has each item once, in order, and a null token only at the end`, async () => {
        const { path, ids, idOf } = byName(name);
        const pages = await walk((token) => team.owner.get(`${path}&page_size=${size}${token}`));
        expect(pages.flat().map(idOf)).to.deep.equal(ids);
        expect(pages).to.have.length(Math.ceil(LENGTH / size));
      });
    }

    it(`of ${name} refuses a bad token`, async () => {
      const { path } = byName(name);
      const first = (await team.owner.get(`${path}&page_size=1`)).body.page_token as string;
      const cut = first.slice(0, -8);
      const forged = Buffer.from('["runs"]').toString('base64url');
      const glued = [`${first}A`, `*${first}`, `${first}%20`, `${first}!!`];
      for (const token of ['x', '', '0', '%00', 'null', cut, forged, ...glued, 'a'.repeat(5_000)]) {
        const answer = await team.owner.get(`${path}&page_token=${token}`);
        expectFaults(answer, '?page_token bad_token');
      }
    });

    it(`of ${name} refuses the token of another list`, async () => {
      const { path } = byName(name);
      for (const other of lists.filter((list) => list.name !== name)) {
        const { body } = await team.owner.get(`${other.path}&page_size=1`);
        const answer = await team.owner.get(`${path}&page_token=${body.page_token}`);
        expectFaults(answer, '?page_token bad_token');
      }
    });

    it(`of ${name} accepts a page_size of 1 to 100, and uses 20 by default`, async () => {
      const { path, ids } = byName(name);
      for (const size of [1, 100]) {
        const { body } = await team.owner.get(`${path}&page_size=${size}`);
        expect(body.items).to.have.length(Math.min(size, LENGTH));
      }
      expect((await team.owner.get(path)).body.items).to.have.length(ids.length);
      for (const [wrong, code] of [
        ['0', 'too_small'],
        ['-1', 'too_small'],
        ['101', 'too_large'],
        ['x', 'wrong_type'],
        ['', 'wrong_type'],
        ['1.5', 'wrong_type'],
        ['1e1', 'wrong_type'],
        ['1&page_size=2', 'twice'],
      ]) {
        expectFaults(await team.owner.get(`${path}&page_size=${wrong}`), `?page_size ${code}`);
      }
    });
  }

  it('has 20 items on a page by default', async () => {
    const other = await server.newTeam();
    const made = await Promise.all(Array.from({ length: 21 }, () => givenProject(other.owner)));
    const pages = await walk((token) => other.owner.get(`/v1/test/project/?${token}`));
    expect(pages.map((page) => page.length)).to.deep.equal([20, 1]);
    expect(pages.flat().map((item: any) => item.project_id)).to.have.members(made);
  });

  it('neither repeats nor loses an item if others are added between its pages', async () => {
    const { path, ids } = byName('runs');
    const project = new URLSearchParams(path.split('?')[1]).get('project_id')!;
    const pages = await walk(async (token) => {
      const page = await team.owner.get(`${path}&page_size=2${token}`);
      if (token !== '') await givenRun(team.owner, project);
      return page;
    });
    // Newest first: later items lie before the first page.
    expect(pages.flat().map((item: any) => item.test_run_id)).to.deep.equal(ids);
  });

  it('refuses every unknown query parameter', async () => {
    for (const { path } of lists) {
      for (const unknown of ['x', 'constructor', '__proto__', 'page']) {
        expectFaults(await team.owner.get(`${path}&${unknown}=1`), `?${unknown} unknown_field`);
      }
    }
  });

  it('is 404 if its parent does not exist', async () => {
    for (const id of ['nothing', 'x'.repeat(1_000)]) {
      expectProblem(await team.owner.get(`/v1/test/run/?project_id=${id}`), 404, 'not_found');
      expectProblem(await team.owner.get(`/v1/test/result/?test_run_id=${id}`), 404, 'not_found');
    }
  });
});

/** The items of every page. */
async function walk(page: (token: string) => Promise<Answer>): Promise<unknown[][]> {
  const pages: unknown[][] = [];
  for (let token = ''; ;) {
    const { status, body, text } = await page(token);
    expect(status, text).to.equal(200);
    expect(body).to.have.all.keys('items', 'page_token');
    pages.push(body.items);
    if (body.page_token === null) return pages;
    expect(pages, 'the walk ends').to.have.length.below(100);
    token = `&page_token=${body.page_token}`;
  }
}
