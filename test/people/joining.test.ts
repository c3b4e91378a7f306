import { expect } from 'chai';
import { createTeam, firstStart, OPERATOR_TEAM, teamStream } from '../../src/commands/teams.js';
import { IDENTITY_PROVIDER } from '../../src/domain/teams/members.js';
import { team } from '../../src/domain/teams/team.js';
import { isAppError } from '../../src/errors.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores, eventsOf } from '../stores.js';
import { accountOf, context, credentialsOf, givenMember, givenOwner, openNode, signedIn } from './given.js';

const DAY = 86_400_000;

describe('the link of the first start', () => {
  const stores = embeddedStores('each test');

  async function started() {
    const node = await openNode(stores);
    await firstStart(stores.log, node.commands, stores.clock, null);
    return node;
  }

  it('makes one person the owner of the operator’s team, and is then closed', async () => {
    const { people } = await started();
    const link = (await people.newFirstStart())!;
    expect(await people.firstStartIsOpen(link)).to.equal(true);
    const { token } = await people.acceptFirstStart(link, accountOf('Olga'), context);
    expect(await signedIn(people, token)).to.include({ team: OPERATOR_TEAM, role: 'owner' });
    expect(await people.firstStartIsOpen(link)).to.equal(false);
    await refusal(people.acceptFirstStart(link, accountOf('Mia'), context), 'link_not_valid');
    expect(await people.members(OPERATOR_TEAM)).to.have.length(1);
  });

  it('is made at every start until somebody has used one; then all are closed', async () => {
    const { people } = await started();
    const links = [(await people.newFirstStart())!, (await people.newFirstStart())!];
    await people.acceptFirstStart(links[0]!, accountOf('Olga'), context);
    expect(await people.newFirstStart()).to.equal(null);
    expect(await people.firstStartIsOpen(links[1]!)).to.equal(false);
    await refusal(people.acceptFirstStart(links[1]!, accountOf('Mia'), context), 'link_not_valid');
    await refusal(people.signIn(credentialsOf('Mia')), 'sign_in_failed');
  });

  it('is open, and is made at every start, while groups of the identity provider have let in only others', async () => {
    const { people, commands } = await started();
    const link = (await people.newFirstStart())!;
    const add = { type: 'AddMember', person_id: 'person_1', role: 'viewer', sealed: '' } as const;
    const command = { ...add, by: IDENTITY_PROVIDER };
    await commands.execute(team, teamStream(OPERATOR_TEAM), contextOf(OPERATOR_TEAM), command);
    expect(await people.firstStartIsOpen(link)).to.equal(true);
    expect(await people.newFirstStart()).to.be.a('string');
    const { token } = await people.acceptFirstStart(link, accountOf('Olga'), context);
    expect((await signedIn(people, token)).role).to.equal('owner');
    expect(await people.newFirstStart()).to.equal(null);
  });

  it('lets one of several in who use it, or two of it, at the same time', async () => {
    const { people } = await started();
    const other = await openNode(stores);
    const links = [(await people.newFirstStart())!, (await people.newFirstStart())!];
    const names = ['Ann', 'Bob', 'Cem', 'Dan'];
    const uses = await Promise.allSettled(
      names.map((name, n) =>
        [people, other.people][n % 2]!.acceptFirstStart(links[n >> 1]!, accountOf(name), context),
      ),
    );
    expect(uses.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await people.members(OPERATOR_TEAM)).to.have.length(1);
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(1);
  });

  it('is no invitation, and an invitation is no such link', async () => {
    const { people } = await started();
    const link = (await people.newFirstStart())!;
    expect(await people.invitation(link)).to.equal(null);
    await refusal(people.acceptInvitation(link, accountOf('Mia'), context), 'link_not_valid');
    const { token } = await people.acceptFirstStart(link, accountOf('Olga'), context);
    const invited = (await people.invite(await signedIn(people, token), 'viewer')).token;
    expect(await people.firstStartIsOpen(invited)).to.equal(false);
    await refusal(people.acceptFirstStart(invited, accountOf('Mia'), context), 'link_not_valid');
  });
});

