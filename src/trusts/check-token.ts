/** Checks the token of a build against the trusts of a project: its signature, its times, its audience and its claims. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { wrongClaim, type TrustRecord } from '../domain/teams/trust.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import { IssuerFault, type IssuerKeys } from './issuer-keys.js';

export type Checked = { trust: TrustRecord; claims: JWTPayload };

/** Signatures with a public key. With a shared secret (HS256), anybody could sign with the key that the issuer publishes. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LEEWAY_S = 60;

/** `team`: whose project has the trusts. @throws AppError `invalid_token`, whose detail names the check and no expected value */
export async function checkToken(
  token: string,
  trusts: readonly TrustRecord[],
  { keys, team, now }: { keys: IssuerKeys; team: string; now: Date },
): Promise<Checked> {
  if (token.length > limits.ciTokenLength) refuse(`token: has more than ${limits.ciTokenLength} characters`);
  const { alg, iss } = unverified(token);
  if (!ALGORITHMS.includes(String(alg))) refuse(`alg: must be one of ${ALGORITHMS.join(', ')}`);
  // Before anything is fetched: a stranger must not make the server connect to a place of theirs.
  const ofIssuer = trusts.filter(({ issuer }) => issuer === iss);
  if (ofIssuer.length === 0) noTrust();
  const claims = await verified(token, String(iss), { keys, team, now });
  if (Number(claims.iat) > now.getTime() / 1_000 + LEEWAY_S) refuse('iat: the token was made in the future');
  const audiences = [claims.aud ?? []].flat();
  const forUs = ofIssuer.filter(({ audience }) => audiences.includes(audience));
  if (forUs.length === 0) refuse('aud: no trust of this project has an audience of the token');
  let wrong = '';
  for (const trust of forUs) {
    const name = wrongClaim(trust, claims);
    if (name === null) return { trust, claims };
    wrong = name;
  }
  return refuse(`${wrong}: the claim is not as the trust says`);
}

/** The same for a project that does not exist: strangers learn nothing of projects. */
function noTrust(): never {
  return refuse('iss: this project has no trust in the issuer of the token');
}

function unverified(token: string): { alg: unknown; iss: unknown } {
  try {
    return { alg: decodeProtectedHeader(token).alg, iss: decodeJwt(token).iss };
  } catch {
    return refuse('token: is not a JWT');
  }
}

type Around = { keys: IssuerKeys; team: string; now: Date };

async function verified(token: string, issuer: string, { keys, team, now }: Around): Promise<JWTPayload> {
  const by = (key: JWTVerifyGetKey) =>
    jwtVerify(token, key, {
      algorithms: ALGORITHMS,
      issuer,
      clockTolerance: LEEWAY_S,
      currentDate: now,
      requiredClaims: ['exp', 'iat'],
    });
  try {
    try {
      return (await by(await keys.of(issuer, team))).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have a new key since.
      return (await by(await keys.newest(issuer, team))).payload;
    }
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

/** Never the text of an error, which may have a value of the token in it. */
function reasonOf(error: unknown): string {
  if (error instanceof IssuerFault) return 'jwks: the keys of the issuer could not be read';
  if (error instanceof errors.JWTExpired) return 'exp: the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.reason === 'missing' ? `${error.claim}: is missing` : `${error.claim}: is not valid`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'kid: the issuer has no such key';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'kid: is missing, and the issuer has several keys';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature: is not that of the issuer';
  return 'token: is not valid';
}

function refuse(detail: string): never {
  return fail('invalid_token', detail);
}
