import { expect } from 'chai';
import { isAppError, type AppError } from '../../src/errors.js';
import { openSignInLimits } from '../../src/people/sign-in-limits.js';
import { refusal } from '../contract/event-log/events.js';
import { embeddedStores } from '../stores.js';
import { used } from '../used-memory.js';
import { accountOf, context, credentialsOf, givenMember, givenOwner, openNode, signedIn } from './given.js';

const DAY = 86_400_000;

describe('a sign-in', () => {
  const stores = embeddedStores('each test');

  it('begins a session with a token of its own each time, and State has no token', async () => {
    const { people, token, olga } = await givenOwner(stores);
    const tokens = [token];
    for (let n = 0; n < 3; n += 1) tokens.push((await people.signIn(credentialsOf('Olga'))).token);
    expect(new Set(tokens)).to.have.property('size', 4);
    const stored = JSON.stringify(await stores.state.list('session', { limit: 10 }));
    const csrf = new Set<string>();
    for (const each of tokens) {
      expect(stored).not.to.include(each);
      const session = (await people.session(each))!;
      const { person_id, name, email, memberships } = session;
      expect({ person_id, name, email }).to.deep.equal({
        person_id: olga.person_id,
        name: 'Olga',
        email: 'olga@example.org',
      });
      expect(memberships).to.deep.equal([{ team_id: olga.team, team_name: 'Operator', role: 'owner' }]);
      csrf.add(session.csrf);
    }
    expect(csrf).to.have.property('size', 4);
  });

  it('takes the e-mail in any case and with blanks around it', async () => {
    const { people } = await givenOwner(stores);
    await people.signIn({ ...credentialsOf('Olga'), email: '  OLGA@Example.org ' });
  });

  it('answers a wrong password and an unknown e-mail in the same words', async () => {
    const { people } = await givenOwner(stores);
    const failing = async (email: string): Promise<AppError> => {
      const wrong = { ...credentialsOf('Olga'), email, password: 'not the password' };
      const error: unknown = await people.signIn(wrong).catch((caught: unknown) => caught);
      return isAppError(error, 'sign_in_failed') ? error : expect.fail(String(error));
    };
    const [known, unknown] = [await failing('olga@example.org'), await failing('nobody@example.org')];
    expect(known.message).to.equal(unknown.message);
    expect(known.retryAfter).to.equal(unknown.retryAfter);
  });

  it('is refused after 10 failures of one e-mail, from whatever addresses, known or not', async () => {
    const { people } = await givenOwner(stores);
    for (const name of ['Olga', 'Nobody']) {
      const wrong = (n: number) =>
        people.signIn({ ...credentialsOf(name, `192.0.2.${n}`), password: 'not the password' });
      // At once: each one counts before its password is looked at.
      const attempts = await Promise.allSettled(Array.from({ length: 15 }, (_, n) => wrong(n)));
      const codes = attempts.map((each) => each.status === 'rejected' && each.reason.code);
      expect(codes.filter((code) => code === 'sign_in_failed')).to.have.length(10);
      expect(codes.filter((code) => code === 'rate_limited')).to.have.length(5);
      // The right password does not help: otherwise guessing would go on.
      const error: unknown = await people.signIn(credentialsOf(name)).catch((caught: unknown) => caught);
      expect(isAppError(error, 'rate_limited') && error.retryAfter).to.be.within(1, 90);
    }
  });

  it('is refused after 20 failures from one address, for every e-mail; right ones do not count', async () => {
    const { people } = await givenOwner(stores);
    for (let n = 0; n < 25; n += 1) await people.signIn(credentialsOf('Olga'));
    for (let n = 0; n < 20; n += 1) await refusal(people.signIn(credentialsOf(`N${n}`)), 'sign_in_failed');
    await refusal(people.signIn(credentialsOf('Olga')), 'rate_limited');
    await people.signIn(credentialsOf('Olga', '198.51.100.1'));
  });

  it('is refused after 20 failures from one network of IPv6, of whose addresses a guesser has as many as they like', () => {
    const { attempt } = openSignInLimits();
    const at = (address: string, n: number) => attempt({ address, email: `e-mail ${n}` });
    for (let n = 0; n < 20; n += 1) at(`2001:db8:0:1:${n}::${n}`, n);
    expect(() => at('2001:db8:0:1:ffff::', 20)).to.throw('too many attempts');
    at('2001:db8:0:2::1', 21);
    for (let n = 0; n < 20; n += 1) at(n % 2 === 0 ? '::ffff:192.0.2.1' : '192.0.2.1', 30 + n);
    expect(() => at('192.0.2.1', 50)).to.throw('too many attempts');
    at('192.0.2.2', 51);
  });

  it('is refused after 200 failures from one site of IPv6, however many networks it has', () => {
    const { attempt } = openSignInLimits();
    for (let n = 0; n < 200; n += 1) attempt({ address: `2001:db8:0:${n}::1`, email: `e-mail ${n}` });
    expect(() => attempt({ address: '2001:db8:0:ffff::1', email: 'another' })).to.throw('too many attempts');
    attempt({ address: '2001:db8:1::1', email: 'another' });
  });

  it('keeps the limit of an e-mail, however many others a refused address tries', () => {
    const { attempt } = openSignInLimits();
    for (let n = 0; n < 10; n += 1) attempt({ address: `192.0.2.${n}`, email: 'owner' });
    for (let n = 0; n < 20; n += 1) attempt({ address: '198.51.100.1', email: `made-up ${n}` });
    for (let n = 20; n < 20_000; n += 1)
      expect(() => attempt({ address: '198.51.100.1', email: `made-up ${n}` })).to.throw('too many attempts');
    expect(() => attempt({ address: '203.0.113.1', email: 'owner' })).to.throw('too many attempts');
  });

  it('is refused after 30 proofs of a person within an hour, right ones too', async () => {
    const { people } = await givenOwner(stores);
    for (let n = 0; n < 30; n += 1) await people.signIn(credentialsOf('Olga'));
    await refusal(people.signIn(credentialsOf('Olga')), 'rate_limited');
  });

  it('of another person is answered while four people prove their passwords again and again', async () => {
    const { people, olga } = await givenOwner(stores);
    const names = ['Ann', 'Ben', 'Cem', 'Dan'];
    for (const name of names) await givenMember(people, olga, name, 'viewer');
    const flood = names.flatMap((name) =>
      Array.from({ length: 9 }, () => people.signIn(credentialsOf(name, name))),
    );
    let done = 0;
    for (const each of flood) void each.finally(() => (done += 1));
    for (let n = 0; n < 10; n += 1) {
      await people.signIn(credentialsOf('Olga'));
      if (n === 0) expect(done, 'of 36 before it').to.be.below(12);
    }
    await Promise.all(flood);
  });

  it('has limits that any number of addresses and e-mails cannot fill the memory with', async () => {
    const limits = openSignInLimits();
    const before = await used();
    for (let n = 0; n < 40_000; n += 1)
      limits.attempt({ address: `address ${n}`, email: `e-mail ${n}` }).undone();
    const after = await used();
    // It must not be garbage yet.
    expect(limits.attempt({ address: 'another', email: 'another' })).to.have.property('right');
    // 80,000 buckets would take over 16 MiB.
    expect(after.held - before.held).to.be.below(10 * 1_048_576);
  });
});

