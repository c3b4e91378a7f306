import { expect } from 'chai';
import { otherVersion, tellingOtherVersion } from '../../src/client/other-version.js';
import type { Fetch } from '../../src/client/send.js';

const base = 'https://ledger.example';

describe('a client and a server of different versions', () => {
  it('are told apart by the minor version', () => {
    expect(otherVersion('1.2.9', { base, own: '1.2.0' })).to.equal(null);
    for (const server of ['1.3.0', '2.2.0', '1.20.0'])
      expect(otherVersion(server, { base, own: '1.2.0' })).to.equal(
        `testledger: the server is of version ${server}, this client of 1.2.0; its own is at ${base}/clients/`,
      );
  });

  it('say nothing where the server does not say its version', () => {
    expect(otherVersion(null, { base, own: '1.2.0' })).to.equal(null);
    expect(otherVersion('proxy', { base, own: '1.2.0' })).to.equal(null);
  });

  it('say it once, and go on', async () => {
    const told: string[] = [];
    const answers: Fetch = async () => {
      const { status, headers, body } = new Response('{}', { headers: { 'Testledger-Version': '2.0.0' } });
      return { status, headers, body };
    };
    const fetch = tellingOtherVersion(answers, base, {
      own: '1.2.0',
      tell: (notice) => void told.push(notice),
    });
    const init = {
      method: 'GET',
      headers: {},
      redirect: 'manual',
      signal: AbortSignal.timeout(1_000),
    } as const;
    for (let call = 0; call < 3; call += 1) expect((await fetch(base, init)).status).to.equal(200);
    expect(told).to.have.length(1);
  });
});
