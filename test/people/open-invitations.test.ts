import { expect } from 'chai';
import type { CommandHandler } from '../../src/commands/command-handler.js';
import { createTeam, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { team as decider } from '../../src/domain/teams/team.js';
import { limits } from '../../src/limits.js';
import type { Acting, People } from '../../src/people/people.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores } from '../stores.js';
import { accountOf, context, givenMember, givenOwner, openNode } from './given.js';

const MOST = limits.invitationsPerTeam;

describe('the open invitations of a team', () => {
  const stores = embeddedStores('each test');

  async function invite(people: People, by: Acting, count: number): Promise<string[]> {
    const tokens: string[] = [];
    for (let n = 0; n < count; n += 1) tokens.push((await people.invite(by, 'viewer')).token);
    return tokens;
  }

  async function addMember(commands: CommandHandler, team: string, person_id: string, by: string | null) {
    const role = by === null ? 'owner' : 'viewer';
    const add = { type: 'AddMember', person_id, role, sealed: 'sealed', by } as const;
    await commands.execute(decider, teamStream(team), contextOf(team), add);
  }

  const worksOf = async (people: People, tokens: readonly string[]) =>
    (await Promise.all(tokens.map((token) => people.invitation(token)))).filter((each) => each !== null);

  it('are at most 100, all of them listed; a further one is refused until one was withdrawn or used', async () => {
    const { people, olga } = await givenOwner(stores);
    const tokens = await invite(people, olga, MOST);
    const all = await people.invitations(OPERATOR_TEAM);
    expect(all).to.have.length(MOST);
    await refusal(people.invite(olga, 'viewer'), 'invitation_limit');
    expect(await stores.state.list('invitation', { limit: 500 }), 'links').to.have.length(MOST);
    await people.withdrawInvitation(olga, all.at(-1)!.invitation_id);
    const [one] = await invite(people, olga, 1);
    await refusal(people.invite(olga, 'viewer'), 'invitation_limit');
    await people.acceptInvitation(one!, accountOf('Mia'), context);
    await people.invite(olga, 'viewer');
    for (const { invitation_id } of await people.invitations(OPERATOR_TEAM))
      await people.withdrawInvitation(olga, invitation_id);
    expect(await worksOf(people, tokens)).to.deep.equal([]);
  });

  it('are at most 100, also when several are made at the same time on several nodes', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    const tokens = await invite(people, olga, MOST - 2);
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => [people, other.people][n % 2]!.invite(olga, 'viewer')),
    );
    for (const each of made) {
      if (each.status === 'fulfilled') tokens.push(each.value.token);
      else expect(each.reason).to.include({ code: 'invitation_limit' });
    }
    expect(tokens.length).to.be.at.most(MOST);
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(tokens.length);
    expect(await worksOf(people, tokens)).to.have.length(tokens.length);
  });

  it('leave room for others once their inviter may not invite any more, and then never work again', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: ada } = await givenMember(people, olga, 'Ada', 'admin');
    const tokens = await invite(people, ada, MOST);
    await people.changeRole(olga, ada.person_id, 'member');
    expect(await people.invitations(OPERATOR_TEAM)).to.deep.equal([]);
    const own = await invite(people, olga, MOST);
    await refusal(people.invite(olga, 'viewer'), 'invitation_limit');
    await people.changeRole(olga, ada.person_id, 'admin');
    expect(await worksOf(people, tokens)).to.deep.equal([]);
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(MOST);
    expect(await worksOf(people, own)).to.have.length(MOST);
  });

  it('do not count for another team, nor after they have expired', async () => {
    const { people, commands, olga } = await givenOwner(stores);
    const { team: shop } = await createTeam(commands, contextOf('team_any'), 'Shop');
    await addMember(commands, shop.id, olga.person_id, null);
    await invite(people, olga, MOST);
    await invite(people, { ...olga, team: shop.id }, 2);
    expect(await people.invitations(shop.id)).to.have.length(2);
    stores.clock.forward(limits.invitationMs);
    await invite(people, olga, 1);
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(1);
  });

  it('are all listed, however many there are', async () => {
    const { people, olga } = await givenOwner(stores);
    await invite(people, olga, 3);
    const [link] = await stores.state.list<object>('invitation', { limit: 1 });
    for (let n = 0; n < 2 * MOST + 5; n += 1) {
      const key = n.toString(16).padStart(64, '0');
      await stores.state.put('invitation', key, link!.value, { expected: 'absent' });
      await stores.state.put('invitation-of-team', `${OPERATOR_TEAM}/${key}`, {}, { expected: 'absent' });
    }
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(2 * MOST + 8);
    await people.withdrawInvitation(olga, '0'.repeat(64));
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(2 * MOST + 7);
  });

  it('stay listed in a team that is full, and can be withdrawn there', async () => {
    const { people, commands, olga } = await givenOwner(stores);
    const [token] = await invite(people, olga, 1);
    const open = await people.invitations(OPERATOR_TEAM);
    for (let n = 1; n < limits.membersPerTeam; n += 1)
      await addMember(commands, OPERATOR_TEAM, `person_${n}`, olga.person_id);
    expect(await people.invitations(OPERATOR_TEAM)).to.deep.equal(open);
    await refusal(people.acceptInvitation(token!, accountOf('Mia'), context), 'member_limit');
    await people.withdrawInvitation(olga, open[0]!.invitation_id);
    expect(await people.invitation(token!)).to.equal(null);
  });
});
