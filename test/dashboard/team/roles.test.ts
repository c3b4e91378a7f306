import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { pages } from '../../../src/dashboard/pages.js';
import { atLeast } from '../../../src/domain/teams/team.js';
import { OTHER_TEAM, roles } from '../../kit/fake-people.js';
import { actionsOf, pageServer } from '../../kit/page-server.js';

/** The lowest role for each page of a team's own pages. */
const lowest: Record<string, (typeof roles)[number]> = {
  'GET /team': 'viewer',
  'POST /team/leave': 'viewer',
  'POST /team/invitations': 'admin',
  'GET /team/invitations': 'viewer',
  'POST /team/invitations/:invitation/withdraw': 'admin',
  'POST /team/members/:person/role': 'admin',
  'POST /team/members/:person/remove': 'admin',
  'POST /team/members/:person/reset-link': 'admin',
  'GET /team/members/:person/reset-link': 'viewer',
  'POST /team/members/:person/forget': 'owner',
  'GET /team/members/:person/remove': 'admin',
  'POST /team/members/:person/remove/keys/:key/take-over': 'admin',
  'GET /team/keys': 'admin',
  'POST /team/keys': 'admin',
  'POST /team/keys/:key/revoke': 'admin',
  'GET /team/webhooks': 'admin',
  'POST /team/webhooks': 'admin',
  'GET /team/webhooks/preview': 'admin',
  'POST /team/webhooks/preview': 'admin',
  'GET /team/webhooks/:webhook/preview': 'admin',
  'POST /team/webhooks/:webhook/preview': 'admin',
  'GET /team/webhooks/:webhook': 'admin',
  'POST /team/webhooks/:webhook/change': 'admin',
  'POST /team/webhooks/:webhook/enable': 'admin',
  'POST /team/webhooks/:webhook/disable': 'admin',
  'POST /team/webhooks/:webhook/delete': 'admin',
  'POST /team/webhooks/:webhook/ping': 'admin',
  'POST /team/webhooks/:webhook/rotate-secret': 'admin',
  'GET /team/webhooks/:webhook/rotate-secret': 'admin',
  'POST /team/webhooks/:webhook/recover': 'admin',
  'POST /team/webhooks/:webhook/deliveries/:delivery/resend': 'admin',
  'GET /team/uploads': 'member',
  'GET /team/audit': 'admin',
  'GET /team/audit/csv': 'admin',
  'GET /team/audit/json': 'admin',
  'GET /team/usage': 'admin',
  'GET /team/redactions': 'admin',
  'POST /team/redactions': 'admin',
  'GET /team/delete': 'owner',
  'POST /team/delete': 'owner',
  'GET /team/settings': 'admin',
  'POST /team/settings/gate': 'admin',
  'POST /team/settings/no-gate': 'admin',
  'GET /operations': 'owner',
};

const own = pages.filter(({ path }) => /^\/teams\/:team\/(team|operations)(\/|$)/.test(path));
const base = `/teams/${OPERATOR_TEAM}`;

describe('a role on the pages of a team', () => {
  const server = pageServer();

  it('is listed in this suite for every page', () => {
    const mounted = own.map(({ method, path }) => `${method} ${path.replace('/teams/:team', '')}`);
    expect(mounted).to.have.members(Object.keys(lowest));
  });

  for (const [route, needed] of Object.entries(lowest)) {
    const [method, pattern] = route.split(' ') as ['GET' | 'POST', string];
    const path = pattern.replaceAll(/:\w+/g, 'unknown');
    const ask = method === 'GET' ? server.get : server.post;

    it(`of ${needed} and above opens ${route}, and a lower one changes nothing`, async () => {
      for (const role of roles) {
        server.people.reset();
        const { status } = await ask(base + path, { as: role });
        if (atLeast(role, needed)) {
          expect([200, 303, 400, 404], `${role}: ${status}`).to.include(status);
        } else {
          expect(status, role).to.equal(403);
          expect(server.people.recorded, role).to.deep.equal([]);
        }
      }
    });

    it(`of another team does not open ${route}`, async () => {
      for (const team of [OTHER_TEAM, 'team_that_does_not_exist']) {
        const { status, text } = await ask(`/teams/${team}${path}`, { as: 'admin' });
        expect(status).to.equal(404);
        expect(text).to.include('There is no such page.');
        expect(server.people.recorded).to.deep.equal([]);
      }
    });
  }

  it('says in HTML that there is no such page, with the way back to the team of the person', async () => {
    for (const end of ['/no-such-page', '/runs/run_1', '/runs/run_1/no-such-page']) {
      const { status, text } = await server.get(`${base}${end}`, { as: 'admin' });
      expect(status, end).to.equal(404);
      expect(text).to.include('<h1>There is no such').and.include('href="/"');
    }
    for (const path of ['/nope', '/teams/nope/nope', '/v1/nope']) {
      const { status, text } = await server.get(path, { as: 'admin' });
      expect([status, text.includes('<h1>There is no such page.')], path).to.deep.equal([404, true]);
    }
    const { text } = await server.get(`${base}/runs/run_1`, { as: 'admin' });
    expect(text).to.include(`href="${base}/team"`);
  });

  it('shows no form that it may not send, and no link to a part that it may not open', async () => {
    const sent = new Set<string>();
    for (const role of roles) {
      for (const { path } of own.filter((page) => page.method === 'GET' && !page.path.includes(':w'))) {
        const page = await server.get(path.replace(':team', OPERATOR_TEAM), { as: role });
        if (page.status !== 200) continue;
        for (const action of actionsOf(page).filter((each) => each !== '/sign-out')) {
          const found = own.find(({ method, path }) => method === 'POST' && asPattern(path).test(action));
          expect(found, action).to.not.equal(undefined);
          expect(atLeast(role, found!.role), `${role}: ${action}`).to.equal(true);
          sent.add(found!.path);
        }
        for (const [, link] of page.text.matchAll(/href="(\/teams\/[^"?]+\/(?:team|operations)[^"?]*)"/g)) {
          const found = own.find(({ method, path }) => method === 'GET' && asPattern(path).test(link!));
          expect(atLeast(role, found!.role), `${role}: ${link}`).to.equal(true);
        }
      }
    }
    expect([...sent]).to.have.length.above(5);
  });

  it('of an admin touches no owner, and gives no role above its own', async () => {
    const page = await server.get(`${base}/team`, { as: 'admin' });
    const actions = actionsOf(page).join('\n');
    expect(actions).to.include('/members/person_member/role').and.include('/members/person_admin/role');
    expect(actions).to.not.include('/members/person_owner/');
    expect(page.text).to.not.include('value="owner"');
    expect((await server.get(`${base}/team`, { as: 'owner' })).text).to.include('value="owner"');
  });

  it('of a member sees the members without a button to change them', async () => {
    const page = await server.get(`${base}/team`, { as: 'member' });
    expect(page.text).to.include('The owner').and.include('viewer@example.org');
    expect(actionsOf(page).filter((action) => action.includes('/team/'))).to.deep.equal([
      `${base}/team/leave`,
    ]);
  });
});

function asPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}
