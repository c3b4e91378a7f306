import { expect } from 'chai';
import { request } from 'node:http';
import { inSeconds, newPlace, put } from '../../contract/blobs/subject.js';
import { startBlobServer, type BlobServer } from './blob-server.js';

describe('the origin for files that can run scripts', () => {
  let server: BlobServer;
  before(async () => {
    server = await startBlobServer({ apartAt: 'https://files.example' });
  });
  after(() => server.stop());

  async function given(contentType: string): Promise<string> {
    const place = newPlace();
    const upload = { size: 1, expiresAt: inSeconds(600), origin: server.url };
    expect(await put(await server.blobs.uploadUrl(place, upload), new Uint8Array([65]))).to.equal(200);
    const { version } = await server.blobs.keep(place, { size: 1, contentType });
    const disposition = 'attachment; filename="a.html"';
    const download = { contentType, disposition, expiresAt: inSeconds(60), origin: server.url };
    return server.blobs.downloadUrl(place, version!, download);
  }

  function headersAt(url: string, host: string): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      request(url, { headers: { host, origin: 'https://files.example' } }, (response) => {
        response.resume();
        resolve(response.headers);
      })
        .on('error', reject)
        .end();
    });
  }

  for (const type of ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml; charset=utf-8']) {
    it(`shows ${type}, in a sandbox without an origin and without a network`, async () => {
      const headers = await headersAt(await given(type), 'files.example');
      expect(headers['content-disposition']).to.equal('inline; filename="a.html"');
      const policy = String(headers['content-security-policy']);
      expect(policy).to.contain('sandbox allow-scripts allow-popups;');
      expect(policy).to.contain("default-src data: blob: 'unsafe-inline' 'unsafe-eval';");
      expect(policy).not.to.contain('allow-same-origin');
      expect(headers['access-control-allow-origin']).to.equal(undefined);
    });

    it(`saves ${type} at any other host`, async () => {
      const url = await given(type);
      for (const host of [new URL(url).host, 'files.example.org', 'files.example:81']) {
        const headers = await headersAt(url, host);
        expect(headers['content-disposition']).to.match(/^attachment;/);
        expect(headers['content-security-policy']).to.match(/; sandbox$/);
      }
    });
  }

  it('saves what is neither shown nor able to run scripts, such as an archive', async () => {
    const headers = await headersAt(await given('application/zip'), 'files.example');
    expect(headers['content-disposition']).to.match(/^attachment;/);
    expect(headers['content-security-policy']).to.match(/; sandbox$/);
  });
});
