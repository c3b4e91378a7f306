import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { NewAccount } from '../../src/people/people.js';
import { refusal } from '../contract/event-log/events.js';
import { embeddedStores } from '../stores.js';
import { accountOf, context, givenMember, givenOwner, openNode, signedIn } from './given.js';

describe('an invitation', () => {
  const stores = embeddedStores('each test');

  it('for one e-mail lets in nobody else: no new account, and no person who is signed in', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: ben } = await givenMember(people, olga, 'Ben', 'viewer');
    await people.removeMember(olga, ben.person_id);
    const { token: link } = await people.invite(olga, 'owner', ' Mia@Example.org');
    expect(await people.invitation(link)).to.include({ isForOne: true });
    expect((await people.invitations(OPERATOR_TEAM)).map(({ isForOne }) => isForOne)).to.deep.equal([true]);
    for (const who of [accountOf('Eve'), accountOf('Ben'), { person_id: ben.person_id }])
      await refusal(people.acceptInvitation(link, who, context), 'sign_in_failed');
    const stored = JSON.stringify(await stores.state.list('invitation', { limit: 10 }));
    expect(stored.toLowerCase()).to.not.include('mia@');
    const { token } = await people.acceptInvitation(link, accountOf('Mia'), context);
    expect((await signedIn(people, token!)).role).to.equal('owner');
    await refusal(people.invite(olga, 'owner', 'no address'), 'validation_failed');
  });

  it('for one e-mail says not which it is: a wrong one answers as a wrong password does, and five of them end it', async () => {
    const { people, olga } = await givenOwner(stores);
    const { acting: mia } = await givenMember(people, olga, 'Mia', 'viewer');
    await people.removeMember(olga, mia.person_id);
    const other = await openNode(stores);
    const { token: link } = await people.invite(olga, 'owner', 'mia@example.org');
    const said = async (who: NewAccount, node = people) =>
      (await refusal(node.acceptInvitation(link, who, context), 'sign_in_failed')).message;
    const wrongPassword = await said({ ...accountOf('Mia'), password: 'not the one of Mia' });
    expect(await said(accountOf('Eve'))).to.equal(wrongPassword);
    // What is wrong with any e-mail is said before, and is no try.
    for (const name of ['Mia', 'Eve'])
      await refusal(
        people.acceptInvitation(link, { ...accountOf(name), password: '' }, context),
        'validation_failed',
      );
    const all = [accountOf('Ada'), accountOf('Ben'), accountOf('Cem'), accountOf('Dan'), accountOf('Fay')];
    const answers = await Promise.allSettled(
      all.map((who, n) => (n % 2 === 0 ? people : other.people).acceptInvitation(link, who, context)),
    );
    const codes = answers.map(
      (answer) => answer.status === 'rejected' && (answer.reason as { code: string }).code,
    );
    expect(codes.filter((code) => code === 'sign_in_failed')).to.have.length(3);
    expect(codes.filter((code) => code === 'link_not_valid')).to.have.length(2);
    for (const node of [people, other.people]) {
      await refusal(node.acceptInvitation(link, accountOf('Mia'), context), 'link_not_valid');
      expect(await node.invitations(OPERATOR_TEAM)).to.deep.equal([]);
    }
    const { events } = await stores.log.readAll({ after: '', filter: { streams: ['audit-'] } });
    const told = events.map(({ data }) => (data as { act?: string }).act);
    expect(told.filter((act) => act === 'invitation_ended')).to.have.length(1);
  });
});
