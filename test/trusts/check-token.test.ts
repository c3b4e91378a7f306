import { expect } from 'chai';
import { exportSPKI, generateKeyPair } from 'jose';
import type { TrustRecord } from '../../src/domain/teams/trust.js';
import { isAppError } from '../../src/errors.js';
import { checkToken } from '../../src/trusts/check-token.js';
import { openFetchJson } from '../../src/trusts/fetch-json.js';
import { openIssuerKeys, type IssuerKeys } from '../../src/trusts/issuer-keys.js';
import { AUDIENCE, claims, startIssuer, type Issuer } from './issuer.js';

describe('a token of a build', () => {
  let issuer: Issuer;
  let close = (): void => undefined;
  let keys: IssuerKeys;

  beforeEach(async () => {
    issuer = await startIssuer();
    const opened = openFetchJson({ allow: ['127.0.0.0/8'], withinMs: 300 });
    close = opened.close;
    keys = openIssuerKeys(opened.fetchJson);
  });
  afterEach(async () => {
    close();
    await issuer.close();
  });

  const trust = (fields: Partial<TrustRecord> = {}): TrustRecord => ({
    trust_id: 'trust_01kaz5a0e9fqcs5v2r0h7m6t1w',
    issuer: issuer.url,
    audience: AUDIENCE,
    claims: { repository: 'acme/shop', ref: 'refs/heads/*' },
    created_at: '2026-11-21T01:02:03.456Z',
    ...fields,
  });
  const check = (token: string, trusts = [trust()]) =>
    checkToken(token, trusts, { keys, team: 'team', now: new Date() });

  /** The detail of the refusal. */
  async function refused(token: string, trusts?: TrustRecord[]): Promise<string> {
    try {
      await check(token, trusts);
    } catch (error) {
      if (isAppError(error, 'invalid_token')) return error.message;
      throw error;
    }
    return 'it was accepted';
  }
  const soon = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

  for (const alg of ['RS256', 'ES256', 'EdDSA'] as const)
    it(`is good as the trust says, signed by ${alg}`, async () => {
      const other = await startIssuer(alg);
      const found = await check(await other.token(), [trust({ issuer: other.url })]);
      expect(found.claims).to.include(claims);
      await other.close();
    });

  it('is good for a minute around its times, for clocks that differ', async () => {
    const token = await issuer.token({ exp: soon(-50), nbf: soon(50), iat: soon(50) });
    expect((await check(token)).trust.audience).to.equal(AUDIENCE);
  });

  it('is refused when it has expired, or has no end', async () => {
    expect(await refused(await issuer.token({ exp: soon(-61) }))).to.match(/^exp:/);
    expect(await refused(await issuer.token({ exp: null }))).to.match(/^exp:/);
  });

  it('is refused before it is valid, and when it comes from the future', async () => {
    expect(await refused(await issuer.token({ nbf: soon(120) }))).to.match(/^nbf:/);
    expect(await refused(await issuer.token({ iat: soon(3_600), nbf: null }))).to.match(/^iat:/);
    expect(await refused(await issuer.token({ iat: null }))).to.match(/^iat:/);
  });

  it('is refused for another audience', async () => {
    for (const aud of ['https://other.example', ['a', 'b'], null])
      expect(await refused(await issuer.token({ aud }))).to.match(/^aud:/);
  });

  it('is refused of another issuer, whom the server does not even ask', async () => {
    const stranger = await startIssuer();
    expect(await refused(await stranger.token())).to.match(/^iss:/);
    expect(stranger.asked).to.deep.equal([]);
    // With the name of ours, but its own key.
    expect(await refused(await stranger.token({ iss: issuer.url }))).to.match(/^signature:/);
    await stranger.close();
  });

  it('is refused of another repository, and of a fork', async () => {
    for (const repository of ['acme/other', 'mallory/shop', 'acme/shop/x', 'Acme/shop', '', null])
      expect(await refused(await issuer.token({ repository }))).to.match(/^repository:/);
  });

  it('is refused where a wildcard would have to reach across a slash, or a claim is a list', async () => {
    const wide = [trust({ claims: { repository: 'acme/*', ref: 'refs/heads/*' } })];
    expect((await check(await issuer.token({ repository: 'acme/any' }), wide)).trust).to.equal(wide[0]);
    for (const repository of ['acme/a/b', 'acme-evil/shop', ['acme/shop'], '**'])
      expect(await refused(await issuer.token({ repository }), wide)).to.match(/^repository:/);
    expect(await refused(await issuer.token({ ref: 'refs/heads/a/b' }), wide)).to.match(/^ref:/);
  });

  it('is refused without a signature', async () => {
    const [, payload] = (await issuer.token()).split('.');
    for (const alg of ['none', 'None', ''])
      for (const end of ['', 'AAAA']) {
        const header = Buffer.from(JSON.stringify({ alg, kid: 'one' })).toString('base64url');
        expect(await refused(`${header}.${payload}.${end}`)).to.match(/^alg:/);
      }
  });

  it('is refused when it is signed with the public key as a secret', async () => {
    const key = new TextEncoder().encode(await exportSPKI(issuer.publicKey));
    for (const alg of ['HS256', 'HS384', 'HS512'])
      expect(await refused(await issuer.token({}, { alg, key }))).to.match(/^alg:/);
  });

  it('is refused with an unknown key id, for which the issuer is asked once more at most', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    for (let n = 0; n < 20; n += 1)
      expect(await refused(await issuer.token({}, { kid: `k${n}`, key: privateKey }))).to.match(/^kid:/);
    expect(issuer.asked.length).to.be.at.most(4);
  });

  it('is refused when it is too long, or no token', async () => {
    expect(await refused(await issuer.token({ more: 'x'.repeat(10_000) }))).to.match(/^token:/);
    for (const text of ['', 'a.b.c', 'tl_key', '{}']) expect(await refused(text)).to.match(/^token:/);
  });

  it('is refused in a project without a trust', async () => {
    expect(await refused(await issuer.token(), [])).to.match(/^iss:/);
  });

  const faults: Record<string, NonNullable<Issuer['answer']>> = {
    hang: (path) => path === '/jwks',
    'come byte by byte': (path, response) => {
      if (path !== '/jwks') return false;
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
      return true;
    },
    'are too large': (path, response) => {
      if (path !== '/jwks') return false;
      response.end(JSON.stringify({ keys: [], more: 'x'.repeat(300_000) }));
      return true;
    },
    'lead elsewhere': (path, response) => {
      if (path !== '/jwks') return false;
      response.writeHead(302, { location: '/other' }).end();
      return true;
    },
  };
  for (const [name, answer] of Object.entries(faults))
    it(`is refused where the keys of the issuer ${name}, which is then left alone for a while`, async () => {
      issuer.answer = answer;
      const token = await issuer.token();
      const all = await Promise.all(Array.from({ length: 10 }, () => refused(token)));
      expect(new Set(all)).to.deep.equal(new Set(['jwks: the keys of the issuer could not be read']));
      expect(issuer.asked).to.deep.equal(['/.well-known/openid-configuration', '/jwks']);
    });

  it('is refused where the issuer is at an address that is not allowed, to which nothing is sent', async () => {
    const filtered = openFetchJson({ allow: [] });
    keys = openIssuerKeys(filtered.fetchJson);
    expect(await refused(await issuer.token())).to.match(/^jwks:/);
    expect(issuer.asked).to.deep.equal([]);
    filtered.close();
  });

  it('is not refused where the fetch of another team has failed, which may have had no place for it', async () => {
    const { fetchJson, close: end } = openFetchJson({ allow: ['127.0.0.0/8'], withinMs: 300 });
    keys = openIssuerKeys(async (url, team) => {
      if (team === 'busy') throw new Error('too many fetches of this team');
      return fetchJson(url, team);
    });
    const token = await issuer.token();
    const busy = checkToken(token, [trust()], { keys, team: 'busy', now: new Date() });
    await check(token);
    expect(await busy.catch((error: Error) => error.message)).to.match(/jwks/);
    end();
  });

  it('is refused where the discovery document is that of another issuer', async () => {
    issuer.answer = (path, response) => {
      if (path === '/jwks') return false;
      response.end(JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${issuer.url}/jwks` }));
      return true;
    };
    expect(await refused(await issuer.token())).to.match(/^jwks:/);
  });

  it('learns no expected value from its refusal', async () => {
    const hidden = [trust({ claims: { repository: 'acme/hidden' } })];
    expect(await refused(await issuer.token(), hidden)).to.not.include('hidden');
    expect(await refused(await issuer.token({ aud: 'x' }))).to.not.include(AUDIENCE);
  });

  it('lets the server ask the issuer once for many', async () => {
    await Promise.all(Array.from({ length: 20 }, async () => check(await issuer.token())));
    expect(issuer.asked).to.have.length(2);
  });
});
