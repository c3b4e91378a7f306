import { expect } from 'chai';
import { pino } from 'pino';
import { plainHttpWarning } from '../../../src/http/plain-http.js';
import { serverWith } from '../../kit/server.js';

describe('a server that people reach by plain http', () => {
  const warned = (publicUrl: string | null, trustedProxies: string[] = []) =>
    plainHttpWarning({ publicUrl, trustedProxies }) !== null;

  for (const url of ['http://ledger.example.org', 'http://203.0.113.7:3000', 'http://[2001:db9::1]']) {
    it(`is warned about where others can listen: ${url}`, () => expect(warned(url)).to.equal(true));
  }

  for (const url of [
    'https://ledger.example.org',
    'http://localhost:3000',
    'http://ledger:3000',
    'http://ledger.internal',
    'http://127.0.0.1:3000',
    'http://10.1.2.3',
    'http://[::1]:3000',
    'http://[fd00::1]',
  ]) {
    it(`is not warned about at ${url}`, () => expect(warned(url)).to.equal(false));
  }

  it('is warned about behind a proxy where nobody says by which URL people come', () => {
    expect(warned(null, ['10.0.0.0/8'])).to.equal(true);
    expect(warned(null)).to.equal(false);
  });

  for (const [url, isTold] of [
    ['https://ledger.example.org', true],
    ['http://ledger.example.org', false],
  ] as const) {
    it(`tells browsers to stay with https at ${url}: ${isTold}, and else says so at its start`, async () => {
      const lines: string[] = [];
      const { server, open, close } = serverWith(
        { PUBLIC_URL: url },
        pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
      );
      await open();
      try {
        for (const path of ['/livez', '/sign-in', '/v1/me', '/nothing']) {
          const { headers } = await fetch(server.url + path);
          expect(headers.get('strict-transport-security'), path).to.equal(isTold ? 'max-age=31536000' : null);
        }
      } finally {
        await close();
      }
      expect(lines.some((line) => line.includes('PUBLIC_URL is http'))).to.equal(!isTold);
    });
  }
});
