import { expect } from 'chai';
import { createTeam, OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { inviteOnMachine, resetOnMachine } from '../../src/people/on-machine.js';
import type { StoredClient } from '../../src/domain/audit/told-events.js';
import { tellNotes } from '../../src/audit/notes.js';
import { refusal } from '../contract/event-log/events.js';
import { contextOf, embeddedStores } from '../stores.js';
import { externalSignIns, mia as claimsOfMia } from './external.js';
import { accountOf, credentialsOf, givenMember, givenOwner, openNode, SECRET } from './given.js';

const client = { network: '192.0.2.0/24', agent: 'Firefox on Linux' };
const visit = { correlationId: 'request', client };
const HOUR_MS = 3_600_000;

describe('the audit of what people do', () => {
  const stores = embeddedStores('each test');
  const signIns = externalSignIns(stores);

  async function told(): Promise<LedgerEvent<'ActRecorded' | 'ActCounted'>[]> {
    const { events } = await stores.log.readAll({ after: '', filter: { streams: ['audit-'] } });
    return events as LedgerEvent<'ActRecorded' | 'ActCounted'>[];
  }
  const acts = async () =>
    (await told()).map(({ data, meta }) =>
      'act' in data ? `${data.act} ${data.subject.type} by ${meta.actor.slice(0, 7)}` : `count ${data.count}`,
    );
  /** Without the acts of making them. */
  async function given() {
    const node = await givenOwner(stores);
    const mia = await givenMember(node.people, node.olga, 'Mia', 'admin');
    const before = (await acts()).length;
    return { ...node, mia, since: async () => (await acts()).slice(before) };
  }

  it('tells a sign-in, a sign-out and the end of other sessions, with where they came from', async () => {
    const { people, mia, clients, since } = await given();
    const { token } = await people.signIn(credentialsOf('Mia'), visit);
    await people.endOtherSessions(mia.acting.person_id, token, visit);
    await people.signOut(token, visit);
    expect(await since()).to.deep.equal([
      'sign_in person by person_',
      'session_ended person by person_',
      'sign_out person by person_',
    ]);
    const { meta } = (await told()).at(-1)!;
    expect(await clients.open(meta.facts!['client'] as StoredClient)).to.deep.equal(client);
  });

  it('tells invitations that were made, used and withdrawn, and links to a new password', async () => {
    const { people, olga, mia, since } = await given();
    const { token } = await people.invite({ ...olga, client }, 'viewer');
    await people.acceptInvitation(token, accountOf('Nora'), visit);
    await people.invite(olga, 'viewer');
    const [open] = await people.invitations(OPERATOR_TEAM);
    await people.withdrawInvitation(olga, open!.invitation_id);
    const link = await people.resetLink(olga, mia.acting.person_id);
    await people.resetPassword(link.token, 'a new password of Mia', visit);
    expect(await since()).to.deep.equal([
      'invitation_made invitation by person_',
      'invitation_used invitation by person_',
      'invitation_made invitation by person_',
      'invitation_withdrawn invitation by person_',
      'reset_link_made person by person_',
      'reset_link_used person by person_',
    ]);
  });

  it('tells a changed e-mail and a changed password, but neither of them', async () => {
    const { people, mia, since } = await given();
    const { password } = accountOf('Mia');
    const profile = { name: 'Mia', email: 'other@example.org' };
    await people.changeProfile(mia.acting.person_id, profile, password, visit);
    await people.changeProfile(mia.acting.person_id, { ...profile, name: 'Mia B.' }, password, visit);
    const passwords = { current: password, next: 'a new password of Mia' };
    await people.changePassword(mia.acting.person_id, passwords, visit);
    expect(await since()).to.deep.equal([
      'email_changed person by person_',
      'password_changed person by person_',
    ]);
    expect(JSON.stringify(await told())).not.to.match(/example\.org|192\.0\.2|Firefox/);
  });

  it('tells wrong passwords of a person once an hour, and their number when the hour is over', async () => {
    const { people, tallies, since } = await given();
    const wrong = { ...credentialsOf('Mia'), password: 'wrong' };
    for (let n = 0; n < 3; n += 1) await refusal(people.signIn(wrong, visit), 'sign_in_failed');
    await tallies.close();
    const { signal } = new AbortController();
    await tallies.tellCounts(signal);
    expect(await since()).to.deep.equal(['sign_in_failed person by unknown']);
    stores.clock.forward(HOUR_MS + 60_000);
    await tallies.tellCounts(signal);
    await tallies.tellCounts(signal);
    expect(await since()).to.deep.equal(['sign_in_failed person by unknown', 'count 3']);
    await refusal(people.signIn(wrong, visit), 'sign_in_failed');
    await tallies.close();
    expect((await since()).slice(2)).to.deep.equal(['sign_in_failed person by unknown']);
  });

  it('tells wrong passwords that several processes saw once, and counts them together', async () => {
    const { people, tallies, since } = await given();
    const other = await openNode(stores);
    const wrong = { ...credentialsOf('Mia'), password: 'wrong' };
    await refusal(people.signIn(wrong, visit), 'sign_in_failed');
    await refusal(other.people.signIn(wrong, visit), 'sign_in_failed');
    await Promise.all([tallies.close(), other.tallies.close()]);
    stores.clock.forward(HOUR_MS + 60_000);
    const { signal } = new AbortController();
    await Promise.all([tallies.tellCounts(signal), other.tallies.tellCounts(signal)]);
    expect(await since()).to.deep.equal(['sign_in_failed person by unknown', 'count 2']);
  });

  it('does not grow by e-mails that nobody has', async () => {
    const { people, tallies, since } = await given();
    for (let n = 0; n < 5; n += 1)
      await refusal(people.signIn(credentialsOf(`Nobody${n}`), visit), 'sign_in_failed');
    await tallies.close();
    expect(await since()).to.deep.equal([]);
  });

  it('forgets where a person acted from with the person', async () => {
    const { people, olga, mia, clients } = await given();
    await people.signIn(credentialsOf('Mia'), visit);
    const stored = (await told()).at(-1)!.meta.facts!['client'] as StoredClient;
    expect(await clients.open(stored)).to.deep.equal(client);
    await people.forget(olga, mia.acting.person_id);
    expect(await clients.open(stored)).to.equal(null);
  });

  it('has where an admin acted from beside the events that tell it', async () => {
    const { people, olga, mia, clients } = await given();
    await people.changeRole({ ...olga, client }, mia.acting.person_id, 'viewer');
    const { events } = await stores.log.readAll({ after: '', filter: { types: ['MemberRoleChanged'] } });
    const stored = events.at(-1)!.meta.facts!['client'] as StoredClient;
    expect(stored).to.have.property('person_id', olga.person_id);
    expect(await clients.open(stored)).to.deep.equal(client);
  });

  it('tells links that somebody on the machine made beside the server, once', async () => {
    const { mia, audit, since } = await given();
    const { state, log, clock } = stores;
    const secretKeys = { current: SECRET, previous: null };
    await inviteOnMachine({ state, log, clock }, { team: OPERATOR_TEAM, role: 'owner' });
    await resetOnMachine({ state, log, clock, secretKeys }, accountOf('Mia').email);
    const teamsOf = async (person: string) => (person === mia.acting.person_id ? [OPERATOR_TEAM] : []);
    await tellNotes({ audit, state, teamsOf });
    await tellNotes({ audit, state, teamsOf });
    expect((await since()).sort()).to.deep.equal([
      'invitation_made invitation by operato',
      'reset_link_made person by operato',
    ]);
  });

  it('tells a person in each of their teams', async () => {
    const { people, olga, commands, directory } = await given();
    const { team, position } = await createTeam(commands, contextOf(OPERATOR_TEAM), 'Another');
    await directory.reached(position);
    const { state, log, clock } = stores;
    const link = await inviteOnMachine({ state, log, clock }, { team: team.id, role: 'owner' });
    await people.acceptInvitation(link!.token, { person_id: olga.person_id }, visit);
    await people.signIn(credentialsOf('Olga'), visit);
    const of = (await told()).filter(({ data }) => 'act' in data && data.act === 'sign_in');
    expect(of.map(({ meta }) => meta.team_id).sort()).to.deep.equal([OPERATOR_TEAM, team.id].sort());
  });

  it('tells a sign-in by the identity provider, and the e-mail that it changed', async () => {
    const { enter } = await signIns.given();
    const before = (await acts()).length;
    const claims = claimsOfMia(['developers']);
    await enter('mia', claims);
    await enter('mia', { ...claims, email: 'new@example.org' });
    expect((await acts()).slice(before)).to.deep.equal([
      'sign_in person by person_',
      'email_changed person by system',
      'sign_in person by person_',
    ]);
    expect((await told()).at(-1)!.data).to.deep.include({ details: { by: 'provider' } });
  });
});