describe('an invitation', () => {
  const stores = embeddedStores('each test');

  it('adds a person with its role by one use, and names the person as the actor', async () => {
    const { people, olga } = await givenOwner(stores);
    const { token: link, expires_at } = await people.invite(olga, 'admin');
    expect(await people.invitation(link)).to.deep.equal({
      team_id: OPERATOR_TEAM,
      team_name: 'Operator',
      role: 'admin',
      expires_at,
      isForOne: false,
    });
    const { token, team_id } = await people.acceptInvitation(link, accountOf('Mia'), context);
    const mia = await signedIn(people, token!);
    expect(team_id).to.equal(OPERATOR_TEAM);
    expect(mia.role).to.equal('admin');
    expect(await people.invitation(link)).to.equal(null);
    await refusal(people.acceptInvitation(link, accountOf('Ben'), context), 'link_not_valid');
    const events = await eventsOf(stores.log, teamStream(OPERATOR_TEAM));
    expect(events.at(-1)?.type).to.equal('MemberAdded');
    expect(events.at(-1)?.meta).to.include({ actor: mia.person_id, correlation_id: 'request' });
    expect(await people.members(OPERATOR_TEAM)).to.deep.include({
      person_id: mia.person_id,
      name: 'Mia',
      email: 'mia@example.org',
      role: 'admin',
      added_at: events.at(-1)?.meta.at,
    });
  });

  it('is listed until it is used or has expired, and never for another team', async () => {
    const { people, commands, olga } = await givenOwner(stores);
    const { team: shop } = await createTeam(commands, contextOf('team_any'), 'Shop');
    const used = await people.invite(olga, 'viewer');
    const { expires_at } = await people.invite(olga, 'admin');
    expect(await people.invitations(OPERATOR_TEAM)).to.have.length(2);
    await people.acceptInvitation(used.token, accountOf('Mia'), context);
    const [left, ...others] = await people.invitations(OPERATOR_TEAM);
    expect(others).to.deep.equal([]);
    expect(left).to.include({ role: 'admin', invited_by: olga.person_id, expires_at });
    expect(await people.invitations(shop.id)).to.deep.equal([]);
    stores.clock.forward(7 * DAY);
    expect(await people.invitations(OPERATOR_TEAM)).to.deep.equal([]);
  });

  it('works no more once it is withdrawn, on every node', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    const { token } = await people.invite(olga, 'member');
    const [open] = await people.invitations(OPERATOR_TEAM);
    await other.people.withdrawInvitation(olga, open!.invitation_id);
    expect(await people.invitation(token)).to.equal(null);
    expect(await people.invitations(OPERATOR_TEAM)).to.deep.equal([]);
    await refusal(people.acceptInvitation(token, accountOf('Mia'), context), 'link_not_valid');
    await refusal(people.withdrawInvitation(olga, open!.invitation_id), 'not_found');
  });

  it('is withdrawn only in its own team, and only by a person who may give its role', async () => {
    const { people, commands, olga } = await givenOwner(stores);
    const { team: shop } = await createTeam(commands, contextOf('team_any'), 'Shop');
    const { acting: admin } = await givenMember(people, olga, 'Ada', 'admin');
    const { token } = await people.invite(olga, 'owner');
    const [open] = await people.invitations(OPERATOR_TEAM);
    await refusal(people.withdrawInvitation({ ...olga, team: shop.id }, open!.invitation_id), 'not_found');
    await refusal(people.withdrawInvitation(admin, open!.invitation_id), 'forbidden');
    expect(await people.invitation(token)).to.include({ role: 'owner' });
  });

  it('keeps name, e-mail, password and token out of the log, and out of State as plain text', async () => {
    const { people, olga } = await givenOwner(stores);
    const { token: link } = await people.invite(olga, 'viewer');
    const linkInState = JSON.stringify(await stores.state.list('invitation', { limit: 10 }));
    await people.acceptInvitation(link, accountOf('Wilhelmina'), context);
    const log = JSON.stringify((await stores.log.readAll({ after: '' })).events);
    const kinds = ['person', 'email', 'session', 'invitation'];
    const state = JSON.stringify(
      await Promise.all(kinds.map((kind) => stores.state.list(kind, { limit: 10 }))),
    );
    for (const text of [log, state, linkInState]) {
      expect(text.toLowerCase()).not.to.include('wilhelmina');
      expect(text).not.to.include(link);
    }
  });

  it('expires after 7 days', async () => {
    const { people, olga } = await givenOwner(stores);
    const { token: link } = await people.invite(olga, 'viewer');
    stores.clock.forward(7 * DAY - 1);
    expect(await people.invitation(link)).not.to.equal(null);
    stores.clock.forward(1);
    expect(await people.invitation(link)).to.equal(null);
    await refusal(people.acceptInvitation(link, accountOf('Mia'), context), 'link_not_valid');
  });

  it('is made by admins and owners only, for a role that is not above theirs', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Mia', 'admin');
    const { acting: member } = await givenMember(people, olga, 'Ben', 'member');
    await people.invite(admin, 'admin');
    await refusal(people.invite(admin, 'owner'), 'forbidden');
    await refusal(people.invite(member, 'viewer'), 'forbidden');
    // The role that the caller names does not count.
    await refusal(people.invite({ ...member, role: 'owner' }, 'viewer'), 'forbidden');
  });

  it('is void once its inviter may not invite any more', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: admin } = await givenMember(people, olga, 'Mia', 'admin');
    const { token: link } = await people.invite(admin, 'admin');
    await people.changeRole(olga, admin.person_id, 'member');
    expect(await people.invitation(link)).to.equal(null);
    await refusal(people.acceptInvitation(link, accountOf('Ben'), context), 'forbidden');
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(2);
  });

  it('adds a person to a second team by their password, or while they are signed in', async () => {
    const { people, commands, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'member');
    const { person_id } = mia.acting;
    for (const who of [accountOf('Mia'), { person_id }]) {
      const { team } = await createTeam(commands, contextOf('team_any'), 'Shop');
      const boss = { ...olga, team: team.id };
      const sealed = 'sealed';
      const { team: decider } = await import('../../src/domain/teams/team.js');
      const add = { type: 'AddMember', person_id: olga.person_id, role: 'owner', sealed, by: null } as const;
      await commands.execute(decider, teamStream(team.id), contextOf(team.id), add);
      const { token: link } = await people.invite(boss, 'viewer');
      const wrong = { ...accountOf('Mia'), password: 'not the password' };
      await refusal(people.acceptInvitation(link, wrong, context), 'sign_in_failed');
      const { token, team_id } = await people.acceptInvitation(link, who, context);
      expect(team_id).to.equal(team.id);
      expect(token === null).to.equal('person_id' in who);
      const { memberships } = (await people.session(mia.token))!;
      expect(memberships).to.deep.include({ team_id: team.id, team_name: 'Shop', role: 'viewer' });
    }
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(2);
  });

  it('stays open when a member of the team uses it, who keeps their role and is signed in', async () => {
    const { people, olga } = await givenOwner(stores);
    const mia = await givenMember(people, olga, 'Mia', 'viewer');
    const { token: link } = await people.invite(olga, 'admin');
    const { token } = await people.acceptInvitation(link, accountOf('Mia'), context);
    expect((await signedIn(people, token!)).role).to.equal('viewer');
    await people.acceptInvitation(link, { person_id: mia.acting.person_id }, context);
    await people.acceptInvitation(link, accountOf('Ben'), context);
    expect((await people.members(OPERATOR_TEAM)).map(({ name, role }) => `${name} ${role}`)).to.have.members([
      'Olga owner',
      'Mia viewer',
      'Ben admin',
    ]);
  });

  it('lets one of several in who use it at the same time, and leaves no account of the others', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    for (let round = 0; round < 5; round += 1) {
      const before = (await people.members(OPERATOR_TEAM)).length;
      const { token: link } = await people.invite(olga, 'viewer');
      const uses = await Promise.allSettled(
        ['Ann', 'Bob', 'Cem', 'Dan'].map((name, n) =>
          [people, other.people][n % 2]!.acceptInvitation(link, accountOf(`${name}${round}`), context),
        ),
      );
      const codes = uses.map((use) => (use.status === 'rejected' ? String(use.reason.code) : 'in')).sort();
      expect(codes).to.deep.equal(['in', ...Array.from({ length: 3 }, () => 'link_not_valid')]);
      const members = (await people.members(OPERATOR_TEAM)).length;
      expect(members).to.equal(before + 1);
      expect(await stores.state.list('person', { limit: 100 }), 'accounts').to.have.length(members);
    }
  });

  it('makes one account where two links are accepted for one e-mail at the same time', async () => {
    const { people, olga } = await givenOwner(stores);
    const other = await openNode(stores);
    const links = [await people.invite(olga, 'viewer'), await people.invite(olga, 'viewer')];
    const uses = await Promise.all(
      links.map(({ token }, n) =>
        [people, other.people][n]!.acceptInvitation(token, accountOf('Mia'), context),
      ),
    );
    const persons = await Promise.all(
      uses.map(async ({ token }) => (await people.session(token!))?.person_id),
    );
    expect(new Set(persons)).to.have.property('size', 1);
    expect(await people.members(OPERATOR_TEAM)).to.have.length(2);
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(2);
  });

  it('refuses what a person cannot enter about themselves, all fields together, and stays open', async () => {
    const { people, olga } = await givenOwner(stores);
    const { token: link } = await people.invite(olga, 'viewer');
    const faults = async (changes: object) => {
      const who = { ...accountOf('Mia'), ...changes };
      const error: unknown = await people
        .acceptInvitation(link, who, context)
        .catch((caught: unknown) => caught);
      if (!isAppError(error, 'validation_failed')) return expect.fail(String(error));
      return error.fields.map(({ pointer, code }) => `${pointer} ${code}`);
    };
    expect(await faults({ password: 'x'.repeat(11) })).to.deep.equal(['/password too_short']);
    expect(await faults({ password: 'x'.repeat(201) })).to.deep.equal(['/password too_long']);
    expect(await faults({ name: ' M ', email: 'mia', password: '' })).to.deep.equal([
      '/name too_short',
      '/email not_valid',
      '/password too_short',
    ]);
    expect(await faults({ name: 'M\0a', email: `${'m'.repeat(250)}@example.org` })).to.deep.equal([
      '/name not_text',
      '/email too_long',
    ]);
    // Code points count, not UTF-16 units.
    const password = '🔑🗝🔒🔓🔐🛡🧱🚪🧲🪝🧷🪛';
    await people.acceptInvitation(link, { ...accountOf('Mia'), password }, context);
    await people.signIn({ ...credentialsOf('Mia'), password });
  });
});
