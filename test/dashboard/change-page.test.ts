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
      expect(text, query).to.include('The newest build failed');
      for (const run of runs) expect(text).to.include(`/runs/${run}"`);
      const causes = text.slice(text.indexOf('>Causes'));
      expect(causes.match(/data-row="failed"/g), query).to.have.length(2);
      expect(causes)
        .to.include('jest, os=windows')
        .and.to.include('jest, os=mac')
        .and.not.to.include('os=linux<');
    }
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
});
