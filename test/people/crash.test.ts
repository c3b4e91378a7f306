import { expect } from 'chai';
import { firstStart, OPERATOR_TEAM } from '../../src/commands/teams.js';
import { isAppError } from '../../src/errors.js';
import type { People } from '../../src/people/people.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { State } from '../../src/ports/state.js';
import { embeddedStores, eventually } from '../stores.js';
import { accountOf, context, credentialsOf, givenMember, givenOwner, openNode, signedIn } from './given.js';

const KILLED = new Error('killed');

describe('people, after a kill', () => {
  const stores = embeddedStores('each test');

  /** Stores of a process that is killed at its n-th write: before it takes effect, or right after it. */
  function dying(n: number, when: 'before' | 'after') {
    let writes = 0;
    const dies = <A extends unknown[], T>(work: (...call: A) => Promise<T>) => {
      return async (...call: A): Promise<T> => {
        const nth = (writes += 1);
        if (nth > n || (nth === n && when === 'before')) throw KILLED;
        const answer = await work(...call);
        if (nth === n) throw KILLED;
        return answer;
      };
    };
    const state: State = {
      ...stores.state,
      put: dies(stores.state.put as never) as State['put'],
      remove: dies(stores.state.remove),
    };
    const log: EventLog = { ...stores.log, append: dies(stores.log.append) };
    return { state, log };
  }

  /** Kills the work at each of its writes, and lets `recovered` check what another process makes of that. */
  async function atEachWrite<T>(
    prepare: (n: number) => Promise<T>,
    work: (people: People, given: T) => Promise<unknown>,
    recovered: (given: T, at: string) => Promise<void>,
  ): Promise<void> {
    for (const when of ['before', 'after'] as const) {
      for (let n = 1, done = false; !done; n += 1) {
        const given = await prepare(n + (when === 'after' ? 100 : 0));
        const { people } = await openNode(stores, dying(n, when));
        done = await work(people, given).then(
          () => true,
          (error: unknown) => (error === KILLED ? false : expect.fail(String(error))),
        );
        await recovered(given, `killed ${when} write ${n}`);
        if (done) expect(n).to.be.above(2);
      }
    }
  }

  const isIn = async (people: People, name: string) =>
    (await people.members(OPERATOR_TEAM)).some((member) => member.name === name);

  /** The same person uses the link again; or it was used, and they sign in. */
  async function joins(people: People, link: string, name: string, at: string): Promise<void> {
    const use = people.acceptInvitation(link, accountOf(name), context);
    const { token } = await use.catch((error: unknown) =>
      isAppError(error, 'link_not_valid') ? people.signIn(credentialsOf(name)) : Promise.reject(error),
    );
    expect((await people.session(token!))?.name, at).to.equal(name);
    const members = await people.members(OPERATOR_TEAM);
    expect(
      members.filter((member) => member.name === name),
      at,
    ).to.have.length(1);
  }

  it('let the same person use an invitation again, and nobody else', async () => {
    const { people, olga } = await givenOwner(stores);
    await atEachWrite(
      async (n) => ({ name: `Mia${n}`, link: (await people.invite(olga, 'member')).token }),
      (dead, { name, link }) => dead.acceptInvitation(link, accountOf(name), context),
      async ({ name, link }, at) => {
        const claimed = JSON.stringify(await stores.state.list('invitation', { limit: 500 })).includes(
          'claimed_by',
        );
        if (claimed) {
          const other = people.acceptInvitation(link, accountOf(`${name}x`), context);
          expect(isAppError(await other.catch((error: unknown) => error), 'link_not_valid'), at).to.equal(
            true,
          );
        }
        await joins(people, link, name, at);
        expect(await people.invitation(link), at).to.equal(null);
        expect(await stores.state.list('invitation', { limit: 500 }), at).to.deep.equal([]);
      },
    );
    // What crashes have left behind expires: everything else belongs to a member.
    stores.clock.forward(86_400_001);
    await stores.state.purge(stores.clock().toISOString(), 1_000);
    const members = await people.members(OPERATOR_TEAM);
    expect(await stores.state.list('person', { limit: 500 })).to.have.length(members.length);
    expect(await stores.state.list('email', { limit: 500 })).to.have.length(members.length);
  });

  it('let the first start be repeated', async () => {
    const { people, commands } = await openNode(stores);
    await firstStart(stores.log, commands, stores.clock, null);
    const link = (await people.newFirstStart())!;
    for (let n = 1, killed = true; killed; n += 1) {
      const { people: dead } = await openNode(stores, dying(n, 'before'));
      killed = await dead.acceptFirstStart(link, accountOf('Olga'), context).then(
        () => false,
        // Only the session was missing.
        (error: unknown) =>
          isAppError(error, 'link_not_valid') ? false : error === KILLED || expect.fail(String(error)),
      );
    }
    const { token } = await people.signIn(credentialsOf('Olga'));
    expect((await signedIn(people, token)).role).to.equal('owner');
    expect(await people.members(OPERATOR_TEAM)).to.have.length(1);
  });

  it('have the old password with a link that works, or the new one', async () => {
    const { people, olga } = await givenOwner(stores);
    const password = 'quite another password';
    await atEachWrite(
      async (n) => {
        const { acting } = await givenMember(people, olga, `Mia${n}`, 'member');
        return { name: `Mia${n}`, link: (await people.resetLink(olga, acting.person_id)).token };
      },
      (dead, { link }) => dead.resetPassword(link, password),
      async ({ name, link }, at) => {
        const isOpen = await people.resetIsOpen(link);
        const { password: former } = accountOf(name);
        await people.signIn({ ...credentialsOf(name), password: isOpen ? former : password });
        if (isOpen) await people.resetPassword(link, password);
        await people.signIn({ ...credentialsOf(name), password });
        expect(await people.resetIsOpen(link), at).to.equal(false);
      },
    );
  });

  it('have a person with one e-mail that signs them in, who can change it again', async () => {
    const { people, olga } = await givenOwner(stores);
    await atEachWrite(
      async (n) => {
        const { acting } = await givenMember(people, olga, `Mia${n}`, 'member');
        return { ...credentialsOf(`Mia${n}`), person: acting.person_id, next: `new${n}@example.org` };
      },
      (dead, { person, next, password }) =>
        dead.changeProfile(person, { name: 'Mia', email: next }, password),
      async ({ person, next, address, email, password }, at) => {
        const tries = [email, next].map((each) => people.signIn({ email: each, password, address }));
        const done = await Promise.allSettled(tries);
        expect(
          done.filter(({ status }) => status === 'fulfilled'),
          at,
        ).to.have.length(1);
        await people.changeProfile(person, { name: 'Mia', email: next }, password);
        await people.signIn({ email: next, password, address });
      },
    );
  });

  it('have forgotten a person whole, once anything of them is gone', async () => {
    const { people, olga } = await givenOwner(stores);
    await atEachWrite(
      async (n) => {
        const { acting, token } = await givenMember(people, olga, `Mia${n}`, 'member');
        return { name: `Mia${n}`, acting, token };
      },
      (dead, { acting }) => dead.forget(acting, acting.person_id),
      async ({ name, acting, token }, at) => {
        const isWhole =
          (await people.session(token)) !== null &&
          (await stores.state.list('forgetting', { limit: 1 })).length === 0;
        if (isWhole) {
          await people.signIn(credentialsOf(name));
          return;
        }
        await openNode(stores);
        await eventually(at, async () => (await stores.state.get('person', acting.person_id)) === null);
        await eventually(at, async () => (await stores.state.list('forgetting', { limit: 1 })).length === 0);
        expect(await isIn(people, name), at).to.equal(false);
        expect(await people.session(token), at).to.equal(null);
      },
    );
  });
});
