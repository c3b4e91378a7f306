import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { invalidFields } from '../../../src/errors.js';
import { personOf } from '../../kit/fake-people.js';
import { pageServer } from '../../kit/page-server.js';

const base = `/teams/${OPERATOR_TEAM}/team`;

describe('an act that nobody can undo', () => {
  const server = pageServer();
  const unproven = () =>
    server.people.next('session', async () => ({ ...personOf('owner'), isProven: false }));

  const acts: [path: string, form: Record<string, string>][] = [
    [`${base}/members/person_member/forget`, {}],
    [`${base}/members/person_member/role`, { role: 'owner' }],
    [`${base}/invitations`, { role: 'owner' }],
    [`${base}/keys`, { role: 'owner', name: 'CI' }],
    [`${base}/members/person_owner/role`, { role: 'member' }],
    [`${base}/members/person_owner/remove`, {}],
    ['/account/delete', {}],
  ];
  for (const [path, form] of acts) {
    it(`asks again by ${path}, leads back to its form, and has changed nothing`, async () => {
      unproven();
      const headers = { referer: `${server.url}${base}?page=2` };
      const { status, headers: sent } = await server.post(path, { as: 'owner', form, headers });
      expect(status).to.equal(303);
      expect(sent.location).to.equal(`/confirm?next=${encodeURIComponent(`${base}?page=2`)}`);
      expect(server.people.recorded).to.deep.equal([]);
    });
  }

  it('is done at once by a person who has shown a moment ago that it is them', async () => {
    await server.post(acts[0]![0], { as: 'owner' });
    expect(server.people.recorded.map(({ call }) => call)).to.deep.equal(['forget']);
  });

  it('does not stand in the way of any other act', async () => {
    unproven();
    await server.post(`${base}/members/person_member/role`, { as: 'owner', form: { role: 'admin' } });
    unproven();
    await server.post(`${base}/members/person_member/remove`, { as: 'owner' });
    expect(server.people.recorded.map(({ call }) => call)).to.deep.equal(['changeRole', 'removeMember']);
  });

  it('takes the present password, and says what is wrong with it', async () => {
    const form = { next: base, current_password: 'a long password' };
    const done = await server.post('/confirm', { as: 'owner', form });
    expect(done.headers.location).to.equal(base);
    server.people.next('confirm', async () =>
      invalidFields([{ pointer: '/current_password', code: 'not_valid', detail: 'must be your password' }]),
    );
    const wrong = await server.post('/confirm', { as: 'owner', form });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('It must be your password.').and.not.include('a long password');
    expect((await server.get('/confirm?next=%2F%2Fevil.example')).headers.location).to.equal(
      '/sign-in?next=%2F',
    );
  });
});
