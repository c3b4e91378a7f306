import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { fail, invalid } from '../../../src/errors.js';
import { OTHER_TEAM } from '../../kit/fake-people.js';
import { pageServer } from '../../kit/page-server.js';

const account = { name: 'Ada', email: 'ada@example.org', password: 'a long password' };
const gone = async () => fail('link_not_valid', 'The link is not valid.');

describe('a link to a person', () => {
  const server = pageServer();

  it('of the first start makes the owner, and leads to the API keys', async () => {
    expect((await server.get('/first-start/abc')).text).to.include('Become the owner');
    const { status, headers } = await server.post('/first-start/abc', { form: account });
    expect([status, headers.location]).to.deep.equal([303, `/teams/${OPERATOR_TEAM}/team/keys`]);
    expect(headers['set-cookie']![0]).to.match(/^testledger=a-session-of-the-owner;/);
    const [{ call, args }] = server.people.recorded as [{ call: string; args: unknown[] }];
    expect(call).to.equal('acceptFirstStart');
    expect(args.slice(0, 2)).to.deep.equal(['abc', account]);
  });

  it('of the first start makes the person the owner who is signed in, and asks for no password', async () => {
    const { text } = await server.get('/first-start/abc', { as: 'viewer' });
    expect(text).to.include('Become the owner as The viewer').and.not.include('name="password"');
    await server.post('/first-start/abc', { as: 'viewer', form: {} });
    const [accept, signOut] = server.people.recorded;
    expect(accept?.args.slice(0, 2)).to.deep.equal(['abc', { person_id: 'person_viewer' }]);
    expect(signOut?.call).to.equal('signOut');
  });

  it('of an invitation shows the team and the role, and takes a new account', async () => {
    const { text } = await server.get('/invitations/abc');
    expect(text).to.include('Join Another team').and.include('<strong>member</strong>');
    expect(text).to.include(`/sign-in?next=${encodeURIComponent('/invitations/abc')}`);
    const { headers } = await server.post('/invitations/abc', { form: account });
    expect(headers.location).to.equal(`/teams/${OPERATOR_TEAM}`);
    expect(headers['set-cookie']![0]).to.match(/^testledger=a-session-of-the-member;/);
    expect(server.people.recorded[0]!.args.slice(0, 2)).to.deep.equal(['abc', account]);
  });

  it('of an invitation adds a person who is signed in, whatever else the form says', async () => {
    const { text } = await server.get('/invitations/abc', { as: 'viewer' });
    expect(text).to.include('Join as The viewer').and.not.include('name="password"');
    server.people.next('acceptInvitation', async () => ({ token: null, team_id: OTHER_TEAM }));
    const { headers } = await server.post('/invitations/abc', { as: 'viewer', form: account });
    expect(headers.location).to.equal(`/teams/${OTHER_TEAM}`);
    expect(headers['set-cookie']).to.equal(undefined);
    expect(server.people.recorded[0]!.args.slice(0, 2)).to.deep.equal([
      'abc',
      { person_id: 'person_viewer' },
    ]);
  });

  it('of an invitation leads a person to a team that they are in', async () => {
    const { text } = await server.get('/invitations/abc', { as: 'owner' });
    expect(text).to.include('You are in this team already').and.not.include('Join as');
  });

  it('for a new password sets it and signs in', async () => {
    expect((await server.get('/reset/abc')).text).to.include('Choose a new password');
    const { headers } = await server.post('/reset/abc', { form: { password: 'another password' } });
    expect(headers.location).to.equal('/');
    expect(headers['set-cookie']![0]).to.match(/^testledger=a-session-of-the-member;/);
    expect(server.people.recorded.map(({ call, args }) => [call, ...args.slice(0, 2)])).to.deep.equal([
      ['resetPassword', 'abc', 'another password'],
    ]);
  });

  const links = [
    {
      path: '/first-start/abc',
      look: 'firstStartIsOpen',
      act: 'acceptFirstStart',
      closed: async () => false,
    },
    { path: '/invitations/abc', look: 'invitation', act: 'acceptInvitation', closed: async () => null },
    { path: '/reset/abc', look: 'resetIsOpen', act: 'resetPassword', closed: async () => false },
  ] as const;
  for (const { path, look, act, closed } of links) {
    it(`${path} that is expired or used is 404 without a form, whenever it ends`, async () => {
      server.people.next(look, closed);
      const before = await server.get(path);
      expect(before.status).to.equal(404);
      expect(before.text).to.include('This link does not work').and.not.include('<form');
      server.people.next(act, gone);
      const meanwhile = await server.post(path, { form: account });
      expect(meanwhile.status).to.equal(404);
      expect(meanwhile.headers['set-cookie']).to.equal(undefined);
    });

    it(`${path} changes nothing when it is opened`, async () => {
      await server.get(path);
      expect(server.people.recorded).to.deep.equal([]);
    });

    it(`${path} shows what is wrong beside its field, and not the password`, async () => {
      server.people.next(act, async () =>
        invalid('/password', 'too_short', 'must have at least 12 characters'),
      );
      const { status, text } = await server.post(path, { form: account });
      expect(status).to.equal(400);
      expect(text).to.include('It must have at least 12 characters.').and.not.include(account.password);
    });

    it(`${path} leaves no token in the log of the server`, async () => {
      const secret = 'a-token-that-lets-its-holder-in';
      const secretPath = path.replace('abc', secret);
      await server.get(secretPath);
      await server.post(secretPath, { form: account });
      expect(server.lines.join('')).to.include(path.replace('abc', '…')).and.not.include(secret);
    });
  }
});
