import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { apartOf, isOpenedApart, originApart } from '../../src/http/apart.js';

describe('where the files of reports may run their scripts', () => {
  const asked = (host: string | undefined, more: object = {}) =>
    ({ headers: { host, ...more } }) as unknown as IncomingMessage;
  const from = (site: string) => ({ 'sec-fetch-site': site, 'sec-fetch-dest': 'document' });
  const withOrigin = (origin: string | null, publicUrl: string | null = null, isServer = true) =>
    apartOf({ publicUrl, artifacts: { origin } }, isServer);

  it('is the configured origin alone, where there is one', () => {
    const apart = withOrigin('https://files.example');
    expect(originApart(apart, asked('localhost:80'))).to.equal('https://files.example');
    expect(isOpenedApart(apart, asked('files.example'))).to.equal(true);
    expect(isOpenedApart(apart, asked('localhost:80', from('cross-site')))).to.equal(false);
  });

  it('is the other name of this machine without one', () => {
    const apart = withOrigin(null);
    expect(originApart(apart, asked('localhost:8080'))).to.equal('http://127.0.0.1:8080');
    expect(originApart(apart, asked('127.0.0.1:8080'))).to.equal('http://localhost:8080');
    for (const host of [
      undefined,
      '',
      '10.0.0.1:80',
      'localhost.example',
      'a.localhost',
      '[::1]:80',
      'localhost:1/x',
    ])
      expect(originApart(apart, asked(host)), host).to.equal(null);
  });

  it('is there only what a browser opens from another site', () => {
    const apart = withOrigin(null);
    expect(isOpenedApart(apart, asked('localhost:1', from('cross-site')))).to.equal(true);
    for (const site of ['same-origin', 'same-site', 'none'])
      expect(isOpenedApart(apart, asked('localhost:1', from(site))), site).to.equal(false);
    expect(isOpenedApart(apart, asked('localhost:1'))).to.equal(false);
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    expect(isOpenedApart(apart, asked('localhost:1', frame))).to.equal(false);
    expect(isOpenedApart(apart, asked('shop.example', from('cross-site')))).to.equal(false);
  });

  it('is nowhere for a server that people reach by another name, or whose files are in a bucket', () => {
    for (const apart of [
      withOrigin(null, 'https://ledger.example'),
      withOrigin('https://files.example', null, false),
    ])
      expect(originApart(apart, asked('localhost:80'))).to.equal(null);
    expect(originApart(withOrigin(null, 'http://localhost:80'), asked('localhost:80'))).to.equal(
      'http://127.0.0.1:80',
    );
  });
});
