import { expect } from 'chai';
import { createTeam, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { team as decider } from '../../src/domain/teams/team.js';
import { inviteOnMachine } from '../../src/people/on-machine.js';
import type { Acting } from '../../src/people/people.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores } from '../stores.js';
import {
  accountOf,
  context,
  credentialsOf,
  givenMember,
  givenOwner,
  openNode,
  signedIn,
  type Node,
} from './given.js';

const DAY = 86_400_000;
const password = 'quite another password';

/** A team of its own, whose first member is the person. */
export async function givenTeam(
  { commands, directory }: Pick<Node, 'commands' | 'directory'>,
  person: Acting,
  role: MemberRole = 'owner',
) {
  const { team } = await createTeam(commands, contextOf('team_any'), 'Shop');
  const { person_id } = person;
  const add = { type: 'AddMember', person_id, role, sealed: 'sealed', by: null } as const;
  const { appended } = await commands.execute(decider, teamStream(team.id), contextOf(team.id), add);
  await directory.reached(appended!.position);
  return { ...person, team: team.id, role };
}

describe('a link to a new password', () => {
  const stores = embeddedStores('each test');

  it('sets the password, ends all sessions on every node, and begins a new one', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    const { token: second } = await people.signIn(credentialsOf('Mia'));
    const { token: link } = await people.resetLink(olga, mia.acting.person_id);
    expect(await people.resetIsOpen(link)).to.equal(true);
    expect(await people.session(second)).not.to.equal(null);
    const { token } = await people.resetPassword(link, password);
    for (const node of [people, other.people]) {
      expect(await node.session(mia.token)).to.equal(null);
      expect(await node.session(second)).to.equal(null);
      expect((await node.session(token))?.name).to.equal('Mia');
      await refusal(node.signIn(credentialsOf('Mia')), 'sign_in_failed');
      await node.signIn({ ...credentialsOf('Mia'), password });
    }
  });

  it('works once, also for several at the same time, and voids the links that were made before', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    const { acting } = await givenMember(people, olga, 'Mia', 'member');
    const links = [
      (await people.resetLink(olga, acting.person_id)).token,
      (await people.resetLink(olga, acting.person_id)).token,
    ];
    const uses = await Promise.allSettled(
      [0, 1, 2, 3].map((n) =>
        [people, other.people][n % 2]!.resetPassword(links[n >> 1]!, `${password} ${n}`),
      ),
    );
    expect(uses.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    for (const link of links) {
      expect(await people.resetIsOpen(link)).to.equal(false);
      await refusal(people.resetPassword(link, password), 'link_not_valid');
    }
  });

  it('expires after 24 hours', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const { token: link } = await people.resetLink(olga, mia.person_id);
    stores.clock.forward(DAY);
    expect(await people.resetIsOpen(link)).to.equal(false);
    await refusal(people.resetPassword(link, password), 'link_not_valid');
  });

  it('takes no password that a new account would not take, and stays open', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const { token: link } = await people.resetLink(olga, mia.person_id);
    await refusal(people.resetPassword(link, 'too short'), 'validation_failed');
    expect(await people.resetIsOpen(link)).to.equal(true);
  });

  it('is made by an admin of the team, only for a person below them, and not for one of another team', async () => {
    const { people, commands, directory, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: member } = await givenMember(people, olga, 'Ben', 'member');
    await people.resetLink(admin, member.person_id);
    await refusal(people.resetLink(admin, olga.person_id), 'forbidden');
    // Its holder acts as that person, and the log would say that they did it.
    const { acting: equal } = await givenMember(people, olga, 'Yvonne', 'admin');
    await refusal(people.resetLink(equal, admin.person_id), 'forbidden');
    await refusal(people.resetLink(olga, olga.person_id), 'forbidden');
    await refusal(people.resetLink(member, member.person_id), 'forbidden');
    await refusal(people.resetLink({ ...member, role: 'owner' }, admin.person_id), 'forbidden');
    const shop = await givenTeam({ commands, directory }, admin);
    await refusal(people.resetLink(shop, member.person_id), 'not_found');
  });

  it('works only while its maker may still make it: not after they have left, nor for a person above them now', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: other } = await givenMember(people, olga, 'Ann', 'admin');
    const { acting: member } = await givenMember(people, olga, 'Ben', 'member');
    const { acting: viewer } = await givenMember(people, olga, 'Eve', 'viewer');
    const { token: above } = await people.resetLink(other, member.person_id);
    const { token: left } = await people.resetLink(admin, viewer.person_id);
    await people.changeRole(olga, member.person_id, 'owner');
    await people.removeMember(olga, admin.person_id);
    for (const link of [above, left]) {
      expect(await people.resetIsOpen(link)).to.equal(false);
      await refusal(people.resetPassword(link, password), 'link_not_valid');
    }
    await people.signIn(credentialsOf('Ben'));
    await people.changeRole(olga, member.person_id, 'viewer');
    expect(await people.resetIsOpen(above)).to.equal(true);
  });

  it('takes over nobody who has more rights in another team, except for an owner of the operator', async () => {
    const { people, commands, directory, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: boss } = await givenMember(people, olga, 'Ben', 'member');
    // Ben owns another team, so that an admin here must not get his account.
    await givenTeam({ commands, directory }, boss);
    await refusal(people.resetLink(admin, boss.person_id), 'forbidden');
    await people.resetLink(olga, boss.person_id);
  });
});

