import { expect } from 'chai';
import { embeddedStores } from '../stores.js';
import { externalSignIns, mia } from './external.js';
import { givenMember } from './given.js';

describe('the groups of a member', () => {
  const stores = embeddedStores('each test');
  const { given } = externalSignIns(stores);

  it('leaves an invited member in the team who leaves a group, with the role of the invitation', async () => {
    const { people, enter, olga, roleOf } = await given();
    const { acting } = await givenMember(people, olga, 'Mia', 'viewer');
    for (const _ of ['once', 'again']) {
      await enter('mia-1', mia(['developers']));
      await enter('mia-1', mia(['ledger-admins']));
      expect(await roleOf('Mia')).to.equal('admin');
      const person = await people.session((await enter('mia-1', mia([]))).token);
      expect(person!.person_id).to.equal(acting.person_id);
      expect(await roleOf('Mia')).to.equal('viewer');
    }
  });

  it('gives an invited member who leaves a group the role that an admin has set since', async () => {
    const { people, enter, olga, roleOf } = await given();
    const { acting } = await givenMember(people, olga, 'Mia', 'admin');
    await enter('mia-1', mia(['developers']));
    await people.changeRole(olga, acting.person_id, 'viewer');
    await enter('mia-1', mia(['developers']));
    expect(await roleOf('Mia')).to.equal('member');
    await enter('mia-1', mia([]));
    expect(await roleOf('Mia')).to.equal('viewer');
  });

  it('leaves a member who was removed by hand and then invited, whatever groups they had before', async () => {
    const { people, enter, join, olga, code, roleOf } = await given();
    const person = (await people.session((await enter('mia-1', mia(['developers']))).token))!;
    await people.removeMember(olga, person.person_id);
    await join('mia-1', mia([]), (await people.invite(olga, 'viewer')).token);
    await enter('mia-1', mia(['developers']));
    await enter('mia-1', mia([]));
    expect(await roleOf('Mia')).to.equal('viewer');
    await people.removeMember(olga, person.person_id);
    await enter('mia-1', mia(['developers']));
    await people.changeRole(olga, person.person_id, 'admin');
    expect(await code(enter('mia-1', mia([]))), 'a change by hand is no invitation').to.equal(
      'sign_in_failed',
    );
    expect(await roleOf('Mia')).to.equal(null);
  });
});
