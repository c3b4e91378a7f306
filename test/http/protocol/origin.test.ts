import { expect } from 'chai';
import type { IncomingMessage } from 'node:http';
import { publicOrigin } from '../../../src/http/origin.js';

describe('the origin of URLs that lead back to the server', () => {
  const asked = (host: string | undefined, localAddress = '127.0.0.1') =>
    ({ headers: { host }, socket: { localAddress, localPort: 8080 } }) as unknown as IncomingMessage;

  it('is the configured one, whatever the request says', () => {
    expect(publicOrigin('https://reports.example', asked('other.example'))).to.equal(
      'https://reports.example',
    );
  });

  for (const [host, origin] of [
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:18080', 'http://127.0.0.1:18080'],
    ['Reports.Example', 'http://reports.example'],
    ['reports_ci:80', 'http://reports_ci'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['reports.example.', 'http://reports.example.'],
  ] as const) {
    it(`is that of the Host of the request: ${host}`, () =>
      expect(publicOrigin(null, asked(host))).to.equal(origin));
  }

  for (const host of [
    undefined,
    '',
    ' ',
    'a/b',
    'a/../b',
    'user@evil.example',
    'user:password@evil.example',
    'evil.example?x=',
    'evil.example#',
    'evil.example/',
    'evil.example\\',
    'a b',
    'a,b',
    'a:port',
    'a:123456',
    'a:70000',
    '[::1',
    '::1',
    '[v1.x]',
    '-',
    '.',
    'a%00b',
    'a"b',
    'ä.example',
    'a\r\nX: y',
    'x'.repeat(300),
    '999.999.999.999',
  ]) {
    it(`is the address that the request came to, if its Host is ${JSON.stringify(host)?.slice(0, 40)}`, () => {
      expect(publicOrigin(null, asked(host))).to.equal('http://127.0.0.1:8080');
      expect(publicOrigin(null, asked(host, '::1'))).to.equal('http://[::1]:8080');
      expect(publicOrigin(null, asked(host, '::ffff:10.0.0.7'))).to.equal('http://10.0.0.7:8080');
    });
  }
});
