import { expect } from 'chai';
import { createKey, OPERATOR_TEAM } from '../../src/commands/teams.js';
import { START } from '../../src/domain/event.js';
import { openKeyIndex } from '../../src/keys/key-index.js';
import { writeKeySnapshot } from '../../src/keys/key-snapshot.js';
import type { MemberRole } from '../../src/domain/teams/roles.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventually, NOW } from '../stores.js';
import { accountOf, context, givenMember, givenOwner, newKey, openNode } from './given.js';

describe('the keys of a person', () => {
  const stores = embeddedStores('each test');

  it('follow every change of the person within a second on another node, which replaces their entries', async () => {
    const node = await givenOwner(stores);
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const { directory } = await openNode(stores);
    const [high, low] = [await newKey(node, mia, 'admin'), await newKey(node, mia, 'viewer')];
    const roles = () => [high, low].map((hash) => directory.known(hash)?.role ?? null);
    let heard = 0;
    directory.onTeamEvents(() => (heard += 1));
    const within = (expected: (MemberRole | null)[]) =>
      eventually(`the roles are ${String(expected)}`, () => String(roles()) === String(expected), 1_000);
    await within(['admin', 'viewer']);
    const before = [high, low].map((hash) => directory.known(hash));

    await people.changeRole(olga, mia.person_id, 'member');
    await within(['member', 'viewer']);
    expect(directory.membershipsOf(mia.person_id).map(({ role }) => role)).to.deep.equal(['member']);
    expect(directory.known(high)).not.to.equal(before[0]);
    expect(directory.known(low)).to.equal(before[1]);

    await people.removeMember(olga, mia.person_id);
    await within([null, null]);
    expect(await directory.find(high)).to.equal(null);
    expect(directory.membershipsOf(mia.person_id)).to.deep.equal([]);
    expect(heard).to.be.at.least(2);

    // Invited again, they start with nothing.
    const { token: link } = await people.invite(olga, 'owner');
    await people.acceptInvitation(link, accountOf('Mia'), context);
    await directory.reached(await stores.log.head());
    expect(roles()).to.deep.equal([null, null]);
    expect(await people.keysOf(OPERATOR_TEAM, mia.person_id)).to.deep.equal([]);
  });

  it('may be taken over by an admin, on every node, before their person is removed: no pipeline stops', async () => {
    const node = await givenOwner(stores);
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: ben } = await givenMember(people, olga, 'Ben', 'member');
    const { directory } = await openNode(stores);
    const [taken, left] = [await newKey(node, mia, 'admin'), await newKey(node, mia, 'viewer')];
    const [key, other] = await people.keysOf(OPERATOR_TEAM, mia.person_id);
    const from = mia.person_id;
    await refusal(people.takeKeyOver(ben, from, key!.key_id), 'forbidden');
    await people.takeKeyOver(olga, from, key!.key_id);
    await people.removeMember(olga, mia.person_id);
    await directory.reached(await stores.log.head());
    expect(directory.known(taken)).to.include({ role: 'admin', person_id: olga.person_id });
    expect(await directory.find(left)).to.equal(null);
    await refusal(people.takeKeyOver(olga, from, other!.key_id), 'not_found');
    const third = await openNode(stores);
    expect(third.directory.known(taken)?.person_id).to.equal(olga.person_id);
  });

  it('are taken over from the person who is removed alone: not those of a pipeline, another one, or an owner', async () => {
    const node = await givenOwner(stores);
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: ben } = await givenMember(people, olga, 'Ben', 'member');
    await newKey(node, ben, 'member');
    await newKey(node, olga, 'viewer');
    const [ofBen] = await people.keysOf(OPERATOR_TEAM, ben.person_id);
    const [ofOlga] = await people.keysOf(OPERATOR_TEAM, olga.person_id);
    const pipeline = { name: 'CI', role: 'member', maker: 'operator', personId: null } as const;
    const { key: ofNobody } = await createKey(node.commands, contextOf(OPERATOR_TEAM), pipeline);
    for (const key_id of [ofBen!.key_id, ofNobody.id]) {
      await refusal(people.takeKeyOver(olga, mia.person_id, key_id), 'not_found');
      await refusal(people.takeKeyOver(mia, olga.person_id, key_id), 'not_found');
    }
    await refusal(people.takeKeyOver(mia, olga.person_id, ofOlga!.key_id), 'forbidden');
    await people.takeKeyOver(mia, ben.person_id, ofBen!.key_id);
    const holders = await Promise.all(
      [mia, ben, olga].map(async ({ person_id }) => (await people.keysOf(OPERATOR_TEAM, person_id)).length),
    );
    expect(holders).to.deep.equal([1, 0, 1]);
  });

  it('are the keys, too, that were made with a key of the person', async () => {
    const node = await givenOwner(stores);
    const { acting: mia } = await givenMember(node.people, node.olga, 'Mia', 'admin');
    const first = (await node.directory.find(await newKey(node, mia, 'admin')))!;
    expect(first.person_id).to.equal(mia.person_id);
    const second = await newKey(node, { ...mia, person_id: first.person_id! }, 'member');
    await node.people.removeMember(node.olga, mia.person_id);
    expect(node.directory.known(second)).to.equal(null);
  });

  it('are read from a snapshot as they were, with the members', async () => {
    const node = await givenOwner(stores);
    const { acting: mia } = await givenMember(node.people, node.olga, 'Mia', 'admin');
    const hash = await newKey(node, mia, 'admin');
    await node.people.changeRole(node.olga, mia.person_id, 'member');
    const index = openKeyIndex();
    const { events, position } = await stores.log.readAll({ after: START, filter: { streams: ['team-'] } });
    for (const event of events) index.apply(event as never);
    await writeKeySnapshot(stores, { position, content: index.content() }, { now: NOW, every: 1_000 });
    const { directory } = await openNode(stores);
    expect(directory.known(hash)?.role).to.equal('member');
    expect(await directory.person(mia.person_id)).to.deep.equal(await node.directory.person(mia.person_id));
    await node.people.changeRole(node.olga, mia.person_id, 'viewer');
    await directory.reached(await stores.log.head());
    expect(directory.known(hash)?.role).to.equal('viewer');
  });
});
