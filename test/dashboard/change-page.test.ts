import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { givenProject, givenSubmission } from '../http/given.js';
import { api, type Api } from '../kit/client.js';
import { OWNER_KEY } from '../kit/environment.js';
import { pageServer } from '../kit/page-server.js';

const COMMIT = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567';

describe('the page of a commit, a pull request or a branch', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  const failed = (name: string, message: string) => ({ name, status: 'failed', error_message: message });

  async function given(legs: Record<string, readonly object[]>, more: object = {}) {
    const project = await givenProject(client, { name: 'Web shop' });
    const runs: string[] = [];
    for (const [environment, results] of Object.entries(legs)) {
      const metadata = {
        branch: 'wallet',
        commit: COMMIT,
        pull_request: '7',
        build: 'one',
        tool: 'jest',
        ...more,
      };
      const { run } = await givenSubmission(client, project, results, {
        metadata: { ...metadata, environment: { os: environment } },
      });
      runs.push(run);
    }
    return { project, runs };
  }
  const shown = async (project: string, query: string) => {
    const path = `/teams/${OPERATOR_TEAM}/projects/${project}/change?${query}`;
    const { status, text } = await server.get(path, { as: 'viewer' });
    return { status, text };
  };

  it('has one verdict over all legs of the newest build, and each cause once with the legs that it hits', async () => {
    const { project, runs } = await given({
      linux: [{ name: 'pays' }],
      windows: [failed('pays', 'TypeError: no card')],
      mac: [failed('pays', 'TypeError: no card'), failed('ships', 'RangeError: no street')],
    });
    for (const query of [`commit=${COMMIT}`, 'pull_request=7', 'branch=wallet']) {
      const { text } = await shown(project, query);
      expect(text, query).to.include('The newest build failed: 3 failures in 2 of 3 runs, 3 of them new.');
      for (const run of runs) expect(text).to.include(`/runs/${run}"`);
      const causes = text.slice(text.indexOf('>Causes'));
      expect(causes.match(/data-row="failed"/g), query).to.have.length(2);
      expect(causes)
        .to.include('jest, os=windows')
        .and.to.include('jest, os=mac')
        .and.not.to.include('os=linux<');
    }
  });

  it('says of a run that still goes that it failed, and nothing of what is new before that is counted', async () => {
    const project = await givenProject(client);
    const fields = { run_key: 'live', complete: false, metadata: { branch: 'wallet', tool: 'jest' } };
    await givenSubmission(client, project, [failed('pays', 'TypeError: no card')], fields);
    const { text } = await shown(project, 'branch=wallet');
    expect(text).to.include('The newest build failed: 1 failure in 1 of 1 run.');
  });

  it('passes only where all of the build is there', async () => {
    const { project } = await given({ linux: [{ name: 'pays' }], windows: [{ name: 'pays' }] });
    expect((await shown(project, `commit=${COMMIT}`)).text).to.include(
      'All of the newest build is there, and passed',
    );
    const metadata = {
      branch: 'wallet',
      commit: 'a second one',
      build: 'two',
      tool: 'jest',
      environment: { os: 'linux' },
    };
    await givenSubmission(client, project, [{ name: 'pays' }], { metadata });
    const { text } = await shown(project, 'branch=wallet');
    expect(text).to.include('A part of the newest build is missing');
    expect(text).to.include('Builds before it');
  });

  it('says that no run has come, and that it needs something to show', async () => {
    const project = await givenProject(client);
    expect((await shown(project, 'commit=abcdef')).text).to.include('No run of it has come');
    expect((await shown(project, '')).status).to.equal(404);
  });

  it('offers the other branches in a plain form, the default branch first', async () => {
    const { project } = await given({ linux: [{ name: 'pays' }] });
    await givenSubmission(client, project, [{ name: 'pays' }], { metadata: { branch: 'side <b>' } });
    for (const query of ['branch=wallet', `commit=${COMMIT}`]) {
      const { text } = await shown(project, query);
      const form = text.slice(text.indexOf('<form class="filters"'));
      expect(form).to.include(`action="/teams/${OPERATOR_TEAM}/projects/${project}/compare"`);
      expect(form).to.match(
        /name="branch" value="wallet".*<option value="main".*<option value="side &lt;b>"/s,
      );
    }
  });
});

