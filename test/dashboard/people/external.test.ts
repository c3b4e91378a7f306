import { expect } from 'chai';
import { fail } from '../../../src/errors.js';
import { sessionOf } from '../fake-people.js';
import { pageServer } from '../page-server.js';

const COOKIE = 'a-cookie-of-a-sign-in';

describe('the sign-in by an identity provider', () => {
  const server = pageServer();
  let calls: unknown[] = [];
  let next = '/teams/t';
  let finish = async () => ({ token: sessionOf('member'), next });
  beforeEach(() => {
    calls = [];
    next = '/teams/t';
    finish = async () => ({ token: sessionOf('member'), next });
    server.people.external = {
      name: 'Example Login',
      async begin(redirectUri, next) {
        calls.push(['begin', redirectUri, next]);
        return { url: 'https://login.example/authorize?state=1', cookie: COOKIE };
      },
      async finish(url, cookie) {
        calls.push(['finish', url.href, cookie]);
        return finish();
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
    expect(server.people.recorded).to.deep.equal([{ call: 'signOut', args: [sessionOf('viewer')] }]);
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

  it('does not exist on a server without a provider', async () => {
    server.people.external = null;
    expect((await server.get('/sign-in')).text).to.not.include('/oidc/begin');
    expect((await server.get('/oidc/begin')).status).to.equal(404);
    expect((await back()).status).to.equal(404);
  });
});
