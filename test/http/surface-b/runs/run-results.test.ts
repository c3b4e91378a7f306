import { expect } from 'chai';
import { givenProject, givenSubmission } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer, type Team } from '../../../kit/server.js';

describe('surface B: the results of a run that are asked for:', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });
  const found = async (run: string, query: string): Promise<{ names: string[]; total: number }> => {
    const { status, text, body } = await team.owner.get(`/v1/test-runs/${run}/results?${query}`);
    expect(status, text).to.equal(200);
    return { names: body.data.map(({ name }: any) => name), total: body.pagination.total };
  };

  it('have a status, or a part of a name in any case, or both', async () => {
    const { run } = await givenSubmission(team.owner, project, [
      { name: 'Cart › adds' },
      { name: 'Cart › removes', status: 'failed' },
      { name: 'Search › 100% of it', status: 'failed' },
      { name: 'Search › nothing', status: 'skipped' },
    ]);
    expect(await found(run, 'status=failed')).to.deep.equal({
      names: ['Cart › removes', 'Search › 100% of it'],
      total: 2,
    });
    expect(await found(run, 'q=cART')).to.deep.equal({ names: ['Cart › adds', 'Cart › removes'], total: 2 });
    expect(await found(run, 'q=0%25')).to.deep.equal({ names: ['Search › 100% of it'], total: 1 });
    expect(await found(run, 'q=cart&status=passed')).to.deep.equal({ names: ['Cart › adds'], total: 1 });
    expect(await found(run, 'q=nowhere')).to.deep.equal({ names: [], total: 0 });
  });

  it('have a tag, as their metadata say it now, posted or submitted', async () => {
    const tagged = (name: string, tags: unknown, status = 'failed') => ({ name, status, metadata: { tags } });
    const { run, results } = await givenSubmission(team.owner, project, [
      tagged('pays', ['slow', 'shop']),
      tagged('ships', ['shop']),
      tagged('counts', 'slow'),
      tagged('returns', ['slow'], 'passed'),
    ]);
    expect(await found(run, 'tag=slow')).to.deep.equal({ names: ['pays', 'returns'], total: 2 });
    expect(await found(run, 'tag=slow&status=failed')).to.deep.equal({ names: ['pays'], total: 1 });
    expect(await found(run, 'tag=shop&per_page=1&page=2')).to.deep.equal({ names: ['ships'], total: 2 });
    const { status } = await team.owner.post(`/v1/test/result/${results[1]}`, {
      metadata: { tags: ['slow'] },
    });
    expect(status).to.equal(200);
    expect(await found(run, 'tag=slow')).to.deep.equal({ names: ['pays', 'ships', 'returns'], total: 3 });
  });

  it('are not those that a later attempt supersedes', async () => {
    const { run } = await givenSubmission(team.owner, project, [
      { name: 'pays', status: 'failed', attempt: 1 },
      { name: 'pays', status: 'passed', attempt: 2 },
    ]);
    expect((await found(run, 'status=failed')).total).to.equal(0);
    expect((await found(run, 'q=pays')).total).to.equal(1);
    expect((await found(run, 'page=1')).total).to.equal(2);
  });

  it('come in pages, in the order of the run', async () => {
    const { run } = await givenSubmission(
      team.owner,
      project,
      Array.from({ length: 700 }, (_, n) => ({
        name: `paged ${n}`,
        status: n % 2 === 0 ? 'passed' : 'failed',
      })),
    );
    const { names, total } = await found(run, 'status=failed&q=paged&per_page=3&page=100');
    expect(names).to.deep.equal(['paged 595', 'paged 597', 'paged 599']);
    expect(total).to.equal(350);
  });

  it('come by the page that has one of them, which says which page it is', async () => {
    const items = Array.from({ length: 9 }, (_, n) => ({
      name: `test ${n}`,
      status: n % 2 === 0 ? 'failed' : 'passed',
    }));
    const { run, results } = await givenSubmission(team.owner, project, items);
    const path = `/v1/test-runs/${run}/results?per_page=2`;
    const around = async (id: string, more = '') =>
      (await team.owner.get(`${path}&around=${id}${more}`)).body as { data: any[]; pagination: object };
    const { data, pagination } = await around(results[6]!, '&status=failed');
    expect(data.map(({ name }) => name)).to.deep.equal(['test 4', 'test 6']);
    expect(pagination).to.deep.equal({ page: 2, per_page: 2, total: 5, total_pages: 3 });
    expect((await around(results[6]!)).data.map(({ name }) => name)).to.deep.equal(['test 6', 'test 7']);
    for (const id of [results[1]!, 'nothing'])
      expect(await around(id, '&status=failed')).to.deep.include({
        data: [],
        pagination: { page: 1, per_page: 2, total: 5, total_pages: 3 },
      });
    const both = await team.owner.get(`${path}&around=${results[6]}&page=2`);
    expectError(both, 400, 'invalid_request');
  });

  it('are refused for a status that no result ends with, and for a run of another team', async () => {
    const { run } = await givenSubmission(team.owner, project, [{}]);
    expectError(await team.owner.get(`/v1/test-runs/${run}/results?status=pending`), 400, 'invalid_request');
    const other = await server.newTeam();
    expectError(await other.owner.get(`/v1/test-runs/${run}/results?q=test`), 404, 'not_found');
  });
});

describe('surface B: the groups of a run with details:', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
  });

  it('show the outcome in the last runs and the first results, and what is new by another baseline', async () => {
    const failing = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        name: `down ${n}`,
        status: 'failed',
        error_message: 'connection refused',
      }));
    const onMain = { metadata: { branch: 'main' } };
    const clean = await givenSubmission(team.owner, project, [{ name: 'down 0' }], onMain);
    const without = await givenSubmission(team.owner, project, [{}], onMain);
    const broken = await givenSubmission(team.owner, project, failing(1), onMain);
    const { run, results } = await givenSubmission(team.owner, project, failing(7), onMain);
    const path = `/v1/test-runs/${run}/failures`;
    const { body } = await team.owner.get(`${path}?details=true`);
    expect(body.data).to.have.length(1);
    const [group] = body.data;
    expect(group.new).to.equal(false);
    expect(group.outcomes).to.deep.equal([
      { run_id: run, outcome: 'failed' },
      { run_id: broken.run, outcome: 'failed' },
      { run_id: without.run, outcome: null },
      { run_id: clean.run, outcome: 'passed' },
    ]);
    expect(group.first_results).to.deep.equal(
      results.slice(0, 5).map((id, n) => ({ id, name: `down ${n}` })),
    );
    const { body: other } = await team.owner.get(`${path}?baseline=${clean.run}`);
    expect(other.data[0].new).to.equal(true);
    expect(other.data[0]).not.to.have.any.keys('outcomes', 'first_results');
  });

  it('take no run of another project or team as baseline', async () => {
    const { run } = await givenSubmission(team.owner, project, [{}]);
    const elsewhere = await givenSubmission(team.owner, await givenProject(team.owner), [{}]);
    const other = await server.newTeam();
    const theirs = await givenSubmission(other.owner, await givenProject(other.owner), [{}]);
    for (const baseline of [elsewhere.run, theirs.run, run, 'run_1']) {
      expectError(
        await team.owner.get(`/v1/test-runs/${run}/failures?baseline=${baseline}`),
        404,
        'not_found',
      );
    }
  });
});
