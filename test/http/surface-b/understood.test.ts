import { expect } from 'chai';
import { givenProject, givenResult, givenRun } from '../given.js';
import { bothSurfaces } from './both-surfaces.js';

describe('the understood keys of metadata, on both surfaces:', () => {
  const given = bothSurfaces();
  const code = { branch: 'main', commit: 'abc', pull_request: '12' };

  it('a run shows them beside its metadata, however it was made', async () => {
    const metadata = {
      ...code,
      pull_request: 12,
      ci_url: 'https://ci.example.org/1',
      actor: 'me',
      tool: 'jest',
    };
    const { run } = await given.submit([{}], { metadata });
    const made = await givenRun(given.team.owner, given.project, { metadata });
    for (const id of [run, made.test_run_id]) {
      expect(await given.runOnB(id)).to.deep.include({ ...metadata, pull_request: '12', metadata });
    }
    expect(await given.runOnA(run))
      .to.have.property('metadata')
      .that.deep.equals(metadata);
    expect(await given.runOnA(run)).to.not.have.property('branch');
    await given.team.owner.post(`/v1/test/run/${run}`, { metadata: { branch: 7, actor: 'x'.repeat(256) } });
    expect(await given.runOnB(run)).to.include({ branch: null, commit: null, actor: null });
  });

  it('a result shows them, and the whole error', async () => {
    const error = {
      type: 'E',
      message: 'all of it',
      stack: 'at a',
      expected: '1',
      actual: '2',
      hook: 'before',
    };
    const metadata = { file: 'a.ts', line: 7, suite: 'adds', owner: 'shop', error };
    const { results } = await given.submit([{ status: 'failed', metadata, error_message: 'short' }]);
    const made = await givenResult(given.team.owner, given.project, { status: 'Failed', metadata });
    expect(await given.onB(results[0]!)).to.deep.include({ ...metadata, metadata, error_message: 'short' });
    expect(await given.onB(made.test_result_id)).to.deep.include({ ...metadata, error_message: 'all of it' });
    expect(await given.onA(made.test_result_id)).to.deep.include({ metadata, error_message: 'all of it' });
    expect(await given.onA(made.test_result_id)).to.not.have.property('owner');
  });

  it('a project has a default branch, main unless it was sent, and shows it on surface B', async () => {
    const { owner } = given.team;
    const one = async (id: string) => (await owner.get(`/v1/projects/${id}`)).body.data.default_branch;
    expect(await one(given.project)).to.equal('main');
    expect(await one(await givenProject(owner, { default_branch: null }))).to.equal('main');
    const trunk = await givenProject(owner, { default_branch: 'trunk' });
    expect(await one(trunk)).to.equal('trunk');
    const changed = await owner.patch(`/v1/projects/${trunk}`, { default_branch: 'release' });
    expect([changed.status, changed.body.data.default_branch]).to.deep.equal([200, 'release']);
    expect(await one(trunk)).to.equal('release');
    for (const default_branch of ['', 'x'.repeat(256), 7, null]) {
      expect((await owner.patch(`/v1/projects/${trunk}`, { default_branch })).status).to.equal(400);
    }
    for (const default_branch of ['', 'x'.repeat(256), 7]) {
      expect((await owner.post('/v1/projects', { name: 'Shop', default_branch })).status).to.equal(400);
    }
  });

  describe('the list of runs', () => {
    let runs: Record<string, string>;
    const list = async (query: string) => {
      const { data, pagination } = await given.get(`/v1/test-runs?project_id=${given.project}&${query}`);
      const names = data.map(({ id }: { id: string }) => Object.keys(runs).find((name) => runs[name] === id));
      return [names.join(''), pagination.total];
    };
    before(async () => {
      const submit = async (metadata: object, status = 'passed') =>
        (await given.submit([{ status }], { metadata: { ...code, branch: 'filtered', ...metadata } })).run;
      runs = {
        a: await submit({ commit: 'one', pull_request: 7 }),
        b: await submit({ commit: 'one', pull_request: 8 }, 'failed'),
        c: await submit({ commit: 'two', pull_request: '7' }, 'failed'),
        d: await submit({ commit: 'two', pull_request: 7, branch: 'other' }),
      };
    });

    it('is filtered by each of branch, commit and pull request, alone and with the status', async () => {
      expect(await list('branch=filtered')).to.deep.equal(['cba', 3]);
      expect(await list('branch=filtered&status=failed')).to.deep.equal(['cb', 2]);
      expect(await list('branch=filtered&status=completed&per_page=1&page=2')).to.deep.equal(['b', 3]);
      expect(await list('commit=two')).to.deep.equal(['dc', 2]);
      expect(await list('commit=two&status=passed')).to.deep.equal(['d', 1]);
      expect(await list('pull_request=7')).to.deep.equal(['dca', 3]);
      expect(await list('pull_request=7&status=failed')).to.deep.equal(['c', 1]);
      expect(await list('branch=Filtered')).to.deep.equal(['', 0]);
    });

    it('is filtered by all of them together', async () => {
      expect(await list('branch=filtered&commit=two')).to.deep.equal(['c', 1]);
      expect(await list('branch=filtered&pull_request=7')).to.deep.equal(['ca', 2]);
      expect(await list('branch=filtered&pull_request=7&per_page=1&page=2')).to.deep.equal(['a', 2]);
      expect(await list('commit=two&pull_request=7&status=passed')).to.deep.equal(['d', 1]);
      expect(await list('branch=other&commit=two&pull_request=7')).to.deep.equal(['d', 1]);
      expect(await list('branch=filtered&commit=one&pull_request=7&status=failed')).to.deep.equal(['', 0]);
      expect(await list('branch=filtered&pull_request=7&page=999999')).to.deep.equal(['', 2]);
    });

    it('refuses an empty filter, and one that is too long', async () => {
      for (const name of ['branch', 'commit', 'pull_request']) {
        for (const value of ['', 'x'.repeat(256)]) {
          const path = `/v1/test-runs?project_id=${given.project}&${name}=${value}`;
          expect((await given.team.owner.get(path)).status).to.equal(400);
        }
      }
    });
  });
});
