import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { embeddedStores } from '../stores.js';
import { externalSignIns, mia, REDIRECT } from './external.js';
import { accountOf, context, givenMember } from './given.js';

describe('joining by the identity provider', () => {
  const stores = embeddedStores('each test');
  const { given } = externalSignIns(stores);

  it('lets a person back in who was removed, by a new invitation and the provider: their password has ended', async () => {
    const { people, enter, join, prove, olga, code, roleOf } = await given();
    const { acting } = await givenMember(people, olga, 'Mia', 'member');
    await enter('mia-1', mia([]));
    await people.removeMember(olga, acting.person_id);
    expect(await code(enter('mia-1', mia([])))).to.equal('sign_in_failed');
    const { token: link } = await people.invite(olga, 'viewer');
    expect(await code(people.acceptInvitation(link, accountOf('Mia'), context))).to.equal('sign_in_failed');
    const proof = await prove('mia-1', mia([]), link);
    expect(people.external!.proven(link, proof)).to.deep.equal({ name: 'Mia', email: 'mia@example.org' });
    expect(await roleOf('Mia'), 'before they have said that they want to').to.equal(null);
    const { token, team_id } = await join('mia-1', mia([]), link);
    expect(team_id).to.equal(OPERATOR_TEAM);
    const person = await people.session(token);
    expect(person!.person_id).to.equal(acting.person_id);
    expect(person!.memberships[0]!.role).to.equal('viewer');
    await enter('mia-1', mia([]));
  });

  it('lets a person back in by an invitation who had their account by a group', async () => {
    const { people, enter, join, olga, code, roleOf } = await given();
    await enter('mia-1', mia(['developers']));
    expect(await code(enter('mia-1', mia([])))).to.equal('sign_in_failed');
    const { token: link } = await people.invite(olga, 'viewer');
    await join('mia-1', mia([]), link);
    await enter('mia-1', mia([]));
    expect(await roleOf('Mia')).to.equal('viewer');
  });

  it('makes the account of an invited person who has none, when they join', async () => {
    const { people, prove, enter, olga, code } = await given();
    const { token: link } = await people.invite(olga, 'member');
    const proof = await prove('mia-1', mia([]), link);
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(1);
    const { token } = await people.external!.join(link, proof, context);
    const person = await people.session(token);
    expect(person).to.include({ name: 'Mia', email: 'mia@example.org' });
    expect(await people.hasPassword(person!.person_id)).to.equal(false);
    const again = await people.session((await enter('mia-1', mia([]))).token);
    expect(again!.person_id).to.equal(person!.person_id);
    expect(await code(enter('ben-1', { ...mia([]), email: 'ben@example.org' }))).to.equal('sign_in_failed');
  });

  it('lets one person in by an invitation, once, and makes no account of another', async () => {
    const { people, prove, olga, code } = await given();
    const ben = { ...mia([]), name: 'Ben', email: 'ben@example.org' };
    const { token: link } = await people.invite(olga, 'member');
    const proofs = [await prove('mia-1', mia([]), link), await prove('ben-1', ben, link)];
    const codes = await Promise.all(proofs.map((proof) => code(people.external!.join(link, proof, context))));
    expect(codes).to.have.members(['link_not_valid', 'no error']);
    expect(await people.members(OPERATOR_TEAM)).to.have.length(2);
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(2);
    for (const proof of proofs)
      expect(await code(people.external!.join(link, proof, context))).to.equal('link_not_valid');
  });

  it('joins by the invitation of the sign-in alone, while it is open, and for 10 minutes', async () => {
    const { people, prove, enter, olga, code } = await given();
    const [one, other] = [
      (await people.invite(olga, 'viewer')).token,
      (await people.invite(olga, 'admin')).token,
    ];
    const proof = await prove('mia-1', mia([]), one);
    const joining = (link: string, by: string) => code(people.external!.join(link, by, context));
    const under = (await people.external!.begin(REDIRECT, '/', one)).cookie;
    for (const wrong of ['', 'AAAA', proof.slice(0, -8), under]) {
      expect(await joining(one, wrong), wrong).to.equal('sign_in_failed');
      expect(people.external!.proven(one, wrong)).to.equal(null);
    }
    expect(await joining(other, proof)).to.equal('sign_in_failed');
    expect(people.external!.proven(other, proof)).to.equal(null);
    stores.clock.forward(10 * 60_000);
    expect(await joining(one, proof)).to.equal('sign_in_failed');
    const later = await prove('mia-1', mia([]), one);
    for (const { invitation_id } of await people.invitations(OPERATOR_TEAM))
      await people.withdrawInvitation(olga, invitation_id);
    expect(await joining(one, later)).to.equal('link_not_valid');
    expect(await code(prove('mia-1', mia([]), one))).to.equal('sign_in_failed');
    expect(await code(enter('mia-1', mia([])))).to.equal('sign_in_failed');
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(1);
  });

  it('lets in by an invitation for one e-mail only the person whose e-mail the provider has verified', async () => {
    const { people, prove, join, olga, code, roleOf } = await given();
    const { token: link } = await people.invite(olga, 'member', 'mia@example.org');
    const ben = { ...mia([]), name: 'Ben', email: 'ben@example.org' };
    expect(await code(join('ben-1', ben, link))).to.equal('sign_in_failed');
    const unverified = { ...mia([]), email_verified: false };
    expect(await code(prove('mallory', unverified, link))).to.equal('sign_in_failed');
    await join('mia-1', mia([]), link);
    expect(await roleOf('Mia')).to.equal('member');
  });

  it('takes no typed e-mail for an invitation for one e-mail: by no password, new account or changed e-mail', async () => {
    const { people, join, olga, code, roleOf } = await given();
    const { acting: ben } = await givenMember(people, olga, 'Ben', 'viewer');
    await people.removeMember(olga, ben.person_id);
    const { token: link } = await people.invite(olga, 'owner', 'mia@example.org');
    const typed = [accountOf('Mia'), accountOf('Ben'), accountOf('Eve'), { person_id: ben.person_id }];
    for (const who of [...typed, ...typed])
      expect(await code(people.acceptInvitation(link, who, context))).to.equal('sign_in_failed');
    expect(await stores.state.list('person', { limit: 10 }), 'accounts').to.have.length(2);
    // These were no tries, which would have ended it.
    await join('mia-1', mia([]), link);
    expect(await roleOf('Mia')).to.equal('owner');
    const { token: open } = await people.invite(olga, 'viewer');
    expect(await code(people.acceptInvitation(open, accountOf('Eve'), context))).to.equal('no error');
  });

  it('takes neither a first start for an invitation, nor an e-mail that the provider has not verified', async () => {
    const { people, prove, link: used, olga, code } = await given();
    expect(await code(prove('mia-1', mia([]), used))).to.equal('sign_in_failed');
    const { token: link } = await people.invite(olga, 'admin');
    const claims = { ...mia([]), email: accountOf('Olga').email, email_verified: false };
    expect(await code(prove('mallory', claims, link))).to.equal('sign_in_failed');
  });
});
