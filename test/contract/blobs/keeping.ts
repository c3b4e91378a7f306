/** A kept version stays as it is, and a cleared place is empty. */
import { expect } from 'chai';
import { isAppError } from '../../../src/errors.js';
import { bytesOf, get, newPlace, put, steps } from './subject.js';
import type { BlobPlace } from '../../../src/ports/blobs.js';
import type { BlobsUnderTest } from './subject.js';

export function blobKeepingContract(subject: BlobsUnderTest): void {
  const { uploadUrl, downloadUrl, keep, upload, kept, read } = steps(subject);

  describe('keeping', () => {
    it('answers that there is no upload', async () => {
      expect(await keep(newPlace(), 5)).to.deep.equal({ version: null, found: null });
    });

    it('answers how many bytes the upload has, when that is not the expected number', async () => {
      const place = newPlace();
      await upload(place, '12345');
      expect(await keep(place, 6)).to.deep.equal({ version: null, found: 5 });
      expect(await keep(place, 4)).to.deep.equal({ version: null, found: 5 });
      expect(await keep(place, 0)).to.deep.equal({ version: null, found: 5 });
    });

    it('reads a version, and null once it is gone', async () => {
      const place = newPlace();
      await upload(place, '12345');
      const version = await kept(place, '12345');
      expect(new TextDecoder().decode((await subject.blobs.read(place, version))!)).to.equal('12345');
      await subject.blobs.clear(place, null);
      expect(await subject.blobs.read(place, version)).to.equal(null);
    });

    it('keeps an empty file', async () => {
      const place = newPlace();
      await upload(place, '');
      expect(await read(place, await kept(place, ''))).to.equal('');
    });

    it('keeps one upload as one version, however often and at once it is called', async () => {
      const place = newPlace();
      await upload(place, '12345');
      const versions = await Promise.all(Array.from({ length: 8 }, () => kept(place, '12345')));
      expect(new Set([...versions, await kept(place, '12345')])).to.have.lengthOf(1);
    });

    it('keeps other bytes as another version, and both versions can be read', async () => {
      const place = newPlace();
      await upload(place, 'the one');
      const one = await kept(place, 'the one');
      await upload(place, 'another');
      const other = await kept(place, 'another');
      expect(other).to.not.equal(one);
      expect([await read(place, one), await read(place, other)]).to.deep.equal(['the one', 'another']);
    });

    it('makes a version that no later upload changes', async () => {
      const place = newPlace();
      const url = await uploadUrl(place, 7);
      expect(await put(url, bytesOf('the one'))).to.equal(200);
      const version = await kept(place, 'the one');
      const before = await get(await downloadUrl(place, version));
      expect(await put(url, bytesOf('another'))).to.equal(200);
      const { status, text, headers } = await get(await downloadUrl(place, version));
      expect([status, text]).to.deep.equal([200, 'the one']);
      for (const name of ['etag', 'last-modified']) {
        expect(headers[name], name).to.equal(before.headers[name]);
      }
    });

    it('keeps each version whole while uploads go on: a version never changes and is never a mixture', async () => {
      const place = newPlace();
      const size = 200_000;
      const url = await uploadUrl(place, size);
      const file = (letter: string) => bytesOf(letter.repeat(size));
      expect(await put(url, file('a'))).to.equal(200);
      const seen = new Map<string, string>();
      let over = false;
      const uploads = (async () => {
        for (const letter of 'bcdefghijklmnop') expect(await put(url, file(letter))).to.equal(200);
        over = true;
      })();
      /** Null where uploads came in too fast: a caller may then try again. */
      const keptOrNull = () =>
        kept(place, 'x'.repeat(size)).catch((error: unknown) => {
          if (isAppError(error, 'blobs_unavailable')) return null;
          throw error;
        });
      const keeping = async () => {
        while (!over) {
          const version = await keptOrNull();
          if (version === null) continue;
          const text = await read(place, version);
          expect(text).to.equal(text.charAt(0).repeat(size));
          expect(seen.get(version) ?? text).to.equal(text);
          seen.set(version, text);
        }
      };
      await Promise.all([uploads, keeping(), keeping()]);
      const last = await kept(place, 'x'.repeat(size));
      expect(await read(place, last)).to.equal('p'.repeat(size));
      for (const [version, text] of seen) expect(await read(place, version)).to.equal(text);
    });
  });

  describe('putting', () => {
    const putOne = (place: BlobPlace, content: string) =>
      subject.blobs.put(place, { bytes: bytesOf(content), contentType: 'text/plain' });

    it('keeps a file as a version without an upload, also many at once and again', async () => {
      const places = Array.from({ length: 20 }, newPlace);
      const { team } = places[0]!;
      const all = places.map(({ artifact }, n) => ({ place: { team, artifact }, content: `file ${n}` }));
      const versions = await Promise.all(all.map(({ place, content }) => putOne(place, content)));
      for (const [n, { place, content }] of all.entries()) {
        expect(await read(place, versions[n]!)).to.equal(content);
        expect(await keep(place, content.length)).to.deep.equal({ version: null, found: null });
      }
      const { place, content } = all[0]!;
      expect(await read(place, await putOne(place, content))).to.equal(content);
      expect(await read(place, versions[0]!)).to.equal(content);
    });

    it('keeps a version that a clearing spares or removes', async () => {
      const place = newPlace();
      const [one, other] = [await putOne(place, 'the one'), await putOne(place, 'another')];
      await subject.blobs.clear(place, other);
      expect(await read(place, other)).to.equal('another');
      expect((await get(await downloadUrl(place, one))).status).to.equal(404);
      await subject.blobs.clear(place, null);
      expect((await get(await downloadUrl(place, other))).status).to.equal(404);
    });
  });

  describe('clearing', () => {
    it('removes everything except the version that is named', async () => {
      const place = newPlace();
      await upload(place, 'the one');
      await kept(place, 'the one');
      await upload(place, 'another');
      const version = await kept(place, 'another');
      await upload(place, 'too late');
      expect(await subject.blobs.clear(place, version)).to.be.at.least('the one'.length + 'too late'.length);
      expect(await read(place, version)).to.equal('another');
      expect(await keep(place, 8)).to.deep.equal({ version: null, found: null });
      expect(await subject.blobs.clear(place, version)).to.equal(0);
    });

    it('removes everything, and answers the bytes that became free', async () => {
      const [place, other] = [newPlace(), newPlace()];
      await upload(place, '12345');
      await upload(other, 'untouched');
      expect(await subject.blobs.clear(place, null)).to.equal(5);
      expect(await keep(place, 5)).to.deep.equal({ version: null, found: null });
      expect(await subject.blobs.clear(place, null)).to.equal(0);
      expect(await read(other, await kept(other, 'untouched'))).to.equal('untouched');
    });

    it('makes the versions unreadable, also by URLs that have not expired', async () => {
      const place = newPlace();
      await upload(place, '12345');
      const url = await downloadUrl(place, await kept(place, '12345'));
      expect((await get(url)).status).to.equal(200);
      expect(await subject.blobs.clear(place, null)).to.be.at.least(5);
      expect((await get(url)).status).to.equal(404);
    });

    it('frees nothing where there is nothing', async () => {
      expect(await subject.blobs.clear(newPlace(), null)).to.equal(0);
      expect(await subject.blobs.clear(newPlace(), 'v-1')).to.equal(0);
    });

    it('removes an upload that came after an earlier clearing', async () => {
      const place = newPlace();
      const url = await uploadUrl(place, 5);
      expect(await put(url, bytesOf('12345'))).to.equal(200);
      const version = await kept(place, '12345');
      await subject.blobs.clear(place, version);
      expect(await put(url, bytesOf('abcde'))).to.equal(200);
      expect(await read(place, version)).to.equal('12345');
      expect(await subject.blobs.clear(place, version)).to.equal(5);
      await subject.blobs.clear(place, null);
      expect(await put(url, bytesOf('abcde'))).to.equal(200);
      expect(await subject.blobs.clear(place, null)).to.equal(5);
      expect(await keep(place, 5)).to.deep.equal({ version: null, found: null });
    });

    it('succeeds for both of two calls at once', async () => {
      const place = newPlace();
      await upload(place, '12345');
      await kept(place, '12345');
      await Promise.all([subject.blobs.clear(place, null), subject.blobs.clear(place, null)]);
      expect(await keep(place, 5)).to.deep.equal({ version: null, found: null });
    });

    it('never fails while uploads come in, and leaves an upload that comes after it', async () => {
      const place = newPlace();
      const url = await uploadUrl(place, 5);
      let over = false;
      const uploads = (async () => {
        // A store may make the client try again, as versitygw does when its folder was just removed.
        for (let n = 0; n < 30; n += 1) expect(await put(url, bytesOf('12345'))).to.be.oneOf([200, 409]);
        over = true;
      })();
      const clearing = (async () => {
        while (!over) await subject.blobs.clear(place, null);
      })();
      await Promise.all([uploads, clearing]);
      await upload(place, 'last');
      expect(await read(place, await kept(place, 'last'))).to.equal('last');
    });
  });
}
