import { expect } from 'chai';
import { createKey, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { team } from '../../src/domain/teams/team.js';
import { openCommandHandler } from '../../src/commands/command-handler.js';
import { addMilliseconds } from '../../src/clock.js';
import { openRunLinks, type RunLink } from '../../src/sharing/run-links.js';
import { keyMaker } from '../domain/key-maker.js';
import { accountOf, context, givenMember, givenOwner, type Node } from '../people/given.js';
import { contextOf, embeddedStores, NOW } from '../stores.js';

const RUN = { team_id: OPERATOR_TEAM, project_id: 'project_1', run_id: 'run_1' };
const HOUR_MS = 3_600_000;

describe('a link to a run', () => {
  const stores = embeddedStores('each test');
  let node: Awaited<ReturnType<typeof givenOwner>>;
  beforeEach(async () => {
    node = await givenOwner(stores);
  });

  /** As each process opens them: with a command handler of its own. */
  const openNode = () =>
    openRunLinks({ state: stores.state, commands: openCommandHandler(stores.log), clock: stores.clock });
  let made = 0;
  const wanted = (created_by: string): Omit<RunLink, 'member_since'> => ({
    ...RUN,
    id: `link_${(made += 1)}`,
    created_by,
    created_at: NOW,
    expires_at: addMilliseconds(NOW, HOUR_MS),
  });

  it('is revoked for every node at once, and leaves the others of the run', async () => {
    const [one, other] = [openNode(), openNode()];
    const { link, token } = await one.make(wanted(node.olga.person_id));
    const second = await one.make(wanted(node.olga.person_id));
    expect(await other.find(token)).to.deep.equal(link);
    expect(await one.revoke({ ...RUN, id: link.id })).to.equal(true);
    expect(await other.find(token)).to.equal(null);
    expect(await other.of(RUN)).to.deep.equal([second.link]);
    expect(await other.find(second.token)).to.deep.equal(second.link);
  });

  it('ends at its time', async () => {
    const { clock } = stores;
    const links = openNode();
    const { token } = await links.make(wanted(node.olga.person_id));
    clock.forward(HOUR_MS - 1);
    expect(await links.find(token)).to.not.equal(null);
    clock.forward(1);
    expect(await links.find(token)).to.equal(null);
    expect(await links.of(RUN)).to.deep.equal([]);
  });

  it('ends with the membership of its maker on every node, and does not come back with them', async () => {
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'member');
    const [one, other] = [openNode(), openNode()];
    const { token } = await one.make(wanted(mia.person_id));
    expect(await other.find(token)).to.not.equal(null);
    await people.removeMember(olga, mia.person_id);
    expect(await other.find(token)).to.equal(null);
    stores.clock.forward(1);
    const { token: link } = await people.invite(olga, 'owner');
    await people.acceptInvitation(link, accountOf('Mia'), context);
    for (const links of [one, other]) {
      expect(await links.find(token)).to.equal(null);
      expect(await links.of(RUN)).to.deep.equal([]);
    }
  });

  it('ends with the key that made it, also where that goes with its person', async () => {
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const links = openNode();
    const [own, hers] = [await keyOf(node, olga.person_id), await keyOf(node, mia.person_id)];
    const [{ token: first }, { token: second }] = [
      await links.make(wanted(own)),
      await links.make(wanted(hers)),
    ];
    await people.removeMember(olga, mia.person_id);
    expect(await links.find(second)).to.equal(null);
    expect(await links.find(first)).to.not.equal(null);
    const command = { type: 'EndOwnKey', key_id: own } as const;
    await node.commands.execute(team, teamStream(OPERATOR_TEAM), contextOf(OPERATOR_TEAM), command);
    expect(await links.find(first)).to.equal(null);
  });

  it('does not outlive the right of its maker to make one, whether a person or the key of one', async () => {
    const { people, olga } = node;
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'admin');
    const [one, other] = [openNode(), openNode()];
    const key = await keyOf(node, mia.person_id);
    const tokens = [(await one.make(wanted(mia.person_id))).token, (await one.make(wanted(key))).token];
    const found = async () =>
      Promise.all(
        [one, other].flatMap((links) => tokens.map(async (token) => (await links.find(token)) !== null)),
      );
    await people.changeRole(olga, mia.person_id, 'member');
    expect(await found()).to.deep.equal([true, true, true, true]);
    await people.changeRole(olga, mia.person_id, 'viewer');
    expect(await found()).to.deep.equal([false, false, false, false]);
    expect(await other.of(RUN)).to.deep.equal([]);
  });

  it('is stored by the hash of its token', async () => {
    const { token } = await openNode().make(wanted(node.olga.person_id));
    for (const kind of ['link', 'link-token']) {
      const entries = await stores.state.list(kind, { limit: 10 });
      expect(entries).to.have.length(1);
      expect(JSON.stringify(entries)).to.not.include(token);
    }
  });
});

async function keyOf({ commands }: Node, person: string): Promise<string> {
  const wanted = { name: 'CI', role: 'member', maker: keyMaker('owner'), personId: person } as const;
  return (await createKey(commands, contextOf(OPERATOR_TEAM, { actor: person }), wanted)).key.id;
}