describe('a forgotten person', () => {
  const stores = embeddedStores('each test');

  it('is in no team, cannot sign in, and has no account, session or readable name left', async () => {
    const { people, commands, directory, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    const shop = await givenTeam({ commands, directory }, olga);
    const { token: link } = await people.invite(shop, 'member');
    await people.acceptInvitation(link, { person_id: mia.acting.person_id }, context);
    expect(await people.nameOf(mia.acting.person_id)).to.equal('Mia');

    await people.forget(mia.acting, mia.acting.person_id);
    expect(await people.session(mia.token)).to.equal(null);
    await refusal(people.signIn(credentialsOf('Mia')), 'sign_in_failed');
    for (const team of [OPERATOR_TEAM, shop.team]) expect(await people.members(team)).to.have.length(1);
    expect(await people.nameOf(mia.acting.person_id)).to.equal('forgotten person');
    const kinds = ['person', 'email', 'session', 'forgetting'];
    const left = await Promise.all(kinds.map((kind) => stores.state.list(kind, { limit: 10 })));
    // Those of Olga.
    expect(left.map((entries) => entries.length)).to.deep.equal([1, 1, 1, 0]);
    expect(JSON.stringify(left)).not.to.include(mia.acting.person_id);
  });

  it('may come back as another person, with the same e-mail', async () => {
    const { people, olga } = await givenOwner(stores);
    const former = await givenMember(people, olga, 'Mia', 'member');
    await people.forget(olga, former.acting.person_id);
    const again = await givenMember(people, olga, 'Mia', 'viewer');
    expect(again.acting.person_id).not.to.equal(former.acting.person_id);
  });

  it('is forgotten by themselves or by an owner of all their teams, and by nobody else', async () => {
    const { people, commands, directory, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Ann', 'admin');
    const { acting: member } = await givenMember(people, olga, 'Mia', 'member');
    await refusal(people.forget(admin, member.person_id), 'forbidden');
    await refusal(people.forget(member, admin.person_id), 'forbidden');
    // An owner of one team must not delete the account of somebody who is in another one, too.
    const shop = await givenTeam({ commands, directory }, admin);
    const { token: link } = await people.invite(shop, 'member');
    await people.acceptInvitation(link, { person_id: member.person_id }, context);
    await refusal(people.forget(shop, member.person_id), 'forbidden');
    await people.forget(olga, member.person_id);
    expect(await people.members(shop.team)).to.have.length(1);
  });

  it('is not the last owner of any team, and then nothing of theirs is gone', async () => {
    const { people, commands, directory, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    await givenTeam({ commands, directory }, mia.acting);
    await refusal(people.forget(mia.acting, mia.acting.person_id), 'last_owner');
    expect((await people.session(mia.token))?.memberships).to.have.length(2);
    await people.signIn(credentialsOf('Mia'));
  });
});

describe('the account of a person', () => {
  const stores = embeddedStores('each test');

  it('is lost without the SECRET_KEY that it was made with: others see that, and manage the team', async () => {
    const { olga, token } = await givenOwner(stores);
    const secretKeys = { current: 'another secret of at least 32 characters', previous: null };
    const { people: other, reported } = await openNode(stores, { secretKeys });
    expect(await other.session(token)).to.equal(null);
    expect(String(reported[0])).to.include('SECRET_KEY');
    await refusal(other.signIn(credentialsOf('Olga')), 'sign_in_failed');
    const invited = await inviteOnMachine(
      { state: stores.state, log: stores.log, clock: stores.clock },
      { team: OPERATOR_TEAM, role: 'owner' },
    );
    const { token: own } = await other.acceptInvitation(invited!.token, accountOf('Nora'), context);
    const nora = await signedIn(other, own!);
    expect((await other.members(OPERATOR_TEAM)).map(({ name }) => name)).to.deep.equal([
      'unreadable name',
      'Nora',
    ]);
    expect(await other.nameOf(olga.person_id)).to.equal('unreadable name');
    await other.removeMember(nora, olga.person_id);
    expect(await other.members(OPERATOR_TEAM)).to.have.length(1);
  });

  it('cannot be read under the id of another person', async () => {
    const { people, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    const entry = (await stores.state.get('person', olga.person_id))!;
    await stores.state.put('person', mia.acting.person_id, entry.value, { expected: 'any' });
    expect(await people.nameOf(mia.acting.person_id)).to.equal('unreadable name');
  });

  it('is signed in with the e-mail of its own only', async () => {
    const { people, olga } = await givenOwner(stores);
    await givenMember(people, olga, 'Mia', 'member');
    const mixed = { ...credentialsOf('Mia'), email: accountOf('Olga').email };
    await refusal(people.signIn(mixed), 'sign_in_failed');
    expect(await signedIn(people, (await people.signIn(credentialsOf('Mia'))).token)).to.include({
      role: 'member',
    });
  });
});
