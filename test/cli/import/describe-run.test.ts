import { expect } from 'chai';
import { describeRun, type RunFlags } from '../../../src/cli/import/describe-run.js';
import { readCiEnvironment } from '../../../src/client/ci/ci-environment.js';

describe('the description of an imported run', () => {
  const described = (env: Record<string, string>, flags: RunFlags = {}) =>
    describeRun(flags, readCiEnvironment({ env, cwd: '/' }), { facts: {} }, 'files 0123');

  it('has the build in its key outside of CI, so that the same report is a run of each build', () => {
    const keyOf = (TESTLEDGER_BUILD: string) =>
      described({ TESTLEDGER_BUILD }, { environment: { os: 'linux' } }).run_key;
    expect([keyOf('b 3'), keyOf('b 4')]).to.deep.equal([
      'b 3 files 0123 os=linux',
      'b 4 files 0123 os=linux',
    ]);
    expect(described({}, { environment: { os: 'linux' } }).run_key).to.equal('files 0123 os=linux');
  });

  it('names the job of a run with its key alone: one that others join is of no job', () => {
    const gitlab = { GITLAB_CI: 'true', CI_PROJECT_PATH: 'acme/shop', CI_PIPELINE_ID: '77' };
    const env = {
      ...gitlab,
      CI_PROJECT_URL: 'https://gitlab.com/acme/shop',
      CI_JOB_NAME: 'e2e',
      CI_JOB_ID: '5',
    };
    expect(described(env).metadata).to.include({ job: 'gitlab acme/shop 77 e2e', job_start: '5' });
    for (const flags of [{ runKey: 'k' }, { shard: '1/2' }])
      expect(described(env, flags).metadata).to.not.have.any.keys('job', 'job_start');
  });
});
