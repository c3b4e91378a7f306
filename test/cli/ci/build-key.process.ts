import { expect } from 'chai';
import { ownServer } from '../../kit/server.js';
import { startIssuer, type Issuer } from '../../trusts/issuer.js';
import { commandLine, junit } from '../command-line.js';

describe('a job without a stored key', () => {
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const given = commandLine(server);
  let issuer: Issuer;
  before(async () => {
    issuer = await startIssuer();
  });
  after(() => issuer.close());

  beforeEach(async () => {
    const claims = { repository: 'acme/shop' };
    const trust = { issuer: issuer.url, audience: server.url, claims };
    const { status } = await given.owner.post(`/v1/projects/${given.project}/trusts`, trust);
    expect(status).to.equal(201);
    await given.file('report.xml', junit({ one: 'passed', two: 'passed' }));
  });

  const withoutKey = { TESTLEDGER_API_KEY: '' };

  it('posts a run, and reads its gate and its summary, by the token of GitHub', async () => {
    const env = { ...withoutKey, ...issuer.job };
    const imported = await given.run(['import', 'report.xml', '--run-key', 'k'], env);
    expect(imported.code, imported.stderr).to.equal(0);
    const gate = await given.run(['gate', '--run-key', 'k'], env);
    expect(gate.code, gate.stderr).to.equal(0);
    const summary = await given.run(['summary', '--run-key', 'k'], env);
    expect(summary.code, summary.stderr).to.equal(0);
    expect(summary.stdout).to.include('2');
    const runs = (await given.owner.get(`/v1/test-runs?project_id=${given.project}`)).body.data;
    expect(runs).to.have.length(1);
  });

  it('uses the token that GitLab and others set as a variable', async () => {
    const env = { ...withoutKey, TESTLEDGER_ID_TOKEN: await issuer.token({ aud: server.url }) };
    const imported = await given.run(['import', 'report.xml'], env);
    expect(imported.code, imported.stderr).to.equal(0);
  });

  it('says which claim the trust refuses, and that a project needs its id', async () => {
    const token = await issuer.token({ aud: server.url, repository: 'mallory/shop' });
    const env = { ...withoutKey, TESTLEDGER_ID_TOKEN: token };
    const refused = await given.run(['import', 'report.xml'], env);
    expect(refused.code).to.not.equal(0);
    expect(refused.stderr).to.include('repository: the claim is not as the trust says');
    const named = await given.run(['import', 'report.xml'], { ...env, TESTLEDGER_PROJECT: 'shop' });
    expect(named.stderr).to.include('names its project by its id');
  });

  it('says that there is no key where the CI service offers no token, as to a fork', async () => {
    const { code, stderr } = await given.run(['import', 'report.xml'], withoutKey);
    expect(code).to.equal(2);
    expect(stderr).to.include('there is no API key');
  });
});
