import { expect } from 'chai';
import { blobUrls, type CalledUrl } from '../../src/artifacts/blob-urls.js';
import { deriveKey } from '../../src/derive-key.js';
import { isLedgerError } from '../../src/errors.js';
import { idOf } from '../domain/ids.js';

const END = '2026-11-21T12:00:00.000Z';

describe('signed URLs of files', () => {
  let now = new Date(END);
  const urls = (secret = 'a secret') => blobUrls(deriveKey(secret, 'blob-urls'), () => now);
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

  it('tell what was signed', () => {
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

  it('are the same each time they are signed', () => {
    const url = urls().forUpload(place, upload);
    now = new Date(0);
    expect(urls().forUpload(place, upload)).to.equal(url);
    expect(new URL(url).origin).to.equal(origin);
  });

  it('are good until their end, and not at it', () => {
    const [up, down] = [urls().forUpload(place, upload), urls().forDownload(place, 'v1', download)];
    urls().checkUpload(called(up));
    now = new Date(END);
    refused(() => urls().checkUpload(called(up)), 'expired');
    refused(() => urls().checkDownload(called(down)), 'expired');
  });

  it('are worth nothing to a server with another secret, and for the other method', () => {
    const [up, down] = [urls().forUpload(place, upload), urls().forDownload(place, 'v1', download)];
    refused(() => urls('another').checkUpload(called(up)), 'signature');
    refused(() => urls().checkDownload(called(up)), 'signature');
    refused(() => urls().checkUpload(called(down)), 'signature');
  });

  it('cannot have a part moved into another', () => {
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

  it('have a signature that is compared as text: another spelling of the same bytes is another', () => {
    const own = called(urls().forUpload(place, upload));
    const last = own.query.at(-1)!;
    // 43 characters hold two bits more than 32 bytes have.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (const other of alphabet.replace(last, '')) {
      refused(() => urls().checkUpload({ ...own, query: own.query.slice(0, -1) + other }), 'signature');
    }
    urls().checkUpload(own);
  });

  function refused(check: () => unknown, why: string): void {
    try {
      check();
    } catch (error) {
      expect(isLedgerError(error, 'url_not_valid'), String(error)).to.equal(true);
      expect(String(error)).to.include(why);
      return;
    }
    expect.fail('it was taken');
  }
});

describe('keys derived from the secret', () => {
  it('are 32 bytes, the same each time, and others for another secret', () => {
    const key = deriveKey('a secret', 'blob-urls');
    expect(key).to.have.lengthOf(32);
    expect(deriveKey('a secret', 'blob-urls')).to.deep.equal(key);
    expect(deriveKey('another', 'blob-urls')).to.not.deep.equal(key);
  });

  it('stay what they are: URLs that were handed out must be good after an update', () => {
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
