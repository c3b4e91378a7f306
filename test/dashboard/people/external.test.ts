import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { fail } from '../../../src/errors.js';
import type { ExternalSignIn } from '../../../src/people/people.js';
import { sessionOf } from '../../kit/fake-people.js';
import { pageServer } from '../../kit/page-server.js';

type Done = Awaited<ReturnType<ExternalSignIn['finish']>>;

const PROOF = 'a-proof-of-a-sign-in';
const COOKIE = 'a-cookie-of-a-sign-in';

describe('the sign-in by an identity provider', () => {
  const server = pageServer();
  let calls: unknown[] = [];
  let next = '/teams/t';
  const done = (): Done => ({ token: sessionOf('member'), next });
  let finish = async () => done();
  beforeEach(() => {
    calls = [];
    next = '/teams/t';
    finish = async () => done();
    server.people.external = {
      name: 'Example Login',
      async begin(redirectUri, next, invitation) {
        calls.push(['begin', redirectUri, next, ...(invitation === null ? [] : [invitation])]);
        return { url: 'https://login.example/authorize?state=1', cookie: COOKIE };
      },
      async finish(url, cookie) {
        calls.push(['finish', url.href, cookie]);
        return finish();
      },
      proven: (invitation, proof) =>
        proof === PROOF && invitation === 'abc' ? { name: 'Mia', email: 'mia@example.org' } : null,
      async join(invitation, proof) {
        calls.push(['join', invitation, proof]);
        if (proof !== PROOF) fail('sign_in_failed', 'Your sign-in has ended. Begin again.');
        return { token: sessionOf('member'), team_id: OPERATOR_TEAM };
      },
    };
  });
  const back = (cookie = `testledger-sign-in=${COOKIE}`) =>
    server.get('/oidc/callback?code=c&state=1', { headers: { cookie } });

  it('is offered on the page of the sign-in, and leads to the provider', async () => {
    const { text } = await server.get('/sign-in?next=/teams/t');
    expect(text).to.include('Sign in with Example Login').and.include('href="/oidc/begin?next=%2Fteams%2Ft"');
    const { status, headers } = await server.get('/oidc/begin?next=%2Fteams%2Ft');
    expect([status, headers.location]).to.deep.equal([303, 'https://login.example/authorize?state=1']);
    expect(headers['set-cookie']).to.have.length(1);
    expect(headers['set-cookie']![0]).to.match(/^testledger-sign-in=a-cookie.*; HttpOnly; SameSite=Lax/);
    expect(calls).to.deep.equal([['begin', `${server.url}/oidc/callback`, '/teams/t']]);
  });

  it('returns to no other host', async () => {
    await server.get(`/oidc/begin?next=${encodeURIComponent('//evil.example')}`);
    expect(calls).to.deep.equal([['begin', `${server.url}/oidc/callback`, '/']]);
    next = '//evil.example';
    expect((await back()).headers.location).to.equal('/');
  });

  it('begins a session when the browser comes back, and removes its cookie', async () => {
    const { status, headers } = await back();
    expect([status, headers.location]).to.deep.equal([303, '/teams/t']);
    const [removed, session] = headers['set-cookie']!;
    expect(removed).to.match(/^testledger-sign-in=;.*Max-Age=0/);
    expect(session).to.match(/^testledger=a-session-of-the-member;/);
    expect(calls).to.deep.equal([['finish', `${server.url}/oidc/callback?code=c&state=1`, COOKIE]]);
  });

  it('ends the session that the browser had before', async () => {
    await back(`testledger-sign-in=${COOKIE}; testledger=${sessionOf('viewer')}`);
    const recorded = server.people.recorded.map(({ call, args }) => [call, args[0]]);
    expect(recorded).to.deep.equal([['signOut', sessionOf('viewer')]]);
  });

  it('of another browser is refused', async () => {
    const { status, text, headers } = await back('');
    expect(status).to.equal(400);
    expect(text).to.include('Begin again.');
    expect(headers['set-cookie']!.join()).to.not.include('a-session');
    expect(calls).to.deep.equal([]);
  });

  it('says why it failed', async () => {
    finish = async () => fail('sign_in_failed', 'You are in no team. Ask an admin to invite you.');
    const { status, text } = await back();
    expect(status).to.equal(401);
    expect(text).to.include('You are in no team. Ask an admin to invite you.');
  });

  it('is offered on the page of an invitation, and knows which one the person wants to use', async () => {
    const path = `/invitations/${'t'.repeat(43)}`;
    const { text } = await server.get(path);
    expect(text).to.include('Sign in with Example Login to join').and.include('may have no password');
    expect(text).to.include(`href="/oidc/begin?next=${encodeURIComponent(path)}"`);
    await server.get(`/oidc/begin?next=${encodeURIComponent(path)}`);
    expect(calls).to.deep.equal([['begin', `${server.url}/oidc/callback`, path, 't'.repeat(43)]]);
  });

  it('alone is offered on the page of an invitation for one e-mail, since it proves the e-mail', async () => {
    const invitation = {
      team_id: OPERATOR_TEAM,
      team_name: 'A team',
      role: 'owner',
      isForOne: true,
    } as const;
    server.people.next('invitation', async () => ({ ...invitation, expires_at: '2026-12-01T00:00:00.000Z' }));
    const { text } = await server.get(`/invitations/${'t'.repeat(43)}`);
    expect(text).to.include('Sign in with Example Login to join').and.not.include('name="password"');
  });

  it('asks a person without a team whether they want to join by their invitation, and then joins', async () => {
    next = '/invitations/abc';
    finish = async () => ({ proof: PROOF, next });
    const { headers } = await back();
    expect(headers.location).to.equal('/invitations/abc');
    const set = headers['set-cookie']!.join('\n');
    expect(set).to.match(/^testledger-sign-in=a-proof-of-a-sign-in;.*HttpOnly; SameSite=Lax/m);
    expect(set).to.match(/^testledger=;.*Max-Age=0/m);
    const cookie = `testledger-sign-in=${PROOF}`;
    const { text } = await server.get('/invitations/abc', { headers: { cookie } });
    expect(text).to.include('Example Login says that you are mia@example.org').and.include('Join as Mia');
    expect(text).to.not.include('name="password"');
    calls = [];
    const joined = await server.post('/invitations/abc', { headers: { cookie }, form: { proven: 'yes' } });
    expect([joined.status, joined.headers.location]).to.deep.equal([303, `/teams/${OPERATOR_TEAM}`]);
    expect(joined.headers['set-cookie']!.join('\n'))
      .to.match(/^testledger=a-session-of-the-member;/m)
      .and.match(/^testledger-sign-in=;.*Max-Age=0/m);
    expect(calls).to.deep.equal([['join', 'abc', PROOF]]);
  });

  it('has to be repeated when the person answers too late, or in another browser', async () => {
    for (const headers of [{}, { cookie: `testledger-sign-in=${'x'.repeat(20)}` }]) {
      const { status, text } = await server.post('/invitations/abc', { headers, form: { proven: 'yes' } });
      expect(status).to.equal(401);
      expect(text).to.include('Your sign-in has ended. Begin again.');
      expect(text).to.include('Sign in with Example Login to join').and.not.include('Join as');
    }
    expect(server.people.recorded).to.deep.equal([]);
  });

  it('does not exist on a server without a provider', async () => {
    server.people.external = null;
    expect((await server.get('/sign-in')).text).to.not.include('/oidc/begin');
    expect((await server.get('/oidc/begin')).status).to.equal(404);
    expect((await back()).status).to.equal(404);
  });
});
