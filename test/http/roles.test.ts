import { expect } from 'chai';
import type { Api } from '../kit/client.js';
import { givenKey, givenTeam } from './given.js';
import { expectError, expectRefused } from './refusals.js';
import { openRoutes, testServer } from '../kit/server.js';

const roles = ['reporter', 'viewer', 'member', 'admin', 'owner'] as const;
type Role = (typeof roles)[number];

/** The lowest role for each route, but for reporters (docs/api.md, sections 1 and 7); all other routes need no key. */
const lowest: Record<string, Role | 'operator'> = {
  'GET /v1/test/project': 'viewer',
  'GET /v1/test/run': 'viewer',
  'GET /v1/test/run?test_run_id': 'viewer',
  'GET /v1/test/run/:test_run_id': 'viewer',
  'POST /v1/test/run': 'member',
  'POST /v1/test/run?test_run_id': 'member',
  'POST /v1/test/run/:test_run_id': 'member',
  'GET /v1/test/result': 'viewer',
  'GET /v1/test/result?test_result_id': 'viewer',
  'GET /v1/test/result/:test_result_id': 'viewer',
  'POST /v1/test/result': 'member',
  'POST /v1/test/result?test_result_id': 'member',
  'POST /v1/test/result/:test_result_id': 'member',
  'POST /v1/test/result/:test_result_id/start': 'member',
  'POST /v1/test/result/:test_result_id/finish': 'member',
  'DELETE /v1/test/result': 'member',
  'DELETE /v1/test/result?test_result_id': 'member',
  'DELETE /v1/test/result/:test_result_id': 'member',
  'GET /v1/test/artifact': 'viewer',
  'POST /v1/test/artifact': 'member',
  'POST /v1/test/artifact/batch': 'member',
  'POST /v1/test/artifact/batch/confirm': 'member',
  'POST /v1/test/artifact/:artifact_id/confirm': 'member',
  'GET /v1/test/artifact/:artifact_id/download': 'viewer',
  'DELETE /v1/test/artifact': 'member',
  'DELETE /v1/test/artifact?artifact_id': 'member',
  'DELETE /v1/test/artifact/:artifact_id': 'member',
  'GET /v1/projects': 'viewer',
  'GET /v1/today': 'viewer',
  'GET /v1/search': 'viewer',
  'GET /v1/projects/:id': 'viewer',
  'POST /v1/projects': 'admin',
  'PATCH /v1/projects/:id': 'admin',
  'POST /v1/projects/:id/trusts': 'admin',
  'GET /v1/projects/:id/trusts': 'admin',
  'DELETE /v1/projects/:id/trusts/:trust': 'admin',
  'POST /v1/projects/:id/badges': 'member',
  'GET /v1/projects/:id/badges': 'viewer',
  'DELETE /v1/projects/:id/badges/:badge': 'member',
  'POST /v1/test-runs/:id/links': 'member',
  'GET /v1/test-runs/:id/links': 'viewer',
  'DELETE /v1/test-runs/:id/links/:link': 'member',
  'GET /v1/projects/:id/retention': 'admin',
  'GET /v1/projects/:id/overview': 'viewer',
  'GET /v1/projects/:id/stats': 'viewer',
  'GET /v1/stats': 'viewer',
  'GET /v1/projects/:id/tests': 'viewer',
  'GET /v1/projects/:id/tests/:test': 'viewer',
  'GET /v1/tests/:test': 'viewer',
  'POST /mcp': 'viewer',
  'GET /v1/projects/:id/tests/:test/history': 'viewer',
  'GET /v1/projects/:id/tests/:test/outcomes': 'viewer',
  'GET /v1/projects/:id/failures': 'viewer',
  'GET /v1/projects/:id/failures/:group': 'viewer',
  'PATCH /v1/projects/:id/failures/:group': 'member',
  'PUT /v1/projects/:id/failures/:group/known-failure': 'member',
  'DELETE /v1/projects/:id/failures/:group/known-failure': 'member',
  'GET /v1/projects/:id/failures/:group/tests': 'viewer',
  'GET /v1/projects/:id/failures/:group/history': 'viewer',
  'GET /v1/test-runs/:id/failures': 'viewer',
  'GET /v1/test-runs/:id/failures/:group': 'viewer',
  'PUT /v1/projects/:id/tests/:test/known-failure': 'member',
  'DELETE /v1/projects/:id/tests/:test/known-failure': 'member',
  'GET /v1/test-runs': 'viewer',
  'GET /v1/test-runs/:id': 'viewer',
  'GET /v1/test-runs/:id/results': 'viewer',
  'GET /v1/test-runs/:id/comparison': 'viewer',
  'GET /v1/test-runs/:id/comparison/:kind': 'viewer',
  'GET /v1/test-runs/:id/comparison/renamed_maybe': 'viewer',
  'PATCH /v1/test-runs/:id': 'member',
  'GET /v1/test-runs/:id/history': 'viewer',
  'GET /v1/test-results/:id': 'viewer',
  'POST /v1/test-results/:id/redact': 'admin',
  'POST /v1/test-runs/:id/redact': 'admin',
  'POST /v1/redactions': 'admin',
  'GET /v1/redactions/:id': 'admin',
  'DELETE /v1/test-runs/:id': 'owner',
  'DELETE /v1/projects/:id': 'owner',
  'GET /v1/test-results/:id/history': 'viewer',
  'POST /v1/test-runs': 'member',
  'GET /v1/events': 'viewer',
  'GET /v1/exports/results': 'viewer',
  'GET /v1/exports/runs': 'viewer',
  'GET /v1/events/schemas': 'viewer',
  'GET /v1/events/schemas/:name': 'viewer',
  'GET /v1/me': 'viewer',
  'POST /v1/teams': 'operator',
  'GET /v1/team': 'viewer',
  'PATCH /v1/team': 'admin',
  'DELETE /v1/team': 'owner',
  'GET /v1/audit': 'admin',
  'GET /v1/audit/forgotten': 'admin',
  'GET /v1/usage': 'admin',
  'GET /v1/keys': 'admin',
  'POST /v1/keys': 'admin',
  'DELETE /v1/keys/self': 'viewer',
  'DELETE /v1/keys/:id': 'admin',
  'GET /v1/webhooks': 'admin',
  'POST /v1/webhooks': 'admin',
  'POST /v1/webhooks/preview': 'admin',
  'GET /v1/webhooks/:id': 'admin',
  'PATCH /v1/webhooks/:id': 'admin',
  'DELETE /v1/webhooks/:id': 'admin',
  'POST /v1/webhooks/:id/ping': 'admin',
  'POST /v1/webhooks/:id/rotate-secret': 'admin',
  'POST /v1/webhooks/:id/recover': 'admin',
  'GET /v1/webhooks/:id/deliveries': 'admin',
  'POST /v1/webhooks/:id/deliveries/:delivery/resend': 'admin',
};

