import { expect } from 'chai';
import { blobUrls, type CalledUrl } from '../../src/artifacts/blob-urls.js';
import { deriveKey } from '../../src/secret-key/derive-key.js';
import { isAppError } from '../../src/errors.js';
import { idOf } from '../domain/ids.js';

const END = '2026-11-21T12:00:00.000Z';

describe('signed URLs of files', () => {
  let now = new Date(END);
  const urls = (...secrets: string[]) =>
    blobUrls(
      (secrets.length === 0 ? ['a secret'] : secrets).map((secret) => deriveKey(secret, 'blob-urls')),
      () => now,
    );
  const place = { team: idOf('team'), artifact: idOf('artifact') };
  const origin = 'http://reports.example';
  const upload = { size: 5, expiresAt: END, origin };
  const download = {
    contentType: 'text/plain; a="b&c=d"',
    disposition: 'inline; filename="+ %.txt"',
    expiresAt: END,
    origin,
  };
  beforeEach(() => {
    now = new Date(Date.parse(END) - 1);
  });

  it('stay valid while the secret that signed them is the previous one', () => {
    const [former, newer] = [urls('a secret'), urls('another', 'a secret')];
    const url = called(former.forUpload(place, upload));
    expect(newer.checkUpload(url).size).to.equal(5);
    refused(() => urls('another').checkUpload(url), 'signature');
    refused(() => former.checkUpload(called(newer.forUpload(place, upload))), 'signature');
  });

  it('give back the values that were signed', () => {
    expect(urls().checkUpload(called(urls().forUpload(place, upload)))).to.deep.equal({
      place,
      size: 5,
      expiresAt: END,
    });
    const { contentType, disposition } = download;
    expect(urls().checkDownload(called(urls().forDownload(place, 'v1', download)))).to.deep.equal({
      place,
      version: 'v1',
      contentType,
      disposition,
      expiresAt: END,
    });
  });

  it('are the same every time they are signed', () => {
    const url = urls().forUpload(place, upload);
    now = new Date(0);
    expect(urls().forUpload(place, upload)).to.equal(url);
    expect(new URL(url).origin).to.equal(origin);
  });

  it('are valid before they expire, and not from that instant on', () => {
    const [up, down] = [urls().forUpload(place, upload), urls().forDownload(place, 'v1', download)];
    urls().checkUpload(called(up));
    now = new Date(END);
    refused(() => urls().checkUpload(called(up)), 'expired');
    refused(() => urls().checkDownload(called(down)), 'expired');
  });

  it('are refused by a server with another secret, and for the other method', () => {
    const [up, down] = [urls().forUpload(place, upload), urls().forDownload(place, 'v1', download)];
    refused(() => urls('another').checkUpload(called(up)), 'signature');
    refused(() => urls().checkDownload(called(up)), 'signature');
    refused(() => urls().checkUpload(called(down)), 'signature');
  });

  it('are refused when a part of the path moves into another part', () => {
    const { team, artifact, name, query } = called(urls().forUpload(place, upload));
    refused(
      () => urls().checkUpload({ team: `${team}/${artifact}`, artifact: name, name: '', query }),
      'signature',
    );
    refused(
      () => urls().checkUpload({ team: `${team}","${artifact}`, artifact: name, name, query }),
      'signature',
    );
  });

  it('have a signature that is compared as text: another encoding of the same bytes is refused', () => {
    const own = called(urls().forUpload(place, upload));
    const last = own.query.at(-1)!;
    // 43 characters hold two bits more than 32 bytes.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const other of alphabet.replace(last, '')) {
      refused(() => urls().checkUpload({ ...own, query: own.query.slice(0, -1) + other }), 'signature');
    }
    urls().checkUpload(own);
  });

  function refused(check: () => unknown, reason: string): void {
    try {
      check();
    } catch (error) {
      expect(isAppError(error, 'url_not_valid'), String(error)).to.equal(true);
      expect(String(error)).to.include(reason);
      return;
    }
    expect.fail('it was accepted');
  }
});

describe('keys derived from the secret', () => {
  it('have 32 bytes, are the same every time, and differ for another secret', () => {
    const key = deriveKey('a secret', 'blob-urls');
    expect(key).to.have.lengthOf(32);
    expect(deriveKey('a secret', 'blob-urls')).to.deep.equal(key);
    expect(deriveKey('another', 'blob-urls')).to.not.deep.equal(key);
  });

  it('never change: URLs that were given out must stay valid after an update', () => {
    expect(deriveKey('a secret', 'blob-urls').toString('hex')).to.equal(
      '0dedd535ab229250266a84095d2154452e83b54a21fb13ee41b80b12cd18b1e1',
    );
  });
});

function called(url: string): CalledUrl {
  const { pathname, search } = new URL(url);
  const [, , , team = '', artifact = '', name = ''] = pathname.split('/');
  return { team, artifact, name, query: search.slice(1) };
}
