import { expect } from 'chai';
import { canShowTraces, traceViewerRoutes } from '../../src/dashboard/trace-viewer.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { pageServer } from '../kit/page-server.js';

const host = 'files.example.org';

describe('the trace viewer', () => {
  const server = pageServer({}, { origin: null, untrustedOrigin: `https://${host}` });
  const apart = (path: string) => server.get(path, { headers: { host } });

  it('is served at the origin of untrusted files, and nowhere else', async () => {
    const { status, headers, text } = await apart('/trace-viewer/index.html');
    expect([status, headers['content-type']]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('Trace Viewer');
    expect((await server.get('/trace-viewer/index.html', { as: 'owner' })).status).to.equal(404);
    const nowhere = { origin: null, onLoopback: false };
    expect(traceViewerRoutes(nowhere, { read: () => null })).to.deep.equal([]);
  });

  it('loads from its own origin alone, and runs no script but its own', async () => {
    const { headers } = await apart('/trace-viewer/sw.bundle.js');
    const policy = String(headers['content-security-policy']);
    expect(policy).to.match(/default-src 'none'; script-src 'self' 'sha256-[\w+/]+=';/);
    expect(policy).to.include("connect-src 'self' data: blob:;").and.include("frame-ancestors 'self'");
    expect(policy).to.not.include('*');
    expect(headers['x-content-type-options']).to.equal('nosniff');
    expect(headers['referrer-policy']).to.equal('no-referrer');
  });

  it('sends a file once to a browser that keeps it, and answers HEAD without the file', async () => {
    const path = '/trace-viewer/sw.bundle.js';
    const { etag } = (await apart(path)).headers;
    expect(etag).to.match(/^"[\w-]{43}"$/);
    const again = await server.get(path, { headers: { host, 'if-none-match': etag! } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const other = await server.get(path, { headers: { host, 'if-none-match': '"another"' } });
    expect(other.status).to.equal(200);
    const { status, headers, text } = await server.head(path, { headers: { host } });
    expect([status, headers.etag, text]).to.deep.equal([200, etag, '']);
    expect(Number(headers['content-length'])).to.be.above(1_000);
  });

  it('has every file that its page names', async () => {
    const { text } = await apart('/trace-viewer/index.html');
    const named = [...text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name);
    expect(named.length).to.be.above(4);
    for (const name of named) expect((await apart(`/trace-viewer/${name}`)).status, name).to.equal(200);
  });

  for (const path of [
    '/trace-viewer/nothing.js',
    '/trace-viewer/..%2Fsrc%2Fmain.js',
    '/trace-viewer/assets/..%2F..%2Fsrc%2Fmain.js',
    '/trace-viewer/LICENSE',
    '/trace-viewer/constructor',
  ]) {
    it(`answers ${path} with 404`, async () => {
      expect((await apart(path)).status).to.equal(404);
    });
  }

  it('is where no page is', async () => {
    const { status } = await server.get(`/teams/${OPERATOR_TEAM}`, { as: 'owner', headers: { host } });
    expect(status).to.equal(404);
  });

  it('is offered only where a browser runs its service worker', () => {
    for (const origin of [
      'https://a.example',
      'http://localhost:1',
      'http://b.localhost',
      'http://127.0.0.1:2',
    ])
      expect(canShowTraces(origin), origin).to.equal(true);
    for (const origin of ['http://a.example', 'http://localhost.example', 'http://10.0.0.1'])
      expect(canShowTraces(origin), origin).to.equal(false);
  });
});
