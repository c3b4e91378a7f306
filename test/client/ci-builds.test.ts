import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { describeRun } from '../../src/cli/import/describe-run.js';
import { readCiEnvironment } from '../../src/client/ci/ci-environment.js';
import { keyOfEnvironment, type Environment } from '../../src/domain/environment.js';
import { newestStarts } from '../../src/domain/runs/newest-starts.js';

type Row = {
  service: string;
  env: Record<string, string>;
  /** What another job of the build has. */
  job: Record<string, string>;
  /** What another build, or another start of it, has. */
  other: Record<string, string>;
  build: string;
  os?: string;
  /** Two starts of one job of the build, and what another job has. Null where a start is another build, or the same run. */
  starts: { job: string; first: Env; again: Env; other: Env } | null;
};
type Env = Record<string, string>;

// The plugin of pytest is tested with the same file: a gate compares the texts of both.
const file = new URL('../../../test/client/ci-builds.json', import.meta.url);
const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[];

describe('the build of a run', () => {
  for (const { service, env, job, other, build, os } of rows) {
    it(`is one for all jobs, and another one for each build, on ${service}`, () => {
      const buildOf = (each: Record<string, string>) => readCiEnvironment({ env: each }).metadata.build;
      expect(buildOf(env)).to.equal(build);
      expect(buildOf({ ...env, ...job })).to.equal(build);
      expect(buildOf({ ...env, ...other }))
        .to.be.a('string')
        .and.not.equal(build);
      expect(buildOf({ ...env, TESTLEDGER_BUILD: 'chain 7' })).to.equal('chain 7');
      if (os !== undefined) expect(readCiEnvironment({ env }).environment).to.deep.equal({ os });
    });
  }

  for (const { service, env, job, build } of rows) {
    it(`has a run of each of four jobs, and none of them stands for another, on ${service}`, () => {
      const made = (environment: Environment, variables: Env) =>
        describeRun(
          { environment },
          readCiEnvironment({ env: variables }),
          { facts: {} },
          'of equal reports',
        );
      const runs = [
        made({ os: 'linux', node: '20' }, env),
        made({ os: 'linux', node: '22' }, { ...env, ...job }),
        made({ os: 'macos' }, env),
        made({ os: 'windows' }, env),
      ];
      expect(new Set(runs.map(({ run_key }) => run_key))).to.have.property('size', 4);
      expect(runs.map(({ metadata }) => metadata['build'])).to.deep.equal(Array(4).fill(build));
      const listed = runs.map(({ run_key, metadata }) => ({
        id: run_key,
        environment_key: keyOfEnvironment(metadata['environment'] as Environment),
        metadata,
      }));
      expect(newestStarts(listed)).to.deep.equal(listed);
    });
  }

  for (const { service, env, starts } of rows) {
    it(`names its job for all starts of it, and each start, on ${service}`, () => {
      const jobOf = (...parts: Env[]) =>
        readCiEnvironment({ env: Object.assign({}, env, ...parts) as Env }).jobMetadata;
      if (starts === null) return expect(jobOf()).to.not.have.property('job');
      const [first, again] = [jobOf(starts.first), jobOf(starts.first, starts.again)];
      expect([first.job, again.job]).to.deep.equal([starts.job, starts.job]);
      expect(again.job_start).to.be.a('string').and.not.equal(first.job_start);
      expect(jobOf(starts.first, starts.other).job).to.not.equal(starts.job);
    });
  }

  it('has earlier starts on GitHub, unless it has a name of its own', () => {
    const { env } = rows.find(({ service }) => service === 'github')!;
    const third = { ...env, GITHUB_RUN_ATTEMPT: '3' };
    expect(readCiEnvironment({ env: third }).earlierBuilds).to.deep.equal([
      'github acme/shop 4711 attempt 2',
      'github acme/shop 4711 attempt 1',
    ]);
    expect(readCiEnvironment({ env: { ...third, TESTLEDGER_BUILD: 'b' } }).earlierBuilds).to.deep.equal([]);
    const gitlab = rows.find(({ service }) => service === 'gitlab')!;
    expect(readCiEnvironment({ env: gitlab.env }).earlierBuilds).to.deep.equal([]);
  });

  it('is unknown outside of a service, where the operating system is that of the machine', () => {
    const { metadata, environment } = readCiEnvironment({ env: {}, cwd: '/' });
    expect(metadata).to.not.have.property('build');
    const os = { darwin: 'macos', win32: 'windows' }[process.platform as string] ?? process.platform;
    expect(environment).to.deep.equal({ os });
    expect(readCiEnvironment({ env: { TESTLEDGER_BUILD: '7' }, cwd: '/' }).metadata.build).to.equal('7');
  });
});