describe('the page of two branches', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  const failed = (name: string) => ({ name, status: 'failed', error_message: 'no card' });

  const ran = (project: string, branch: string, os: string, results: readonly object[], more: object = {}) =>
    givenSubmission(client, project, results, {
      metadata: { branch, commit: `of ${branch}`, build: `of ${branch}`, tool: 'jest', environment: { os } },
      ...more,
    });
  const shown = async (project: string, query: string) => {
    const path = `/teams/${OPERATOR_TEAM}/projects/${project}/compare?${query}`;
    return server.get(path, { as: 'viewer' });
  };
  const plain = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

  it('has one verdict over tools and environments: new, on both, fixed and removed, each with its tests', async () => {
    const project = await givenProject(client);
    await ran(project, 'main', 'linux', [
      failed('both'),
      failed('mended'),
      { name: 'breaks' },
      { name: 'leaves' },
    ]);
    const windows = await ran(project, 'main', 'windows', [{ name: 'breaks' }]);
    const mac = await ran(project, 'main', 'mac', [{ name: 'breaks' }]);
    const own = await ran(project, 'wallet', 'linux', [failed('both'), { name: 'mended' }, failed('breaks')]);
    await ran(project, 'wallet', 'windows', [failed('breaks')]);
    const { text } = await shown(project, 'branch=wallet');
    const said = plain(text);
    expect(said).to.include('wallet compared with main');
    expect(said).to.match(/2 new failures, 1 fails on both, 1 fixed, 1 removed/);
    for (const [title, name] of [
      ['New failures', 'breaks'],
      ['Failing on both', 'both'],
      ['Fixed', 'mended'],
      ['Removed', 'leaves'],
    ])
      expect(said).to.match(new RegExp(`${title} \\d .*${name}`));
    expect(text).to.include(`/runs/${own.run}/compare?with=`).and.to.include(`/runs/${windows.run}"`);
    expect(said).to.include('Only on main: jest, os=mac');
    expect(text).to.include(`/runs/${mac.run}"`);
    // The other way round, what was new is fixed.
    expect(plain((await shown(project, 'branch=main&with=wallet')).text)).to.match(
      /1 new failure, 1 fails on both, 2 fixed/,
    );
  });

  it('says of what has not come that it has not run yet, and not that it is removed', async () => {
    const project = await givenProject(client);
    await ran(project, 'main', 'linux', [{ name: 'pays' }, { name: 'ships' }]);
    const shard = { run_key: 'wallet 1', shard: { index: 1, total: 2 } };
    await ran(project, 'wallet', 'linux', [{ name: 'pays' }], shard);
    const said = plain((await shown(project, 'branch=wallet')).text);
    expect(said).to.include('1 test has not run yet').and.to.include('shards missing: 2');
    expect(said).not.to.match(/\d removed\b.*Nothing/);
  });

  it('asks for a branch where none is named, and says where one has no run', async () => {
    const project = await givenProject(client);
    await ran(project, 'main', 'linux', [{ name: 'pays' }]);
    await ran(project, 'side', 'linux', [{ name: 'pays' }]);
    expect((await shown(project, 'branch=main')).text).to.include('Choose the branch to compare with');
    expect((await shown(project, 'branch=main&with=nope')).text).to.include('has no run here');
    expect((await shown(project, '')).status).to.equal(404);
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const { text, status } = await shown(project, `branch=${hostile}&with=${hostile}`);
    expect(status).to.equal(200);
    expect(text).not.to.include('<script>alert');
  });
});