/**
 * What a reporter may do: all that a viewer may read but for the replay, the team and what others have said, and the
 * writes of a pipeline.
 */
const ofReporters = new Set([
  ...Object.keys(lowest).filter((route) => route.startsWith('GET ') && lowest[route] === 'viewer'),
  'POST /v1/test/run',
  'POST /v1/test/run?test_run_id',
  'POST /v1/test/run/:test_run_id',
  'POST /v1/test/result',
  'POST /v1/test/result?test_result_id',
  'POST /v1/test/result/:test_result_id',
  'POST /v1/test/result/:test_result_id/start',
  'POST /v1/test/result/:test_result_id/finish',
  'POST /v1/test/artifact',
  'POST /v1/test/artifact/batch',
  'POST /v1/test/artifact/batch/confirm',
  'POST /v1/test/artifact/:artifact_id/confirm',
  'POST /v1/test-runs',
  'POST /mcp',
  'DELETE /v1/keys/self',
]);
for (const route of [
  'GET /v1/events',
  'GET /v1/exports/results',
  'GET /v1/exports/runs',
  'GET /v1/today',
  'GET /v1/search',
  'GET /v1/team',
  'GET /v1/projects/:id/badges',
  'GET /v1/test-runs/:id/links',
])
  ofReporters.delete(route);

function isAllowed(role: Role, route: string): boolean {
  if (role === 'reporter') return ofReporters.has(route);
  const needed = lowest[route]!;
  return needed !== 'operator' && roles.indexOf(role) >= roles.indexOf(needed);
}

describe('a role', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const keys = new Map<Role, Api>();
  before(async () => {
    for (const role of roles) keys.set(role, server.as(await givenKey(team.owner, role)));
  });

  it('is listed in this suite for every mounted route', () => {
    expect(server.program.routes).to.have.members([...Object.keys(lowest), ...openRoutes()]);
  });

  for (const [route, needed] of Object.entries(lowest)) {
    const [method, pattern] = route.split(' ') as [string, string];
    const path = pattern.replaceAll(/:\w+/g, 'unknown').replace(/\?(\w+)$/, '?$1=unknown');
    const content = method === 'GET' ? undefined : '{}';

    it(`is needed for ${route}: without a key or with an invalid one it is 401`, async () => {
      for (const key of [null, 'x', 'tl_000000000000000000000000000000000000']) {
        const answer = await server.as(key).send({ method, path, content });
        expectRefused(answer, path, 401, 'unauthorized');
      }
    });

    const reporters = ofReporters.has(route) ? 'and a reporter' : 'but no reporter';
    it(`of ${needed} and above, ${reporters}, allows ${route}, and another one does not`, async () => {
      for (const role of roles) {
        // A key that ends itself is of no use to the tests after it.
        const isLast = route === 'DELETE /v1/keys/self';
        const api = isLast ? server.as(await givenKey(team.owner, role)) : keys.get(role)!;
        const answer = await api.send({ method, path: isLast ? '/v1/keys/self' : path, content });
        if (isAllowed(role, route)) {
          expect([200, 204, 400, 404], `${role}: ${answer.text}`).to.include(answer.status);
        } else {
          expectRefused(answer, path, 403, 'forbidden');
          if (!path.startsWith('/v1/test/')) expectError(answer, 403, 'forbidden', 'role');
        }
      }
    });
  }
});
