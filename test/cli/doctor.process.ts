import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_KEY } from '../kit/environment.js';
import { servers } from '../kit/process.js';
import { freePort } from '../kit/free-port.js';
import { openLoopback } from '../kit/loopback.js';
import { testledger } from '../kit/command.js';

type Finding = { check: string; status: string; message: string; advice: string | null };

describe('testledger doctor', () => {
  const given = servers();
  const doctor = async (env: Record<string, string>, ...args: string[]) => {
    const ran = await testledger(['doctor', '--json', ...args], { DATA_DIR: given.folder, ...env });
    const { ok, findings } = ran.document() as { ok: boolean; findings: Finding[] };
    const of = (check: string) => findings.find((finding) => finding.check === check);
    return { code: ran.code, ok, findings, of };
  };

  it('finds nothing wrong beside a running server, and tells its version, its clock and the role of the key', async () => {
    const server = await given.start();
    const { code, ok, of, findings } = await doctor({
      PORT: new URL(server.url).port,
      TESTLEDGER_URL: server.url,
      TESTLEDGER_API_KEY: OWNER_KEY,
    });
    expect(findings.filter(({ status }) => status !== 'ok')).to.deep.equal([]);
    expect({ code, ok }).to.deep.equal({ code: 0, ok: true });
    for (const check of ['versions', 'configuration', 'folder', 'disk', 'port', 'log', 'state', 'clock'])
      expect(of(check), check).to.include({ status: 'ok' });
    expect(of('port')!.message).to.match(/^testledger .* listens on/);
    expect(of('key')!.message).to.include('role owner');
  });

  it('warns of a PUBLIC_URL that is http where others can listen', async () => {
    const env = { PORT: '0', PUBLIC_URL: 'http://ledger.example.org' };
    const { code, of } = await doctor(env);
    expect(code).to.equal(0);
    expect(of('public URL')).to.include({ status: 'warn' });
    expect(of('public URL')!.advice).to.include('https');
    expect((await doctor({ ...env, PUBLIC_URL: 'https://ledger.example.org' })).of('public URL')).to.include({
      status: 'ok',
    });
  });

  it('names every wrong variable of the configuration, and ends with 1', async () => {
    const { code, of } = await doctor({ PORT: 'eighty', ROLES: 'king' });
    expect(code).to.equal(1);
    expect(of('configuration')).to.include({ status: 'fail' });
    expect(of('configuration')!.message).to.include('PORT="eighty"').and.include('ROLES="king"');
  });

  it('finds a port that another program has, a folder that is no folder, and a log that does not answer', async () => {
    const other = await openLoopback((_, response) => response.end('hello'));
    const { port } = new URL(other.url);
    const shared = { SECRET_KEY: 'x'.repeat(32), BLOBS_URL: `file:${given.folder}` };
    const away = `esdb://127.0.0.1:${await freePort()}?tls=false`;
    const { code, of } = await doctor({ PORT: port, EVENTS_URL: away, ...shared });
    await other.close();
    expect(code).to.equal(1);
    expect(of('port')!.message).to.include('another program listens on');
    expect(of('log')).to.include({ status: 'fail' });
    expect(of('log')!.advice).to.include('EVENTS_URL');
    const file = join(given.folder, 'file');
    await writeFile(file, '');
    const beneath = await doctor({ DATA_DIR: file, PORT: '0' });
    expect(beneath.of('folder')).to.include({ status: 'fail' });
  });

  it('finds a server that is away, one that is not testledger, a clock that differs and an unknown key', async () => {
    const away = await doctor({ TESTLEDGER_URL: `http://127.0.0.1:${await freePort()}` }, '--client');
    expect(away.code).to.equal(1);
    expect(away.findings.map(({ check, status }) => `${check} ${status}`)).to.deep.equal([
      'versions ok',
      'server fail',
    ]);

    const other = await openLoopback((_, response) => {
      response.setHeader('Date', new Date(Date.now() - 3_600_000).toUTCString());
      response.end(JSON.stringify({ version: '0.0.1' }));
    });
    const late = await doctor({ TESTLEDGER_URL: other.url }, '--client');
    await other.close();
    expect(late.of('clock')).to.include({ status: 'fail' });
    expect(late.of('clock')!.message).to.match(/^this clock is 3[56]\d\d s ahead of/);
    expect(late.of('server')).to.include({ status: 'warn' });

    const server = await given.start();
    const unknown = await doctor(
      { TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: 'tl_unknown' },
      '--client',
    );
    expect(unknown.of('key')).to.include({ status: 'fail' });
    expect(unknown.code).to.equal(1);
  });

  it('shows one line for each check, and the advice below it', async () => {
    const { code, stdout } = await testledger(['doctor', '--client'], {
      TESTLEDGER_URL: 'http://127.0.0.1:1',
    });
    expect(code).to.equal(1);
    expect(stdout).to.match(/^ok {4}versions .*\nfail {2}server .*\n +Check TESTLEDGER_URL/);
  });
});
