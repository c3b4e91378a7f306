import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { embeddedStores } from '../stores.js';
import { accountOf, context, credentialsOf, givenMember, givenOwner, openNode } from './given.js';

const mia = credentialsOf('Mia');
const next = { name: 'Mia Meyer', email: 'mia.meyer@example.org' };

/** The fields that a change was refused for. */
async function fieldsOf(work: Promise<unknown>): Promise<string[]> {
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (!isAppError(error, 'validation_failed')) return expect.fail(String(error));
  return error.fields.map(({ pointer }) => pointer);
}

describe('the account that a person changes', () => {
  const stores = embeddedStores('each test');

  async function given() {
    const owner = await givenOwner(stores);
    const { token, acting } = await givenMember(owner.people, owner.olga, 'Mia', 'member');
    return { ...owner, token, acting, person: acting.person_id };
  }

  it('has the new name and e-mail at once, on every node, and signs in by the new e-mail alone', async () => {
    const { people, token, person } = await given();
    const { people: other } = await openNode(stores);
    await people.changeProfile(person, { name: ' Mia Meyer ', email: next.email }, mia.password);
    for (const node of [people, other]) {
      expect(await node.session(token)).to.include(next);
      expect(await node.nameOf(person)).to.equal(next.name);
      expect((await node.members(OPERATOR_TEAM)).map(({ email }) => email)).to.include(next.email);
      await node.signIn({ ...mia, email: next.email.toUpperCase() });
      await refusal(node.signIn(mia), 'sign_in_failed');
    }
  });

  it('frees the former e-mail for another person, and takes none that somebody has', async () => {
    const { people, olga, person } = await given();
    expect(
      await fieldsOf(people.changeProfile(person, { ...next, email: 'OLGA@example.org' }, mia.password)),
    ).to.deep.equal(['/email']);
    await people.signIn(mia);
    await people.changeProfile(person, next, mia.password);
    const second = await givenMember(people, olga, 'Mia', 'viewer');
    expect(second.acting.person_id).not.to.equal(person);
    await people.signIn({ ...mia, email: next.email });
  });

  it('changes nothing, and does not end, without the present password', async () => {
    const { people, token, person } = await given();
    expect(await fieldsOf(people.changeProfile(person, next, 'a wrong password'))).to.deep.equal([
      '/current_password',
    ]);
    const passwords = { current: 'a wrong password', next: 'quite another password' };
    expect(await fieldsOf(people.changePassword(person, passwords))).to.deep.equal(['/current_password']);
    const wrong = people.confirm(token, person, 'a wrong password');
    expect(await fieldsOf(wrong)).to.deep.equal(['/current_password']);
    expect(await people.session(token)).to.include({ name: 'Mia', email: mia.email });
    await people.signIn(mia);
  });

  it('stops a guesser of the present password, as the sign-in does', async () => {
    const { people, person } = await given();
    const guess = () =>
      people.changeProfile(person, next, 'a wrong password').catch((error: unknown) => error);
    for (let n = 0; n < 100; n += 1) if (isAppError(await guess(), 'rate_limited')) return;
    expect.fail('100 guesses were taken');
  });

  it('says of at most 10 e-mails a day whether somebody has them', async () => {
    const { people, person } = await given();
    const wanted = { ...next, email: 'olga@example.org' };
    for (let n = 0; n < 10; n += 1)
      expect(await fieldsOf(people.changeProfile(person, wanted, mia.password))).to.deep.equal(['/email']);
    await refusal(people.changeProfile(person, wanted, mia.password), 'rate_limited');
    // The name is not counted.
    await people.changeProfile(person, { name: 'Mia Meyer', email: mia.email }, mia.password);
  });

  it('takes no name, e-mail or password that a new account would not take', async () => {
    const { people, person } = await given();
    const wrong = people.changeProfile(person, { name: '', email: 'nobody' }, mia.password);
    expect(await fieldsOf(wrong)).to.deep.equal(['/name', '/email']);
    const passwords = { current: mia.password, next: 'short' };
    expect(await fieldsOf(people.changePassword(person, passwords))).to.deep.equal(['/password']);
  });

  it('ends all sessions with a new password, but for the one that it begins', async () => {
    const { people, token, person } = await given();
    const { token: second } = await people.signIn(mia);
    const passwords = { current: mia.password, next: 'quite another password' };
    const { token: fresh } = await people.changePassword(person, passwords);
    for (const ended of [token, second]) expect(await people.session(ended)).to.equal(null);
    expect(await people.session(fresh)).to.include({ name: 'Mia' });
    await refusal(people.signIn(mia), 'sign_in_failed');
    await people.signIn({ ...mia, password: passwords.next });
  });

  it('takes one of several new passwords that are set at once', async () => {
    const { people, person } = await given();
    const changes = [0, 1, 2, 3].map((n) =>
      people.changePassword(person, { current: mia.password, next: `quite another password ${n}` }),
    );
    const done = await Promise.allSettled(changes);
    expect(done.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
  });

  it('ends, and leaves nobody to sign in', async () => {
    const { people, token, acting } = await given();
    await people.forget(acting, acting.person_id);
    expect(await people.session(token)).to.equal(null);
    await refusal(people.signIn(mia), 'sign_in_failed');
  });

  it('takes a forgotten person with the former and the new e-mail', async () => {
    const { people, olga, person } = await given();
    await people.changeProfile(person, next, mia.password);
    await people.forget(olga, person);
    expect(await stores.state.list('email', { limit: 10 })).to.have.length(1);
    const { token } = await people.invite(olga, 'member');
    await people.acceptInvitation(token, { ...accountOf('Mia'), email: next.email }, context);
  });
});
