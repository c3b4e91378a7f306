/** Sign-in by an identity provider: OpenID Connect 1.0 Core, the code flow with PKCE, state and nonce. */
import * as client from 'openid-client';
import { coalesce } from '../../concurrency/coalesce.js';
import { fail } from '../../errors.js';

/** How the operator has set up the provider. */
export type ProviderConfig = {
  /** The URL of the issuer: its configuration is at `<issuer>/.well-known/openid-configuration`. */
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  /** What the sign-in asks for; `openid` is among them. */
  scope: string;
  /** The claim with the person's groups. */
  groupsClaim: string;
  /** Takes an e-mail for verified where the provider does not say: only where its admins set every e-mail. */
  trustEmail: boolean;
};

/** What the provider says of a person. */
export type Identity = {
  issuer: string;
  /** The provider's own id of the person, which never changes. */
  subject: string;
  name: string;
  /** Null where the provider does not vouch for it. */
  email: string | null;
  groups: readonly string[];
  /** The provider has just asked the person, as it was told to. */
  isProven: boolean;
};

/** What must come back with the answer of the provider. */
export type Checks = { state: string; nonce: string; verifier: string; isAnew: boolean };

export type IdentityProvider = {
  /** Where the browser goes. `isAnew`: the provider asks the person again, and must say so. @throws AppError `identity_provider_unavailable` */
  begin(redirectUri: string, isAnew?: boolean): Promise<{ url: string; checks: Checks }>;
  /** `url`: with which the browser came back. @throws AppError `sign_in_failed`, `identity_provider_unavailable` */
  finish(url: URL, checks: Checks): Promise<Identity>;
};

const CALL_S = 10;
/** The time between the question of the provider and its answer. */
const ANEW_S = 300;

/** The answers of a provider that is away or set up in another way: a person who begins again gets the same. */
const FAULTS: readonly (string | undefined)[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
];

/** `note` gets why a sign-in has failed, for the operator: a line without any data of the person. */
export function openIdentityProvider(
  config: ProviderConfig,
  note: (line: string) => void = () => undefined,
): IdentityProvider {
  const unavailable = (cause: unknown): never => {
    note(`a sign-in failed, because the identity provider does not answer as it should: ${reason(cause)}`);
    return fail('identity_provider_unavailable', 'The identity provider does not answer as it should.', {
      cause,
      retryAfter: 10,
    });
  };
  let found: client.Configuration | null = null;
  // Not at the start: the server must start while the provider is away.
  const discover = coalesce(async () => {
    const { issuer, clientId, clientSecret } = config;
    const url = new URL(issuer);
    found ??= await client
      .discovery(url, clientId, clientSecret ?? undefined, undefined, {
        timeout: CALL_S,
        // The configuration allows http for a provider on this machine only.
        ...(url.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
      })
      .catch(unavailable);
    return found;
  });

  return {
    async begin(redirectUri, isAnew = false) {
      const server = await discover();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        isAnew,
      };
      const url = client.buildAuthorizationUrl(server, {
        redirect_uri: redirectUri,
        scope: config.scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        ...(isAnew && { prompt: 'login', max_age: '0' }),
      });
      return { url: url.href, checks };
    },

    async finish(url, { state, nonce, verifier, isAnew }) {
      const server = await discover();
      try {
        const tokens = await client.authorizationCodeGrant(server, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(isAnew && { maxAge: ANEW_S }),
        });
        const claims = tokens.claims()!;
        // Many providers put groups and e-mail into the user info only.
        const hasUserInfo = server.serverMetadata().userinfo_endpoint !== undefined;
        const info = hasUserInfo
          ? await client.fetchUserInfo(server, tokens.access_token, claims.sub)
          : { sub: claims.sub };
        return { ...identityOf([claims, info], claims.iss, config), isProven: isAnew };
      } catch (error) {
        if (isRefusal(error)) {
          note(`a sign-in by the identity provider was refused: ${reason(error)}`);
          fail('sign_in_failed', 'The identity provider did not confirm the sign-in. Begin again.', {
            cause: error,
          });
        }
        return unavailable(error);
      }
    },
  };
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * `documents`: the ID token, then the user info. An e-mail counts only if the provider says that it has verified it: else
 * anybody could enter another's. The word of one document does not vouch for the e-mail of the other one, which a person
 * may be able to edit.
 */
function identityOf(
  documents: readonly Claims[],
  issuer: string,
  { groupsClaim, trustEmail }: ProviderConfig,
): Omit<Identity, 'isProven'> {
  const textIn = (claims: Claims | undefined, name: string) => {
    const value = claims?.[name];
    return typeof value === 'string' && value.trim() !== '' ? value : null;
  };
  const first = (name: string) => documents.find((claims) => claims[name] != null);
  const text = (name: string) => textIn(first(name), name);
  const vouching = first('email');
  // Amazon Cognito writes it as a text.
  const isVerified = vouching?.['email_verified'] ?? trustEmail;
  const email = isVerified === true || isVerified === 'true' ? textIn(vouching, 'email') : null;
  // AD FS writes one group as a text.
  const groups = [first(groupsClaim)?.[groupsClaim] ?? []].flat();
  return {
    issuer,
    subject: text('sub') ?? '',
    name: text('name') ?? text('preferred_username') ?? email?.replace(/@.*/, '') ?? 'unnamed',
    email,
    groups: groups.filter((each) => typeof each === 'string'),
  };
}

/** The provider or the browser brought an answer that does not hold; trying the same again does not help. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof client.AuthorizationResponseError ||
    (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') ||
    (error instanceof client.ClientError && !FAULTS.includes(error.code))
  );
}

const MOST_REASON = 300;

/** Only texts of protocols: other parts of an error may hold tokens, or what the provider says of the person. */
function reason(error: unknown): string {
  const texts =
    error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError
      ? [error.error, error.error_description]
      : error instanceof Error
        ? [error.message, (error as { code?: string }).code, causeOf(error)]
        : [];
  return texts
    .filter((text) => typeof text === 'string' && text !== '')
    .join(', ')
    .slice(0, MOST_REASON);
}

function causeOf({ cause }: Error): string {
  if (cause instanceof Response) return `status ${cause.status}`;
  return cause instanceof Error ? cause.message : '';
}
