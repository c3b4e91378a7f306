import { expect } from 'chai';
import { openIdentityProvider } from '../../src/people/oidc/identity-provider.js';
import { testLoopback } from '../kit/loopback.js';

const REDIRECT = 'http://127.0.0.1:9/oidc/callback';
const JSON_TYPE = 'application/json';

/** What the token endpoint answers. */
type Answer = { status: number; type: string; body: string };

describe('an answer of the identity provider', () => {
  let answer: (nonce: string) => Answer;
  let notes: string[] = [];
  let nonce = '';
  /** What the user info endpoint answers; null where the provider has none. */
  let info: object | null = null;

  const server = testLoopback((request, response) => {
    const send = ({ status, type, body }: Answer) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.url === '/token') return void send(answer(nonce));
    if (request.url === '/info') return void send(faulty(200, { sub: 'mia-1', ...info }));
    const { url: issuer } = server;
    const facts = {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      ...(info && { userinfo_endpoint: `${issuer}/info` }),
    };
    send({ status: 200, type: JSON_TYPE, body: JSON.stringify(facts) });
  });
  beforeEach(() => {
    notes = [];
    info = null;
  });

  async function signIn(trustEmail = false) {
    const provider = openIdentityProvider(
      {
        issuer: server.url,
        clientId: 'testledger',
        clientSecret: 'a secret',
        scope: 'openid',
        groupsClaim: 'groups',
        trustEmail,
      },
      (line) => notes.push(line),
    );
    const { url, checks } = await provider.begin(REDIRECT);
    nonce = new URL(url).searchParams.get('nonce')!;
    const back = new URL(
      `${REDIRECT}?code=a-code&state=${checks.state}&iss=${encodeURIComponent(server.url)}`,
    );
    return provider.finish(back, checks);
  }

  const codeOf = () =>
    signIn().then(
      () => 'no error',
      (error: { code?: string }) => error.code,
    );
  const faulty = (status: number, body: object): Answer => ({
    status,
    type: JSON_TYPE,
    body: JSON.stringify(body),
  });

  const faults: [string, Answer, string][] = [
    ['a fault of its own', faulty(500, { error: 'server_error' }), 'status 500'],
    [
      'a page',
      { status: 200, type: 'text/html', body: '<h1>Maintenance</h1>' },
      'unexpected response content-type',
    ],
    [
      'a refusal of the client',
      faulty(401, { error: 'invalid_client', error_description: 'Bad secret' }),
      'invalid_client, Bad secret',
    ],
  ];
  for (const [name, given, reason] of faults) {
    it(`that is ${name} is no refusal of the person, and the log has the reason`, async () => {
      answer = () => given;
      expect(await codeOf()).to.equal('identity_provider_unavailable');
      expect(notes.join('\n')).to.include('a sign-in failed').and.include(reason);
    });
  }

  it('that refuses the code is a refusal of the sign-in, and the log has the reason', async () => {
    answer = () => faulty(400, { error: 'invalid_grant' });
    expect(await codeOf()).to.equal('sign_in_failed');
    expect(notes).to.deep.equal(['a sign-in by the identity provider was refused: invalid_grant']);
  });

  it('leaves nothing in the log of what it says of the person', async () => {
    answer = () => tokens({ nonce: 'another', name: 'Mia', email: 'mia@example.org' });
    expect(await codeOf()).to.equal('sign_in_failed');
    expect(notes.join('\n')).to.include('nonce').and.not.match(/mia/i);
  });

  /** The code flow takes an ID token from the provider itself, so its signature is not looked at. */
  function tokens(claims: object): Answer {
    const now = Math.floor(Date.now() / 1_000);
    const all = {
      iss: server.url,
      sub: 'mia-1',
      aud: 'testledger',
      iat: now,
      exp: now + 60,
      nonce,
      ...claims,
    };
    const id_token = [{ alg: 'RS256' }, all]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return faulty(200, {
      access_token: 'a-token',
      token_type: 'Bearer',
      id_token: `${id_token}.c2lnbmF0dXJl`,
    });
  }

  it('may have its claims in the forms of AD FS and Cognito: one group, and a verified e-mail, as texts', async () => {
    answer = () => tokens({ email: 'mia@example.org', email_verified: 'true', groups: 'developers' });
    expect(await signIn())
      .to.include({ email: 'mia@example.org' })
      .and.deep.include({ groups: ['developers'] });
    answer = () =>
      tokens({ email: 'mia@example.org', email_verified: 'false', groups: { developers: true } });
    expect(await signIn())
      .to.include({ email: null })
      .and.deep.include({ groups: [] });
  });

  it('vouches for an e-mail by the document that has it, and by no other one', async () => {
    const [own, others] = ['mallory@evil.example', 'olga@example.org'];
    const mixtures: [token: object, info: object, email: string | null][] = [
      [{ email: own, email_verified: true }, { email: others }, own],
      [{ email: own }, { email: others, email_verified: true }, null],
      [{ email_verified: true }, { email: others }, null],
      [{}, { email: others, email_verified: true }, others],
      [{ email: own, email_verified: false }, { email: others, email_verified: true }, null],
      [{ email: own, email_verified: true }, {}, own],
    ];
    for (const [token, given, email] of mixtures) {
      info = given;
      answer = () => tokens(token);
      expect((await signIn()).email, JSON.stringify([token, given])).to.equal(email);
    }
    [info, answer] = [{ email: others }, () => tokens({ email: own, email_verified: true })];
    expect((await signIn(true)).email).to.equal(own);
  });

  it('with an empty name gives the person another one', async () => {
    answer = () => tokens({ name: ' ', preferred_username: 'mia7' });
    expect((await signIn()).name).to.equal('mia7');
  });
});
