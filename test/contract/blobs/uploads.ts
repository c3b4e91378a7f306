/** The uploads that an upload URL allows. */
import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bytesOf, get, inSeconds, newPlace, put, REFUSED, steps, tampered } from './subject.js';
import type { BlobsUnderTest } from './subject.js';

export function blobUploadsContract(subject: BlobsUnderTest): void {
  const { uploadUrl, keep, upload, kept, read } = steps(subject);
  const nothing = { version: null, found: null };

  describe('an upload', () => {
    it('needs nothing but the URL and the bytes', async () => {
      const place = newPlace();
      expect(await put(await uploadUrl(place, 5), bytesOf('12345'))).to.equal(200);
      expect(await read(place, await kept(place, '12345'))).to.equal('12345');
    });

    it('works by `curl -T file url`, without a header, also for a file that curl asks about first', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'testledger-curl-'));
      try {
        for (const size of [0, 7, 3_000_000]) {
          const place = newPlace();
          const file = join(folder, 'file with a name.png');
          await writeFile(file, Buffer.alloc(size, 'x'));
          const url = await uploadUrl(place, size);
          // Without curl, this suite cannot run: the API promises that curl works.
          await promisify(execFile)('curl', ['--silent', '--show-error', '--fail', '-T', file, url]);
          expect((await keep(place, size)).version, `${size} bytes`).to.be.a('string');
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });

    it('may claim any type', async () => {
      const place = newPlace();
      const url = await uploadUrl(place, 5);
      expect(await put(url, bytesOf('12345'), { 'Content-Type': 'text/html' })).to.equal(200);
    });

    it('may be repeated, and the last one counts', async () => {
      const place = newPlace();
      await upload(place, 'the first');
      await upload(place, 'the second');
      expect(await read(place, await kept(place, 'the second'))).to.equal('the second');
    });

    for (const [what, sent] of Object.entries({
      'one byte more': '123456',
      'one byte less': '1234',
      'no byte': '',
    })) {
      it(`with ${what} than was signed is refused, and stores nothing`, async () => {
        const place = newPlace();
        expect(await put(await uploadUrl(place, 5), bytesOf(sent))).to.be.oneOf(REFUSED);
        expect(await keep(place, 5)).to.deep.equal(nothing);
        expect(await keep(place, sent.length)).to.deep.equal(nothing);
      });
    }

    it('that is refused leaves the earlier upload as it was', async () => {
      const place = newPlace();
      await upload(place, '12345');
      expect(await put(await uploadUrl(place, 5), bytesOf('123456'))).to.be.oneOf(REFUSED);
      expect(await read(place, await kept(place, '12345'))).to.equal('12345');
    });

    it('is refused after the end of the URL', async () => {
      const place = newPlace();
      expect(await put(await uploadUrl(place, 5, inSeconds(-1)), bytesOf('12345'))).to.equal(403);
      expect(await keep(place, 5)).to.deep.equal(nothing);
    });

    it('is refused to a URL with anything changed', async () => {
      const place = newPlace();
      for (const [what, url] of tampered(await uploadUrl(place, 5))) {
        expect(await put(url, bytesOf('12345')), what).to.be.oneOf(REFUSED);
      }
      expect(await keep(place, 5)).to.deep.equal(nothing);
    });

    it("is the only thing that its URL allows: no reading, and no upload to another artifact's place", async () => {
      const [place, other] = [newPlace(), newPlace()];
      await upload(place, '12345');
      const url = await uploadUrl(place, 5);
      expect((await get(url)).status).to.equal(403);
      const deleted = await fetch(url, { method: 'DELETE' });
      expect(deleted.status).to.be.oneOf([403, 405]);
      expect(await put(url.replace(place.artifact, other.artifact), bytesOf('12345'))).to.equal(403);
      expect(await keep(other, 5)).to.deep.equal(nothing);
      expect((await keep(place, 5)).version).to.be.a('string');
    });

    it('has the same end, whenever its URL is signed', async () => {
      const [place, end] = [newPlace(), inSeconds(600)];
      const ends = [await endOf(end), await endOf(end)];
      expect(ends[0]).to.equal(ends[1]);
      expect(Math.abs(ends[0]! - Date.parse(end))).to.be.below(1_000);

      async function endOf(expiresAt: string): Promise<number> {
        const { searchParams } = new URL(await uploadUrl(place, 5, expiresAt));
        const own = searchParams.get('expires');
        if (own !== null) return Number(own);
        const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(searchParams.get('X-Amz-Date') ?? '') ?? [];
        const iso = `${date}${time}`.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
        return Date.parse(iso) + Number(searchParams.get('X-Amz-Expires')) * 1_000;
      }
    });
  });
}