describe('a session', () => {
  const stores = embeddedStores('each test');

  it('ends 14 days after its last use', async () => {
    const { people, token } = await givenOwner(stores);
    for (let days = 0; days < 20; days += 10) {
      expect(await people.session(token), `on day ${days}`).not.to.equal(null);
      stores.clock.forward(10 * DAY);
    }
    expect(await people.session(token)).not.to.equal(null);
    const { token: second } = await people.signIn(credentialsOf('Olga'));
    stores.clock.forward(14 * DAY + 1);
    expect(await people.session(second)).to.equal(null);
  });

  it('is written once an hour at most, however often it is used', async () => {
    const { people, token } = await givenOwner(stores);
    const versionOf = async () => (await stores.state.list('session', { limit: 1 }))[0]!.version;
    const before = await versionOf();
    for (let n = 0; n < 5; n += 1) await people.session(token);
    stores.clock.forward(3_599_000);
    await people.session(token);
    expect(await versionOf()).to.equal(before);
    stores.clock.forward(1_000);
    await people.session(token);
    expect(await versionOf()).not.to.equal(before);
  });

  it('ends with the sign-out, on every node, and no other one does', async () => {
    const { people, token } = await givenOwner(stores);
    const other = await openNode(stores);
    const { token: second } = await people.signIn(credentialsOf('Olga'));
    await people.signOut(token);
    for (const node of [people, other.people]) {
      expect(await node.session(token)).to.equal(null);
      expect(await node.session(second)).not.to.equal(null);
    }
    await people.signOut(token);
  });

  it('has no other token: neither a made-up one, nor its hash, nor another text', async () => {
    const { people } = await givenOwner(stores);
    const [entry] = await stores.state.list('session', { limit: 1 });
    for (const text of ['', 'x', 'A'.repeat(43), entry!.key, 'A'.repeat(100_000)]) {
      expect(await people.session(text)).to.equal(null);
      await people.signOut(text);
    }
  });

  it('shows the role of now, on every node', async () => {
    const { people, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    const other = await openNode(stores);
    await people.changeRole(olga, mia.acting.person_id, 'admin');
    expect((await people.session(mia.token))?.memberships).to.have.nested.property('[0].role', 'admin');
    await other.directory.reached(await stores.log.head());
    expect((await other.people.session(mia.token))?.memberships).to.have.nested.property('[0].role', 'admin');
  });

  it('works on a machine whose clock was set back after the person had joined', async () => {
    const { people, olga } = await givenOwner(stores);
    await givenMember(people, olga, 'Mia', 'member');
    stores.clock.forward(-2 * DAY);
    const { token } = await people.signIn(credentialsOf('Mia'));
    expect((await people.session(token))?.name).to.equal('Mia');
  });

  it('ends with the last team, and stays ended when the person is invited again', async () => {
    const { people, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    await people.removeMember(olga, mia.acting.person_id);
    expect(await people.session(mia.token)).to.equal(null);
    stores.clock.forward(1);
    await refusal(people.signIn(credentialsOf('Mia')), 'sign_in_failed');

    const { token: link } = await people.invite(olga, 'viewer');
    const { token } = await people.acceptInvitation(link, accountOf('Mia'), context);
    expect(await people.session(mia.token)).to.equal(null);
    expect(await signedIn(people, token!)).to.include({ person_id: mia.acting.person_id, role: 'viewer' });
    await people.signIn(credentialsOf('Mia'));
  });
});
