import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { version } from '../../src/version.js';
import { testServer } from '../kit/server.js';

const wheel = `pytest_testledger-${version}-py3-none-any.whl`;

describe('/clients/', () => {
  const server = testServer();
  const get = (path: string, init?: RequestInit) => fetch(new URL(`/clients/${path}`, server.url), init);

  it('lists the clients of this version with checksums that hold, without a key', async () => {
    const answer = await get('');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const links = [...(await answer.text()).matchAll(/href="([^"#]+)#sha256=([0-9a-f]{64})"/g)];
    expect(links.map(([, path]) => path)).to.have.members(
      ['licenses.txt', 'testledger.mjs', 'testledger.tgz', wheel].map((name) => `/clients/${name}`),
    );
    for (const [, path = '', hash = ''] of links) {
      const bytes = Buffer.from(await (await fetch(new URL(path, server.url))).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex'), path).to.equal(hash);
      const name = path.replace('/clients/', '');
      expect(await (await get(`${name}.sha256`)).text()).to.equal(`${hash}  ${name}\n`);
    }
  });

  it('has nothing of another version, and names this one', async () => {
    for (const name of [
      'pytest_testledger-0.0.1-py3-none-any.whl',
      'testledger-9.9.9.tgz',
      '..%2Fpackage.json',
    ]) {
      const answer = await get(name);
      expect(answer.status, name).to.equal(404);
      expect(((await answer.json()) as { detail: string }).detail).to.include(`version ${version}`);
    }
  });

  it('lets no cache keep a file that the next version changes', async () => {
    const { headers } = await get('testledger.mjs', { method: 'HEAD' });
    expect(headers.get('cache-control')).to.equal('no-cache');
    expect(headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
  });
});
