import { expect } from 'chai';
import type { Context } from 'koa';
import { sessionCookie } from '../../src/dashboard/session-cookie.js';

describe('the cookie of a session', () => {
  const written = (secure: boolean, origin: string) => {
    let cookie = '';
    const ctx = { get: () => origin, res: { appendHeader: (_: string, text: string) => (cookie = text) } };
    sessionCookie({ secure }).write(ctx as unknown as Context, 'a'.repeat(43));
    return cookie;
  };

  it('is sent by https alone where PUBLIC_URL or the form itself says https', () => {
    expect(written(true, '')).to.match(/^__Host-testledger=.*; Secure$/);
    expect(written(false, 'https://ledger.example.org')).to.match(/^testledger=.*; Secure$/);
    expect(written(false, 'http://ledger.example.org')).not.to.include('Secure');
    expect(written(false, '')).not.to.include('Secure');
  });
});
