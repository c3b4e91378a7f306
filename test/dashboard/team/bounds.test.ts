import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { limits } from '../../../src/limits.js';
import type { Member } from '../../../src/people/people.js';
import { pageServer, type Shown } from '../page-server.js';

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

  it('has up to 300 kB, 200 rows and 5,000 elements with all members that a team can have', async () => {
    const member = (n: number): Member => ({
      person_id: `person_${n}`,
      name: NAME,
      email: `${n}@${'"'.repeat(limits.emailLength - 5)}`,
      role: 'member',
      added_at: '2026-01-02T03:04:05.678Z',
    });
    const all = Array.from({ length: limits.membersPerTeam }, (_, n) => member(n));
    for (const page of [1, 12]) {
      server.people.next('members', async () => all);
      const shown = await server.get(`${base}?page=${page}`, { as: 'owner' });
      expectBounded(shown);
      expect(shown.text).to.include(`of ${limits.membersPerTeam}`);
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

  it('leads from the answer to a form to the pages of the list', async () => {
    const member = (await server.people.members(OPERATOR_TEAM))[0]!;
    server.people.next('members', async () => Array.from({ length: 120 }, () => member));
    const { text } = await server.post(`${base}/invitations`, { as: 'owner', form: { role: 'viewer' } });
    expect(text).to.include(`href="${base}?page=2"`);
  });
});
