import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LookUpNotMade, openResolver } from '../../../src/webhooks/endpoint/resolver.js';
import { openNameServer, type Known, type NameServer } from './name-server.js';

describe('the look-up of a name', () => {
  let folder: string;
  let server: NameServer;
  let known: Known;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-resolver-'));
    known = () => 'none';
    server = await openNameServer((name) => known(name));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const resolverWith = async ({ hosts = '', config = '' } = {}) => {
    const [hostsFile, configFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
    await writeFile(hostsFile, hosts);
    await writeFile(configFile, config);
    return openResolver({ servers: [server.address], hostsFile, configFile });
  };
  const four = (address: string) => ({ address, family: 4 });
  const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

  it('gives the addresses that a name server has', async () => {
    known = (name) => (name === 'good.example' ? '93.184.216.34' : 'none');
    const resolve = await resolverWith();
    expect(await resolve('GOOD.example')).to.deep.equal([four('93.184.216.34')]);
    expect(await resolve('good.example.')).to.deep.equal([four('93.184.216.34')]);
  });

  it('reads the file of hosts first, and asks no name server for localhost or for an invalid name', async () => {
    const hosts = '127.0.0.1 localhost\n10.1.2.3\tinner.example Short # 10.9.9.9 other\n::1 inner.example\n';
    const resolve = await resolverWith({ hosts });
    expect(await resolve('inner.example')).to.deep.equal([four('10.1.2.3'), { address: '::1', family: 6 }]);
    expect(await resolve('short')).to.deep.equal([four('10.1.2.3')]);
    expect(await resolve('localhost')).to.deep.equal([four('127.0.0.1')]);
    expect(await resolve('a.localhost.')).to.deep.equal([four('127.0.0.1'), { address: '::1', family: 6 }]);
    expect(codeOf(await resolve('name.invalid').catch((error: unknown) => error))).to.equal('ENOTFOUND');
    expect(server.asked).to.deep.equal([]);
    expect(codeOf(await resolve('other').catch((error: unknown) => error))).to.equal('ENOTFOUND');
  });

  it('tries a name with few dots in the search domains first, another one as it is first', async () => {
    const config = 'nameserver 127.0.0.1\nsearch one.example two.example.\noptions timeout:1 ndots:2\n';
    const resolve = await resolverWith({ config });
    await resolve('a.b').catch(() => null);
    expect(server.asked.splice(0)).to.deep.equal(['a.b.one.example', 'a.b.two.example', 'a.b']);
    await resolve('a.b.c').catch(() => null);
    expect(server.asked.splice(0)).to.deep.equal(['a.b.c', 'a.b.c.one.example', 'a.b.c.two.example']);
    await resolve('a.').catch(() => null);
    expect(server.asked).to.deep.equal(['a']);
  });

  it('distinguishes a name that does not exist, one whose servers do not say, and a question that no server takes', async () => {
    known = (name) =>
      name === 'broken.example' ? 'failure' : name === 'silent.example' ? 'silence' : 'none';
    const resolve = await resolverWith();
    const errorOf = (name: string) => resolve(name).catch((error: unknown) => error);
    expect(codeOf(await errorOf('none.example'))).to.equal('ENOTFOUND');
    expect(codeOf(await errorOf('broken.example'))).to.equal('EAI_AGAIN');
    const began = performance.now();
    expect(codeOf(await errorOf('silent.example'))).to.equal('EAI_AGAIN');
    expect(performance.now() - began, 'the time of a look-up').to.be.lessThan(5_000);
    const closed = await openNameServer(() => 'none');
    await closed.close();
    const nowhere = openResolver({ servers: [closed.address], configFile: join(folder, 'none') });
    const refused = await nowhere('any.example').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(LookUpNotMade);
  });

  it('answers a name while as many others as a team may look up get no answer', async () => {
    known = (name) => (name === 'good.example' ? '93.184.216.34' : 'silence');
    const resolve = await resolverWith();
    const silent = Array.from({ length: 64 }, (_, n) => resolve(`n${n}.silent.example`).catch(() => null));
    const began = performance.now();
    expect(await resolve('good.example')).to.deep.equal([four('93.184.216.34')]);
    expect(performance.now() - began).to.be.lessThan(1_000);
    await Promise.all(silent);
    expect(performance.now() - began, 'the others were under way').to.be.greaterThan(1_000);
  });
});
