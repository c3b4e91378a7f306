import { expect } from 'chai';
import { liveSettings, type LiveRunOptions } from '../../../src/client/live/settings.js';
import { github } from '../ci-events.js';

const server = {
  TESTLEDGER_URL: 'http://127.0.0.1:8080',
  TESTLEDGER_API_KEY: 'k',
  TESTLEDGER_PROJECT: 'shop',
};

describe('the settings of a live run', () => {
  const settings = (options: LiveRunOptions, env: Record<string, string> = {}) => {
    const result = liveSettings(options, {
      tool: 'mocha',
      env: { ...server, ...github, RUNNER_OS: 'Linux', ...env },
    });
    if (result.kind !== 'settings') throw new Error(result.notice);
    return result.settings;
  };

  it('send the environment that is given, else the operating system, and have it in the key of the run', () => {
    expect(settings({})).to.deep.include({ runKey: 'github 4711 attempt 2 os=linux' });
    expect(settings({}).metadata).to.deep.include({
      environment: { os: 'linux' },
      build: 'github acme/shop 4711 attempt 2',
    });
    const rows: [LiveRunOptions, env?: Record<string, string>][] = [
      [{ environment: 'Node=22' }, { TESTLEDGER_ENVIRONMENT: 'node=24' }],
      [{ environment: { node: 22 } }],
      [{ metadata: { environment: { node: 22 } } }],
      [{}, { TESTLEDGER_ENVIRONMENT: '{"node": 22}' }],
    ];
    for (const [options, env] of rows)
      expect(settings(options, env).runKey).to.equal('github 4711 attempt 2 node=22');
    expect(settings({ shard: '1/2', environment: 'node=22' }).runKey).to.equal(
      'github 4711 mocha shards node=22',
    );
  });

  it('name the job in a run with its key alone: one that others join is of no job', () => {
    const job = { GITHUB_JOB: 'test' };
    const named = { job: 'github acme/shop 4711 test', job_start: '2' };
    expect(settings({}, job).metadata).to.deep.include(named);
    for (const options of [{ runKey: 'k' }, { shard: '1/2' }])
      expect(settings(options, job).metadata).to.not.have.any.keys('job', 'job_start');
  });

  it('have the token that the CI service offers where there is no key, for a project that is named by its id', () => {
    const project = `project_${'0'.repeat(26)}`;
    const offered = { TESTLEDGER_API_KEY: '', TESTLEDGER_PROJECT: project };
    const asked = {
      ACTIONS_ID_TOKEN_REQUEST_URL: 'https://ci.example/t',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
    };
    expect(settings({}, { ...offered, TESTLEDGER_ID_TOKEN: 'jwt' }).apiKey).to.deep.equal({ token: 'jwt' });
    expect(settings({}, { ...offered, ...asked }).apiKey).to.deep.equal({
      requestUrl: 'https://ci.example/t',
      requestToken: 't',
      audience: null,
    });
    expect(settings({}, { ...asked, TESTLEDGER_ID_TOKEN: 'jwt' }).apiKey).to.equal('k');
    expect(() => settings({}, { ...asked, TESTLEDGER_API_KEY: '' })).to.throw('names its project by its id');
    expect(() => settings({}, offered)).to.throw('TESTLEDGER_API_KEY is not set');
  });

  it('name the calls of two environments apart on one run key', () => {
    const prefix = (environment: string) => settings({ runKey: 'k', environment }).callPrefix;
    expect(prefix('node=22')).to.equal(prefix('node=22')).and.not.equal(prefix('node=24'));
  });

  it('warn of what is left out of the environment, and post nothing in one that is wrong', () => {
    expect(settings({ environment: '{"a":{},"b":1}' }).warnings).to.have.lengthOf(1);
    const wrong = liveSettings({ environment: 'windows' }, { tool: 'mocha', env: server });
    expect(wrong.kind).to.equal('off');
  });

  it('leave out the line feed behind a secret from a file', () => {
    const env = {
      TESTLEDGER_URL: 'http://127.0.0.1:8080\n',
      TESTLEDGER_API_KEY: 'tl_key\n',
      TESTLEDGER_PROJECT: 'shop\n',
    };
    const result = liveSettings({}, { tool: 'mocha', env });
    if (result.kind !== 'settings') throw new Error(result.notice);
    const { url, apiKey, project } = result.settings;
    expect([url, apiKey, project]).to.deep.equal(['http://127.0.0.1:8080', 'tl_key', 'shop']);
  });
});
