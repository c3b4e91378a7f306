/** How a version is served. */
import { expect } from 'chai';
import { contentDispositionOf } from '../../../src/artifacts/content-disposition.js';
import { bytesOf, get, inSeconds, newPlace, put, REFUSED, steps, tampered } from './subject.js';
import type { BlobsUnderTest } from './subject.js';

export function blobReadingContract(subject: BlobsUnderTest): void {
  const { uploadUrl, downloadUrl, upload, kept } = steps(subject);
  const given = async (text: string) => {
    const place = newPlace();
    await upload(place, text);
    return { place, version: await kept(place, text) };
  };

  describe('a download', () => {
    it('has the type and the disposition of its URL, whatever the upload claimed', async () => {
      const place = newPlace();
      const bytes = bytesOf('<script>alert(1)</script>');
      const url = await uploadUrl(place, bytes.length);
      expect(await put(url, bytes, { 'Content-Type': 'text/html' })).to.equal(200);
      const { version } = await subject.blobs.keep(place, { size: bytes.length, contentType: 'image/png' });
      for (const contentType of [
        'image/png',
        'text/plain; charset=utf-8',
        'video/mp4; codecs="avc1, mp4a"',
      ]) {
        const disposition = contentDispositionOf(contentType, 'Ärger; "mit" %41 und 😀.png');
        const { status, headers } = await get(
          await downloadUrl(place, version!, { contentType, disposition }),
        );
        expect(status).to.equal(200);
        expect(headers['content-type']).to.equal(contentType);
        expect(headers['content-disposition']).to.equal(disposition);
      }
    });

    it('takes ranges and announces it', async () => {
      const { place, version } = await given('0123456789');
      const url = await downloadUrl(place, version);
      expect((await get(url)).headers['accept-ranges']).to.equal('bytes');
      for (const [range, text, said] of [
        ['bytes=2-4', '234', 'bytes 2-4/10'],
        ['bytes=7-', '789', 'bytes 7-9/10'],
        ['bytes=-3', '789', 'bytes 7-9/10'],
      ] as const) {
        const part = await get(url, { Range: range });
        expect([part.status, part.text, part.headers['content-range']], range).to.deep.equal([
          206,
          text,
          said,
        ]);
      }
      expect((await get(url, { Range: 'bytes=10-' })).status).to.equal(416);
    });

    it('answers 304 to a client that has the file', async () => {
      const { place, version } = await given('0123456789');
      const url = await downloadUrl(place, version);
      const etag = (await get(url)).headers['etag'];
      expect(etag).to.match(/^"[^"]+"$/);
      const { status, text } = await get(url, { 'If-None-Match': etag! });
      expect([status, text]).to.deep.equal([304, '']);
      expect((await get(url, { 'If-Match': '"another"' })).status).to.equal(412);
    });

    it('is refused after the end of the URL', async () => {
      const { place, version } = await given('12345');
      const { status, text } = await get(await downloadUrl(place, version, { expiresAt: inSeconds(-1) }));
      expect(status).to.equal(403);
      expect(text).to.not.include('12345');
    });

    it('is refused from a URL with anything changed', async () => {
      const { place, version } = await given('12345');
      for (const [what, url] of tampered(await downloadUrl(place, version))) {
        const { status, text } = await get(url);
        expect(status, what).to.be.oneOf(REFUSED);
        expect(text, what).to.not.include('12345');
      }
    });

    it('is the only thing that its URL allows: nothing can be written to it', async () => {
      const { place, version } = await given('12345');
      const url = await downloadUrl(place, version);
      expect(await put(url, bytesOf('abcde'))).to.equal(403);
      expect((await get(url)).text).to.equal('12345');
    });
  });
}
