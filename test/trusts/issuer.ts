/** A CI service on loopback that issues tokens, as GitHub does, and that can misbehave. */
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import type { ServerResponse } from 'node:http';
import { openLoopback } from '../kit/loopback.js';

type Signed = { alg?: string; kid?: string; key?: CryptoKey | Uint8Array };

export type Issuer = {
  url: string;
  /** A right token, but for what is said otherwise. A claim that is null is left out. */
  token(claims?: Readonly<Record<string, unknown>>, signed?: Signed): Promise<string>;
  publicKey: CryptoKey;
  /** The paths that were asked for. */
  asked: string[];
  /** Answers in the place of the issuer, where it returns true. */
  answer: ((path: string, response: ServerResponse) => boolean) | null;
  /** What GitHub sets in a job with `id-token: write`. */
  job: { ACTIONS_ID_TOKEN_REQUEST_URL: string; ACTIONS_ID_TOKEN_REQUEST_TOKEN: string };
  close(): Promise<void>;
};

export const AUDIENCE = 'https://ledger.example';
export const claims = {
  repository: 'acme/shop',
  ref: 'refs/heads/main',
  run_id: '4711',
  sub: 'repo:acme/shop:ref:refs/heads/main',
};

export async function startIssuer(alg: 'RS256' | 'ES256' | 'EdDSA' = 'RS256'): Promise<Issuer> {
  const own = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', alg, use: 'sig' };
  const { url, close } = await openLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url);
    issuer.asked.push(pathname);
    if (issuer.answer?.(pathname, response) === true) return;
    response.setHeader('content-type', 'application/json');
    if (pathname === '/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/jwks` }));
    else if (pathname === '/jwks') response.end(JSON.stringify({ keys: [jwk] }));
    else if (pathname === '/token' && request.headers.authorization === 'Bearer of-the-job')
      void issuer
        .token({ aud: searchParams.get('audience') })
        .then((value) => response.end(JSON.stringify({ value })));
    else response.writeHead(404).end('{}');
  });
  const issuer: Issuer = {
    url,
    asked: [],
    answer: null,
    publicKey: own.publicKey,
    job: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
    },
    async token(more = {}, { alg: by = alg, kid = 'one', key = own.privateKey } = {}) {
      const now = Math.floor(Date.now() / 1_000);
      const all = { iss: url, aud: AUDIENCE, iat: now, nbf: now, exp: now + 300, ...claims, ...more };
      const left = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
      return new SignJWT(left).setProtectedHeader({ alg: by, kid }).sign(key);
    },
    close,
  };
  return issuer;
}
