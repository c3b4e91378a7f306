import { expect } from 'chai';
import { fail, type ErrorCode } from '../../../src/errors.js';
import { sessionOf } from '../../kit/fake-people.js';
import { pageServer } from '../../kit/page-server.js';

const form = { email: 'ada@example.org', password: 'a long password' };

describe('the sign-in', () => {
  const server = pageServer();
  const refusing = (code: ErrorCode, message: string, retryAfter?: number) =>
    server.people.next('signIn', async () =>
      fail(code, message, retryAfter === undefined ? {} : { retryAfter }),
    );

  it('passes on what was typed, and begins a session that scripts and other sites cannot use', async () => {
    const { status, headers } = await server.post('/sign-in', {
      form: { ...form, next: '/teams/t/team?x=1' },
    });
    expect(status).to.equal(303);
    expect(headers.location).to.equal('/teams/t/team?x=1');
    const cookie = headers['set-cookie']![0]!;
    expect(cookie).to.match(/^testledger=a-session-of-the-owner; /);
    expect(cookie).to.include('HttpOnly').and.include('SameSite=Lax').and.include('Path=/');
    expect(server.people.recorded.map(({ call, args }) => [call, args[0]])).to.deep.equal([
      ['signIn', { ...form, address: '127.0.0.1' }],
    ]);
  });

  it('sets a cookie that outlives the session, which the server ends 14 days after its last use', async () => {
    const { headers } = await server.post('/sign-in', { form });
    expect(Number(/Max-Age=(\d+)/.exec(headers['set-cookie']![0]!)![1])).to.equal(400 * 86_400);
  });

  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example']) {
    it(`leads to the start instead of ${next}, by the form, by the link, and for a person who is signed in`, async () => {
      const sent = await server.post('/sign-in', { form: { ...form, next } });
      expect(sent.headers.location).to.equal('/');
      const path = `/sign-in?next=${encodeURIComponent(next)}`;
      expect((await server.get(path)).text).to.not.include('evil');
      expect((await server.get(path, { as: 'viewer' })).headers.location).to.equal('/');
    });
  }

  it('keeps the page to return to in its form', async () => {
    const led = await server.get('/teams/team_x/team?page=2');
    expect(led.headers.location).to.equal(`/sign-in?next=${encodeURIComponent('/teams/team_x/team?page=2')}`);
    const { text } = await server.get(led.headers.location!);
    expect(text).to.include('name="next" value="/teams/team_x/team?page=2"');
  });

  it('leads back to the page of a form that was sent after the session had ended, and says that nothing was saved', async () => {
    const form = { reason: 'the bank is down' };
    const path = '/teams/team_x/projects/project_1/tests/test_1/known-failure';
    const referer = `${server.url}/teams/team_x/results/result_1?page=2`;
    const led = await server.post(path, { form, headers: { referer } });
    const next = encodeURIComponent('/teams/team_x/results/result_1?page=2');
    expect(led.headers.location).to.equal(`/sign-in?next=${next}&unsent=1`);
    const { text } = await server.get(led.headers.location!);
    expect(text).to.include('nothing of your form was saved');
    for (const other of [undefined, 'https://evil.example/teams/x', 'about:blank']) {
      const { headers } = await server.post(path, { form, headers: { referer: other } });
      expect(headers.location).to.equal('/sign-in?next=%2F&unsent=1');
    }
  });

  it('answers the stream of a page with 401, and without the form, where nobody is signed in', async () => {
    const { status, text } = await server.get('/teams/team_x', { headers: { accept: 'text/event-stream' } });
    expect([status, text]).to.deep.equal([401, '']);
  });

  it('answers a wrong e-mail and a wrong password with the same bytes', async () => {
    refusing('sign_in_failed', 'There is no such account.');
    const unknown = await server.post('/sign-in', { form });
    refusing('sign_in_failed', 'The password is wrong.');
    const wrong = await server.post('/sign-in', { form });
    expect(unknown.status).to.equal(401);
    expect(unknown.text).to.equal(wrong.text).and.include('The e-mail or the password is wrong.');
    const comparable = ({ headers: { 'x-request-id': _, date: __, ...rest } }: typeof wrong) => rest;
    expect(comparable(unknown)).to.deep.equal(comparable(wrong));
    expect(unknown.headers['set-cookie']).to.equal(undefined);
  });

  it('never shows the password again', async () => {
    refusing('sign_in_failed', 'Wrong.');
    const { text } = await server.post('/sign-in', { form });
    expect(text).to.include('value="ada@example.org"').and.not.include('a long password');
  });

  it('says after too many attempts when to try again', async () => {
    refusing('rate_limited', 'Too many.', 42);
    const soon = await server.post('/sign-in', { form });
    expect(soon.status).to.equal(429);
    expect(soon.headers['retry-after']).to.equal('42');
    expect(soon.text).to.include('Try again in 42 seconds.');
    refusing('rate_limited', 'Too many.', 601);
    expect((await server.post('/sign-in', { form })).text).to.include('Try again in 11 minutes.');
  });

  it('ends the session that the browser had before', async () => {
    await server.post('/sign-in', { as: 'viewer', form });
    const { call, args } = server.people.recorded.at(-1)!;
    expect([call, args[0]]).to.deep.equal(['signOut', sessionOf('viewer')]);
  });

  it('takes no token of a session from the request', async () => {
    const { headers } = await server.post('/sign-in?session=chosen-by-somebody-else', {
      form,
      headers: { cookie: 'testledger=chosen-by-somebody-else' },
    });
    expect(headers['set-cookie']![0]).to.match(/^testledger=a-session-of-the-owner;/);
  });

  it('ends at a sign-out: the session and its cookie', async () => {
    const { status, headers } = await server.post('/sign-out', { as: 'member' });
    expect([status, headers.location]).to.deep.equal([303, '/sign-in']);
    expect(headers['set-cookie']![0]).to.match(/^testledger=; .*Max-Age=0/);
    const recorded = server.people.recorded.map(({ call, args }) => [call, args[0]]);
    expect(recorded).to.deep.equal([['signOut', sessionOf('member')]]);
  });

  it('does not end by a link', async () => {
    expect((await server.get('/sign-out', { as: 'member' })).status).to.equal(405);
    expect(server.people.recorded).to.deep.equal([]);
  });
});
