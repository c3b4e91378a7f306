import { expect } from 'chai';
import { openSessions } from '../../src/people/sessions.js';
import { clientOf } from '../../src/people/client.js';
import { embeddedStores } from '../stores.js';
import { credentialsOf, givenMember, givenOwner, openNode } from './given.js';

const DAY = 86_400_000;
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

describe('the sessions of a person', () => {
  const stores = embeddedStores('each test');

  it('are listed with where and when they began, and end one by one or all others at once, on every node', async () => {
    const { people, token, olga } = await givenOwner(stores);
    const { people: other } = await openNode(stores);
    await givenMember(people, olga, 'Mia', 'member');
    const visit = { correlationId: 'request', client: clientOf('192.0.2.77', chrome) };
    const second = (await people.signIn(credentialsOf('Olga'), visit)).token;
    const third = (await people.signIn(credentialsOf('Olga'))).token;
    const listed = await other.sessions(olga.person_id, second);
    expect(listed).to.have.length(3);
    expect(listed.find(({ isThis }) => isThis)!.client).to.deep.equal({
      network: '192.0.2.0/24',
      agent: 'Chrome on Linux',
    });
    const id = (await people.sessions(olga.person_id, third)).find(({ isThis }) => isThis)!.id;
    await other.endSession(olga.person_id, id);
    expect(await people.session(third)).to.equal(null);
    await other.endOtherSessions(olga.person_id, second);
    expect(await people.session(token)).to.equal(null);
    expect(await people.session(second)).not.to.equal(null);
  });

  it('are not ended by another person, though they know the id', async () => {
    const { people, token, olga } = await givenOwner(stores);
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'member');
    const [{ id } = { id: '' }] = await people.sessions(olga.person_id, token);
    await people.endSession(mia.person_id, id);
    expect(await people.session(token)).not.to.equal(null);
  });

  it('are at most 20: a further one ends the one that was used longest ago', async () => {
    const { people, token, olga } = await givenOwner(stores);
    for (let n = 0; n < 20; n += 1) {
      stores.clock.forward(1);
      await people.signIn(credentialsOf('Olga'));
    }
    expect(await people.sessions(olga.person_id, token)).to.have.length(20);
    expect(await people.session(token)).to.equal(null);
  });

  it('end a month after the sign-in by a password and half a day after one by the provider, however often used', async () => {
    const { people, token, olga, directory } = await givenOwner(stores);
    for (let day = 0; day < 30; day += 1) {
      expect(await people.session(token), `day ${day}`).not.to.equal(null);
      stores.clock.forward(DAY);
    }
    expect(await people.session(token)).to.equal(null);
    const max = { password: DAY, provider: DAY / 2 };
    const sessions = openSessions({ state: stores.state, directory, clock: stores.clock, max });
    const account = { person_id: olga.person_id, epoch: 0, profile: '', email: '', password: null };
    const external = await sessions.begin(account, { by: 'provider', isProven: false });
    stores.clock.forward(DAY / 2 - 1);
    expect(await people.session(external)).not.to.equal(null);
    stores.clock.forward(1);
    expect(await people.session(external)).to.equal(null);
  });

  it('prove for ten minutes after a password that it is their person, and not after another session of theirs', async () => {
    const { people, token, olga } = await givenOwner(stores);
    const isProven = async (of: string) => (await people.session(of))?.isProven;
    expect(await isProven(token)).to.equal(true);
    stores.clock.forward(600_000);
    const { token: second } = await people.signIn(credentialsOf('Olga'));
    expect([await isProven(token), await isProven(second)]).to.deep.equal([false, true]);
    await people.confirm(token, olga.person_id, credentialsOf('Olga').password);
    expect(await isProven(token)).to.equal(true);
  });

  it('end with the removal of the person from one of their teams', async () => {
    const { people, olga } = await givenOwner(stores);
    const { token, acting } = await givenMember(people, olga, 'Mia', 'member');
    await people.removeMember(olga, acting.person_id);
    expect(await people.sessions(acting.person_id, token)).to.deep.equal([]);
  });
});
