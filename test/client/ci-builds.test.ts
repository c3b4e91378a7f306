import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { readCiEnvironment } from '../../src/client/ci/ci-environment.js';

type Row = {
  service: string;
  env: Record<string, string>;
  /** What another job of the build has. */
  job: Record<string, string>;
  /** What another build, or another start of it, has. */
  other: Record<string, string>;
  build: string;
  os?: string;
};

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

  it('is unknown outside of a service, where the operating system is that of the machine', () => {
    const { metadata, environment } = readCiEnvironment({ env: {}, cwd: '/' });
    expect(metadata).to.not.have.property('build');
    const os = { darwin: 'macos', win32: 'windows' }[process.platform as string] ?? process.platform;
    expect(environment).to.deep.equal({ os });
    expect(readCiEnvironment({ env: { TESTLEDGER_BUILD: '7' }, cwd: '/' }).metadata.build).to.equal('7');
  });
});
