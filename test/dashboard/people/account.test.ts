import { expect } from 'chai';
import { fail, invalidFields } from '../../../src/errors.js';
import { personOf, sessionOf } from '../../kit/fake-people.js';
import { actionsOf, pageServer } from '../../kit/page-server.js';

const profile = { name: 'The viewer', email: 'new@example.org', current_password: 'a long password' };

describe("the page of one's own account", () => {
  const server = pageServer();

  it('leads a stranger to the sign-in, and changes nothing', async () => {
    for (const path of ['/account', '/account/password', '/account/delete']) {
      const sent = await server.post(path, { form: profile });
      expect([303, 403], path).to.include(sent.status);
    }
    const { headers } = await server.get('/account');
    expect(headers.location).to.equal('/sign-in?next=%2Faccount');
    expect(server.people.recorded).to.deep.equal([]);
  });

  it('shows a person of every role their name, e-mail and teams, and is one click away', async () => {
    for (const role of ['viewer', 'member', 'admin', 'owner'] as const) {
      const page = await server.get('/account', { as: role });
      expect(page.text).to.include(`value="${role}@example.org"`).and.include('The operator');
      expect(actionsOf(page).filter((action) => action.startsWith('/account'))).to.deep.equal([
        '/account',
        '/account/password',
        '/account/delete',
      ]);
    }
    expect((await server.get('/teams/team_operator/team', { as: 'viewer' })).text).to.include(
      'href="/account"',
    );
  });

  it('passes on what was typed, for the person of the session', async () => {
    const changed = await server.post('/account', { as: 'viewer', form: profile });
    expect(changed.headers.location).to.equal('/account');
    const form = { current_password: 'a long password', password: 'another long password' };
    const password = await server.post('/account/password', { as: 'viewer', form });
    expect(password.headers['set-cookie']![0]).to.match(new RegExp(`^testledger=${sessionOf('member')}; `));
    const deleted = await server.post('/account/delete', { as: 'viewer', form });
    expect(deleted.headers.location).to.equal('/sign-in');
    const { person_id } = personOf('viewer');
    expect(
      server.people.recorded.map(({ call, args }) => [
        call,
        ...args.slice(call === 'changeProfile' ? 1 : 0, call === 'changeProfile' ? 3 : 2),
      ]),
    ).to.deep.equal([
      ['changeProfile', { name: profile.name, email: profile.email }, profile.current_password],
      ['changePassword', person_id, { current: form.current_password, next: form.password }],
      ['forget', server.people.recorded[2]!.args[0], person_id],
    ]);
    expect(server.people.recorded[2]!.args[0]).to.include({ person_id });
  });

  it('shows at its field what is wrong, keeps what was typed, and never shows a password', async () => {
    server.people.next('changeProfile', async () =>
      invalidFields([{ pointer: '/current_password', code: 'not_valid', detail: 'must be your password' }]),
    );
    const { status, text } = await server.post('/account', { as: 'viewer', form: profile });
    expect(status).to.equal(400);
    expect(text).to.include('It must be your password.').and.include('value="new@example.org"');
    expect(text).to.not.include('a long password');
  });

  it('says after too many attempts when to try again, and that the last owner stays', async () => {
    server.people.next('changePassword', async () => fail('rate_limited', 'Too many.', { retryAfter: 9 }));
    const limited = await server.post('/account/password', { as: 'viewer', form: {} });
    expect([limited.status, limited.headers['retry-after']]).to.deep.equal([429, '9']);
    server.people.next('forget', async () => fail('last_owner', 'You are the last owner.'));
    const last = await server.post('/account/delete', { as: 'owner', form: {} });
    expect(last.status).to.equal(409);
    expect(last.text).to.include('You are the last owner.');
  });

  it('asks nobody for a password that they do not have', async () => {
    server.people.next('hasPassword', async () => false);
    const { text } = await server.get('/account', { as: 'viewer' });
    expect(text).to.include('You have none').and.not.include('Current password');
  });
});
