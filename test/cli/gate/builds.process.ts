import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { commandLine, junit } from '../command-line.js';

type Row = { service: string; env: Record<string, string>; job: Record<string, string> };
const file = new URL('../../../../test/client/ci-builds.json', import.meta.url);
const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[];

describe('the gate of a build of four jobs, from a fifth one on Linux', () => {
  const server = testServer();
  const given = commandLine(server);

  // Jenkins and GitHub differ most. What else services say of a build comes to the same in ci-builds.test.ts.
  for (const { service, env, job } of rows.filter(({ service: each }) =>
    /^(?:github|jenkins)$/u.test(each),
  )) {
    it(`is red while the job on Windows has not reported, and when it fails, on ${service}`, async () => {
      await given.file('passed.xml', junit({ one: 'passed' }));
      await given.file('failed.xml', junit({ one: 'failed' }));
      const reports = async (report: string, environment: string, variables: Record<string, string>) => {
        const flags = ['--environment', environment, '--branch', 'b', '--commit', 'c'];
        const { code, stderr } = await given.run(['import', `${report}.xml`, ...flags], variables);
        expect(code, stderr).to.equal(0);
      };
      const gate = async () => {
        const { code, document } = await given.json(['gate', '--build', '--expect', '4', '--wait', '0'], {
          ...env,
          ...job,
        });
        return [code, document.reasons];
      };
      await Promise.all([
        reports('passed', 'os=linux,node=20', env),
        reports('passed', 'os=linux,node=22', { ...env, ...job }),
        reports('passed', 'os=macos', env),
      ]);
      expect(await gate()).to.deep.equal([1, ['only 3 of 4 runs came']]);
      await reports('failed', 'os=windows', env);
      expect(await gate()).to.deep.equal([1, ['1 of 4 runs failed']]);
    });
  }

  it('is red where a job of the second attempt on GitHub died, and green where it was not started again', async () => {
    const { env } = rows.find(({ service }) => service === 'github')!;
    await given.file('passed.xml', junit({ one: 'passed' }));
    const again = { ...env, GITHUB_RUN_ATTEMPT: '2' };
    const report = (variables: Record<string, string>, job: string) =>
      given.run(['import', 'passed.xml', '--branch', 'b', '--commit', 'c'], {
        ...variables,
        GITHUB_JOB: job,
      });
    for (const job of ['unit', 'e2e']) await report({ ...env, GITHUB_RUN_ATTEMPT: '1' }, job);
    await report(again, 'unit');
    const gate = async (more: object) => {
      const flags = ['gate', '--build', '--expect', '2', '--wait', '0'];
      return (await given.run(flags, { ...again, GITHUB_JOB: 'gate', ...more })).code;
    };
    const needs = (e2e: string) => ({
      TESTLEDGER_NEEDS: JSON.stringify({ unit: { result: 'success' }, e2e: { result: e2e } }),
    });
    expect([await gate({}), await gate(needs('failure')), await gate(needs('success'))]).to.deep.equal([
      1, 1, 0,
    ]);
  });

  it('is green when all four have passed', async () => {
    const { env } = rows[0]!;
    await given.file('passed.xml', junit({ one: 'passed' }));
    for (const environment of ['os=linux,node=20', 'os=linux,node=22', 'os=macos', 'os=windows']) {
      const flags = ['--environment', environment, '--branch', 'b', '--commit', 'c'];
      await given.run(['import', 'passed.xml', ...flags], env);
    }
    const { code, stderr } = await given.run(['gate', '--build', '--expect', '4', '--wait', '0'], env);
    expect(code, stderr).to.equal(0);
  });
});
