import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { limits } from '../../../src/limits.js';
import type { Member } from '../../../src/people/people.js';
import { actionsOf, pageServer, type Shown } from '../../kit/page-server.js';

const base = `/teams/${OPERATOR_TEAM}/team`;
/** The longest name, of signs that need the most bytes in HTML. */
const NAME = '"'.repeat(limits.nameLength);

describe('a page of a large team', () => {
  const server = pageServer();
  const expectBounded = ({ status, text }: Shown) => {
    expect(status).to.equal(200);
    expect(Buffer.byteLength(text)).to.be.below(300_000);
    expect(text.match(/<tr[ >]/g)!.length).to.be.below(201);
    expect(text.match(/<[a-z]/g)!.length).to.be.below(5_000);
  };

  it('has up to 300 kB, 200 rows and 5,000 elements with all members and invitations that a team can have', async () => {
    const member = (n: number): Member => ({
      person_id: `person_${n}`,
      name: NAME,
      email: `${n}@${'"'.repeat(limits.emailLength - 5)}`,
      role: 'member',
      added_at: '2026-01-02T03:04:05.678Z',
    });
    const all = Array.from({ length: limits.membersPerTeam }, (_, n) => member(n));
    const open = Array.from({ length: limits.invitationsPerTeam }, (_, n) => ({
      invitation_id: `${n}`.padStart(64, '0'),
      role: 'member' as const,
      invited_by: `person_${n}`,
      isForOne: false,
      expires_at: '2026-01-02T03:04:05.678Z',
    }));
    for (const page of [1, 12]) {
      server.people.next('members', async () => all);
      server.people.next('invitations', async () => open);
      const query = `page=${page}&invitations=${Math.min(page, 5)}`;
      const shown = await server.get(`${base}?${query}`, { as: 'owner' });
      expectBounded(shown);
      expect(shown.text).to.include(`of ${limits.membersPerTeam}`);
      expect(shown.text).to.include(`of ${limits.invitationsPerTeam}`);
    }
  });

  it('has up to 300 kB, 200 rows and 5,000 elements with many keys', async () => {
    for (let n = 0; n < 60; n += 1) {
      const form = { name: NAME, role: 'member' };
      expect((await server.post(`${base}/keys`, { as: 'owner', form })).status).to.equal(200);
    }
    expectBounded(await server.get(`${base}/keys`, { as: 'owner' }));
    expectBounded(await server.get(`${base}/keys?page=2`, { as: 'owner' }));
  });

  it('shows each open invitation on one of its pages, to be withdrawn there, and counts all', async () => {
    const open = Array.from({ length: 105 }, (_, n) => ({
      invitation_id: `invitation-${n}`,
      role: 'member' as const,
      invited_by: 'person_admin',
      isForOne: false,
      expires_at: '2026-01-02T03:04:05.678Z',
    }));
    const shown: string[] = [];
    for (let path: string | undefined = base; path !== undefined;) {
      server.people.next('invitations', async () => open);
      const page = await server.get(path, { as: 'owner' });
      expect(page.text).to.include('Open invitations <span class="count">105</span>');
      shown.push(...actionsOf(page).filter((action) => action.endsWith('/withdraw')));
      path = /rel="next" href="([^"]*invitations=\d+)"/.exec(page.text)?.[1];
    }
    expect(shown).to.deep.equal(
      open.map(({ invitation_id }) => `${base}/invitations/${invitation_id}/withdraw`),
    );
  });

  it('leads from the answer to a form to the pages of the list', async () => {
    const member = (await server.people.members(OPERATOR_TEAM))[0]!;
    server.people.next('members', async () => Array.from({ length: 120 }, () => member));
    const { text } = await server.post(`${base}/invitations`, { as: 'owner', form: { role: 'viewer' } });
    expect(text).to.include(`href="${base}?page=2"`);
  });
});
