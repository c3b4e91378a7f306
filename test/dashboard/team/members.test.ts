import { expect } from 'chai';
import type { Acting } from '../../../src/people/people.js';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { fail } from '../../../src/errors.js';
import { pageServer } from '../../kit/page-server.js';

const base = `/teams/${OPERATOR_TEAM}/team`;

describe('the page of members', () => {
  const server = pageServer();
  /** The calls without the id of the request, and without where it came from. */
  const recorded = () =>
    server.people.recorded.map(({ call, args: [by, ...rest] }) => {
      const { correlationId, client, ...acting } = by as Acting;
      expect(correlationId).to.be.a('string').and.not.equal('');
      expect(client).to.have.property('network', '127.0.0.0/24');
      return [call, acting, ...rest];
    });
  const owner = { person_id: 'person_owner', team: OPERATOR_TEAM, role: 'owner' };

  it('shows an invitation once, as a link to this server', async () => {
    const { status, text } = await server.post(`${base}/invitations`, {
      as: 'owner',
      form: { role: 'admin' },
    });
    expect(status).to.equal(200);
    expect(text).to.include(`${server.url}/invitations/an-invitation`).and.include('2031-02-03 04:05 UTC');
    expect(text).to.include('<copy-button data-text=');
    expect(recorded()).to.deep.equal([['invite', owner, 'admin', null]]);
    expect((await server.get(base, { as: 'owner' })).text).to.not.include('an-invitation');
  });

  it('makes an invitation for one e-mail, and shows which ones are', async () => {
    const form = { role: 'member', email: ' mia@example.org ' };
    const { text } = await server.post(`${base}/invitations`, { as: 'owner', form });
    expect(text).to.include('it lets nobody else in').and.include('for one e-mail');
    expect(recorded()).to.deep.equal([['invite', owner, 'member', 'mia@example.org']]);
  });

  it('leads back when the page with a link is loaded again', async () => {
    for (const path of [`${base}/invitations`, `${base}/members/person_member/reset-link`]) {
      const { headers } = await server.get(path, { as: 'owner' });
      expect(headers.location).to.equal(base);
    }
    expect(server.people.recorded).to.deep.equal([]);
  });

  it('takes a role that it does not offer for the lowest one', async () => {
    await server.post(`${base}/invitations`, { as: 'owner', form: { role: 'root' } });
    expect(recorded()).to.deep.equal([['invite', owner, 'viewer', null]]);
  });

  it('lists the open invitations for admins and owners, and withdraws one', async () => {
    for (const as of ['admin', 'owner'])
      expect((await server.get(base, { as })).text)
        .to.include('Open invitations')
        .and.include('The admin');
    for (const as of ['viewer', 'member'])
      expect((await server.get(base, { as })).text).to.not.include('Open invitations');
    const { status, headers } = await server.post(`${base}/invitations/invitation-1/withdraw`, {
      as: 'owner',
    });
    expect([status, headers.location]).to.deep.equal([303, base]);
    expect(recorded()).to.deep.equal([['withdrawInvitation', owner, 'invitation-1']]);
  });

  it('says why there is no further invitation in a team that has its maximum of open ones', async () => {
    server.people.next('invite', async () => fail('invitation_limit', 'A team can have at most 100.'));
    const { status, text } = await server.post(`${base}/invitations`, {
      as: 'owner',
      form: { role: 'viewer' },
    });
    expect(status).to.equal(409);
    expect(text).to.include('A team can have at most 100.').and.include('Open invitations');
  });

  it('says that an invitation is gone already', async () => {
    server.people.next('withdrawInvitation', async () => fail('not_found', 'This invitation was used.'));
    const { status, text } = await server.post(`${base}/invitations/invitation-1/withdraw`, { as: 'owner' });
    expect(status).to.equal(404);
    expect(text).to.include('This invitation was used.');
  });

  it('shows a link for a new password once', async () => {
    const { text } = await server.post(`${base}/members/person_member/reset-link`, { as: 'owner' });
    expect(text).to.include(`${server.url}/reset/a-reset`);
    expect(recorded()).to.deep.equal([['resetLink', owner, 'person_member']]);
  });

  it('changes a role, removes and forgets a member, and leads back', async () => {
    const one = `${base}/members/person_member`;
    const answers = [
      await server.post(`${one}/role`, { as: 'owner', form: { role: 'admin' } }),
      await server.post(`${one}/remove`, { as: 'owner' }),
      await server.post(`${one}/forget`, { as: 'owner' }),
    ];
    for (const { status, headers } of answers) expect([status, headers.location]).to.deep.equal([303, base]);
    expect(recorded()).to.deep.equal([
      ['changeRole', owner, 'person_member', 'admin'],
      ['removeMember', owner, 'person_member'],
      ['forget', owner, 'person_member'],
    ]);
  });

  it('lists the keys that end with a member before they are removed, and takes one over', async () => {
    const one = `${base}/members/person_member/remove`;
    const key = { key_id: 'key_1', name: 'nightly', role: 'member', prefix: 'tl_abcde' } as const;
    server.people.next('keysOf', async () => [key]);
    const { text } = await server.get(one, { as: 'owner' });
    expect(text).to.include('nightly').and.include(`${one}/keys/key_1/take-over`);
    const { headers } = await server.post(`${one}/keys/key_1/take-over`, { as: 'owner' });
    expect(headers.location).to.equal(one);
    expect(recorded()).to.deep.equal([['takeKeyOver', owner, 'person_member', 'key_1']]);
  });

  it('forgets an owner only on the page of their account, which takes the present password', async () => {
    const { headers } = await server.post(`${base}/members/person_owner/forget`, { as: 'owner' });
    expect(headers.location).to.equal('/account');
    expect(recorded()).to.deep.equal([]);
  });

  it('lets everybody leave, and only themselves', async () => {
    const { headers } = await server.post(`${base}/leave`, {
      as: 'viewer',
      form: { person: 'person_owner' },
    });
    expect(headers.location).to.equal('/');
    const viewer = { person_id: 'person_viewer', team: OPERATOR_TEAM, role: 'viewer' };
    expect(recorded()).to.deep.equal([['removeMember', viewer, 'person_viewer']]);
  });

  it('says why the last owner cannot leave', async () => {
    server.people.next('removeMember', async () => fail('last_owner', 'This person is the last owner.'));
    const { status, text } = await server.post(`${base}/leave`, { as: 'owner' });
    expect(status).to.equal(409);
    expect(text).to.include('This person is the last owner.').and.include('The viewer');
  });
});
