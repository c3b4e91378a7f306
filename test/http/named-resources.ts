/** The resources that others must not reach, and the requests for them through every route of the server. */
import type { Answer, Api } from '../kit/client.js';
import {
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenRun,
  givenWebhook,
  newArtifact,
} from './given.js';
import type { TestServer } from '../kit/server.js';
import { namingCauses } from './named-causes.js';
import { namingWebhooks, webhooksOfTeam } from './named-webhooks.js';

/** The resources of a project and its team, which others must not reach. */
export type Ids = {
  project: string;
  run: string;
  result: string;
  artifact: string;
  test: string;
  group: string;
  key: string;
  webhook: string;
  link: string;
  badge: string;
};

export type Sent = { path: string; body?: object };

/** For each route, the requests that name a resource of another team, from its ids and one's own. */
export const naming: Record<string, (theirs: Ids, own: Ids) => Sent[]> = {
  'GET /v1/test/run': ({ project }) => [
    { path: `/v1/test/run/?project_id=${project}` },
    { path: `/v1/test/run/?project_id=${project}&status=Running` },
  ],
  'GET /v1/test/run?test_run_id': ({ run }) => [{ path: `/v1/test/run/?test_run_id=${run}` }],
  'GET /v1/test/run/:test_run_id': ({ run }) => [{ path: `/v1/test/run/${run}` }],
  'POST /v1/test/run': ({ project }) => [{ path: '/v1/test/run/', body: { project_id: project } }],
  'POST /v1/test/run?test_run_id': ({ run }) => [
    { path: `/v1/test/run/?test_run_id=${run}`, body: { status: 'Completed' } },
  ],
  'POST /v1/test/run/:test_run_id': ({ run }) => [
    { path: `/v1/test/run/${run}`, body: { status: 'Completed' } },
    { path: `/v1/test/run/${run}`, body: {} },
  ],
  'GET /v1/test/result': ({ run }) => [
    { path: `/v1/test/result/?test_run_id=${run}` },
    { path: `/v1/test/result/?test_run_id=${run}&status=Passed` },
  ],
  'GET /v1/test/result?test_result_id': ({ result }) => [
    { path: `/v1/test/result/?test_result_id=${result}` },
  ],
  'GET /v1/test/result/:test_result_id': ({ result }) => [{ path: `/v1/test/result/${result}` }],
  'POST /v1/test/result': (theirs, own) => {
    const path = '/v1/test/result/';
    const fields = { test_name: 'A test', status: 'Passed' };
    return [
      { path, body: { ...fields, project_id: theirs.project } },
      { path, body: { ...fields, project_id: theirs.project, test_run_id: theirs.run } },
      { path, body: { ...fields, project_id: own.project, test_run_id: theirs.run } },
      { path, body: { ...fields, project_id: own.project, test_run_id: own.run, retry_of: theirs.result } },
    ];
  },
  'POST /v1/test/result?test_result_id': ({ result }) => [
    { path: `/v1/test/result/?test_result_id=${result}`, body: { status: 'Failed' } },
  ],
  'POST /v1/test/result/:test_result_id': ({ result }) => [
    { path: `/v1/test/result/${result}`, body: { status: 'Failed' } },
    { path: `/v1/test/result/${result}`, body: {} },
  ],
  'POST /v1/test/result/:test_result_id/start': ({ result }) => [{ path: `/v1/test/result/${result}/start` }],
  'POST /v1/test/result/:test_result_id/finish': ({ result }) => [
    { path: `/v1/test/result/${result}/finish`, body: { status: 'Failed' } },
  ],
  'DELETE /v1/test/result': ({ result }) => [{ path: `/v1/test/result/?test_result_id=${result}` }],
  'DELETE /v1/test/result?test_result_id': ({ result }) => [
    { path: `/v1/test/result/?test_result_id=${result}` },
  ],
  'DELETE /v1/test/result/:test_result_id': ({ result }) => [{ path: `/v1/test/result/${result}` }],
  'GET /v1/test/artifact': ({ result }) => [{ path: `/v1/test/artifact/?test_result_id=${result}` }],
  'POST /v1/test/artifact': ({ result }) => [
    { path: '/v1/test/artifact/', body: { ...newArtifact, test_result_id: result } },
  ],
  'POST /v1/test/artifact/:artifact_id/confirm': ({ artifact }) => [
    { path: `/v1/test/artifact/${artifact}/confirm` },
  ],
  'GET /v1/test/artifact/:artifact_id/download': ({ artifact }) => [
    { path: `/v1/test/artifact/${artifact}/download` },
  ],
  'DELETE /v1/test/artifact': ({ artifact }) => [{ path: `/v1/test/artifact/?artifact_id=${artifact}` }],
  'DELETE /v1/test/artifact?artifact_id': ({ artifact }) => [
    { path: `/v1/test/artifact/?artifact_id=${artifact}` },
  ],
  'DELETE /v1/test/artifact/:artifact_id': ({ artifact }) => [{ path: `/v1/test/artifact/${artifact}` }],
  'GET /v1/projects/:id': ({ project }) => [{ path: `/v1/projects/${project}` }],
  'POST /v1/projects/:id/trusts': ({ project }) => [
    {
      path: `/v1/projects/${project}/trusts`,
      body: { issuer: 'https://ci.example', audience: 'us', claims: { repository: 'acme/*' } },
    },
  ],
  'GET /v1/projects/:id/trusts': ({ project }) => [{ path: `/v1/projects/${project}/trusts` }],
  'DELETE /v1/projects/:id/trusts/:trust': ({ project }) => [
    { path: `/v1/projects/${project}/trusts/trust_01kaz5a0e9fqcs5v2r0h7m6t1w` },
  ],
  'POST /v1/projects/:id/badges': ({ project }) => [
    { path: `/v1/projects/${project}/badges`, body: { branch: 'main' } },
  ],
  'GET /v1/projects/:id/badges': ({ project }) => [{ path: `/v1/projects/${project}/badges` }],
  'DELETE /v1/projects/:id/badges/:badge': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/badges/${theirs.badge}` },
    { path: `/v1/projects/${own.project}/badges/${theirs.badge}` },
  ],
  'POST /v1/test-runs/:id/links': ({ run }) => [{ path: `/v1/test-runs/${run}/links`, body: {} }],
  'GET /v1/test-runs/:id/links': ({ run }) => [{ path: `/v1/test-runs/${run}/links` }],
  'DELETE /v1/test-runs/:id/links/:link': (theirs, own) => [
    { path: `/v1/test-runs/${theirs.run}/links/${theirs.link}` },
    { path: `/v1/test-runs/${own.run}/links/${theirs.link}` },
  ],
  'PATCH /v1/projects/:id': ({ project }) => [
    { path: `/v1/projects/${project}`, body: { name: 'Taken over' } },
    { path: `/v1/projects/${project}`, body: {} },
  ],
  'GET /v1/test-runs': ({ project }) => [
    { path: `/v1/test-runs?project_id=${project}` },
    { path: `/v1/test-runs?project_id=${project}&status=passed` },
  ],
  'GET /v1/test-runs/:id': ({ run }) => [{ path: `/v1/test-runs/${run}` }],
  'GET /v1/test-runs/:id/results': ({ run }) => [{ path: `/v1/test-runs/${run}/results` }],
  'GET /v1/test-runs/:id/comparison': (theirs, own) => [
    { path: `/v1/test-runs/${theirs.run}/comparison` },
    { path: `/v1/test-runs/${own.run}/comparison?baseline=${theirs.run}` },
  ],
  'GET /v1/test-runs/:id/comparison/:kind': (theirs, own) => [
    { path: `/v1/test-runs/${theirs.run}/comparison/added` },
    { path: `/v1/test-runs/${own.run}/comparison/added?baseline=${theirs.run}` },
  ],
  'GET /v1/test-runs/:id/comparison/renamed_maybe': (theirs, own) => [
    { path: `/v1/test-runs/${theirs.run}/comparison/renamed_maybe` },
    { path: `/v1/test-runs/${own.run}/comparison/renamed_maybe?baseline=${theirs.run}` },
  ],
  'PATCH /v1/test-runs/:id': ({ run }) => [{ path: `/v1/test-runs/${run}`, body: { baseline: 'unfit' } }],
  'GET /v1/test-runs/:id/history': ({ run }) => [{ path: `/v1/test-runs/${run}/history` }],
  'GET /v1/test-results/:id/history': ({ result }) => [{ path: `/v1/test-results/${result}/history` }],
  'POST /v1/test-results/:id/redact': ({ result }) => [
    { path: `/v1/test-results/${result}/redact`, body: { reason: 'why' } },
  ],
  'POST /v1/test-runs/:id/redact': ({ run }) => [
    { path: `/v1/test-runs/${run}/redact`, body: { reason: 'why' } },
  ],
  'POST /v1/redactions': ({ project }) => [
    { path: '/v1/redactions', body: { text: 'a secret', reason: 'why', project_id: project } },
  ],
  'DELETE /v1/test-runs/:id': ({ run }) => [{ path: `/v1/test-runs/${run}?confirm=${run}` }],
  'DELETE /v1/projects/:id': ({ project }) => [{ path: `/v1/projects/${project}?confirm=A%20project` }],
  'GET /v1/redactions/:id': () => [{ path: '/v1/redactions/redaction_01kaz5a0e9fqcs5v2r0h7m6t1w' }],
  'GET /v1/test-results/:id': ({ result }) => [{ path: `/v1/test-results/${result}` }],
  'POST /v1/test-runs': ({ project }) => [
    {
      path: '/v1/test-runs',
      body: { project_id: project, results: [{ name: 'A test', status: 'passed' }] },
    },
  ],
  'GET /v1/projects/:id/retention': ({ project }) => [{ path: `/v1/projects/${project}/retention` }],
  'GET /v1/projects/:id/overview': ({ project }) => [{ path: `/v1/projects/${project}/overview` }],
  'GET /v1/projects/:id/stats': ({ project }) => [{ path: `/v1/projects/${project}/stats` }],
  'GET /v1/projects/:id/tests': ({ project }) => [
    { path: `/v1/projects/${project}/tests` },
    { path: `/v1/projects/${project}/tests?branch=main` },
  ],
  'GET /v1/projects/:id/tests/:test': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/tests/${theirs.test}` },
    { path: `/v1/projects/${own.project}/tests/${theirs.test}` },
    { path: `/v1/projects/${own.project}/tests/${theirs.test}?branch=main` },
  ],
  'GET /v1/tests/:test': ({ test }) => [{ path: `/v1/tests/${test}` }],
  'GET /v1/projects/:id/tests/:test/history': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/tests/${theirs.test}/history` },
    { path: `/v1/projects/${own.project}/tests/${theirs.test}/history` },
  ],
  'GET /v1/projects/:id/tests/:test/outcomes': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/tests/${theirs.test}/outcomes` },
    { path: `/v1/projects/${own.project}/tests/${theirs.test}/outcomes` },
    {
      path: `/v1/projects/${own.project}/tests/${theirs.test}/outcomes?around=result_01kaz5a41cf5v8b0a6q7w4xk2n`,
    },
  ],
  'GET /v1/projects/:id/failures': ({ project }) => [
    { path: `/v1/projects/${project}/failures` },
    { path: `/v1/projects/${project}/failures?branch=main&since=2026-01-01T00:00:00Z` },
  ],
  ...namingCauses,
  'GET /v1/test-runs/:id/failures': ({ run }) => [{ path: `/v1/test-runs/${run}/failures` }],
  'GET /v1/test-runs/:id/failures/:group': (theirs, own) => [
    { path: `/v1/test-runs/${theirs.run}/failures/${theirs.group}` },
    { path: `/v1/test-runs/${own.run}/failures/${theirs.group}` },
  ],
  'PUT /v1/projects/:id/tests/:test/known-failure': (theirs, own) => {
    const body = { reason: 'A reason', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    return [
      { path: `/v1/projects/${theirs.project}/tests/${theirs.test}/known-failure`, body },
      { path: `/v1/projects/${own.project}/tests/${theirs.test}/known-failure`, body },
    ];
  },
  'DELETE /v1/projects/:id/tests/:test/known-failure': (theirs, own) => [
    { path: `/v1/projects/${theirs.project}/tests/${theirs.test}/known-failure` },
    { path: `/v1/projects/${own.project}/tests/${theirs.test}/known-failure` },
  ],
  'DELETE /v1/keys/:id': ({ key }) => [{ path: `/v1/keys/${key}` }],
  ...namingWebhooks,
};

/** These answer 200, with an error in place of each artifact. */
export const batches: Record<string, (theirs: Ids) => Sent> = {
  'POST /v1/test/artifact/batch': ({ result }) => ({
    path: '/v1/test/artifact/batch',
    body: { artifacts: [{ ...newArtifact, test_result_id: result }] },
  }),
  'POST /v1/test/artifact/batch/confirm': ({ artifact }) => ({
    path: '/v1/test/artifact/batch/confirm',
    body: { artifact_ids: [artifact] },
  }),
};

/** Routes that name no resource: their answers must show nothing of another team. */
export const nameless: Record<string, Sent> = {
  'GET /v1/test/project': { path: '/v1/test/project/' },
  'GET /v1/projects': { path: '/v1/projects' },
  'GET /v1/stats': { path: '/v1/stats' },
  'GET /v1/search': { path: '/v1/search?q=a' },
  'GET /v1/today': { path: '/v1/today?days=30' },
  'GET /v1/keys': { path: '/v1/keys' },
  ...webhooksOfTeam,
  'POST /mcp': { path: '/mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
  'GET /v1/events': { path: '/v1/events?limit=1000' },
  'GET /v1/exports/results': { path: '/v1/exports/results?contents=true' },
  'GET /v1/exports/runs': { path: '/v1/exports/runs' },
  'GET /v1/events/schemas': { path: '/v1/events/schemas' },
  'GET /v1/events/schemas/:name': { path: '/v1/events/schemas/RunCreated.v1' },
  'DELETE /v1/keys/self': { path: '/v1/keys/self' },
  'GET /v1/me': { path: '/v1/me' },
  'GET /v1/team': { path: '/v1/team' },
  'GET /v1/audit': { path: '/v1/audit' },
  'GET /v1/audit/forgotten': { path: '/v1/audit/forgotten' },
  'GET /v1/usage': { path: '/v1/usage' },
  // Without its name, nothing goes.
  'DELETE /v1/team': { path: '/v1/team' },
  'PATCH /v1/team': { path: '/v1/team', body: { gate: { fail_on: 'any' } } },
  'POST /v1/projects': { path: '/v1/projects', body: { name: 'A project' } },
  'POST /v1/keys': { path: '/v1/keys', body: { name: 'A key', role: 'viewer' } },
  'POST /v1/teams': { path: '/v1/teams', body: { name: 'A team' } },
};

export const unknown: Ids = {
  project: 'project_01h455vb4pex5vsknk084sn02q',
  run: 'run_01h455vb4pex5vsknk084sn02q',
  result: 'result_01h455vb4pex5vsknk084sn02q',
  artifact: 'artifact_01h455vb4pex5vsknk084sn02q',
  test: 'test_01h455vb4pex5vsknk084sn02q',
  group: 'group_01h455vb4pex5vsknk084sn02q',
  key: 'key_01h455vb4pex5vsknk084sn02q',
  webhook: 'webhook_01h455vb4pex5vsknk084sn02q',
  link: 'link_01h455vb4pex5vsknk084sn02q',
  badge: 'badge_01h455vb4pex5vsknk084sn02q',
};

/** Resources of all kinds in a new project. */
export async function givenIds(server: TestServer, owner: Api): Promise<Ids> {
  const project = await givenProject(owner, { name: 'A secret project' });
  const run = (await givenRun(owner, project, { label: 'A secret run' })).test_run_id;
  const result = (await givenResult(owner, project, { test_run_id: run })).test_result_id;
  const artifact = (await givenArtifact(owner, result)).artifact_id;
  const test = (await owner.get(`/v1/projects/${project}/tests`)).body.data[0].id;
  await givenResult(owner, project, { test_run_id: run, test_name: 'Another test', status: 'Failed' });
  const group = (await owner.get(`/v1/test-runs/${run}/failures`)).body.data[0].group;
  const key = (await server.as(await givenKey(owner, 'viewer')).get('/v1/me')).body.data.key.id;
  const webhook = (await givenWebhook(owner)).id;
  const link = (await owner.post(`/v1/test-runs/${run}/links`, {})).body.data.id;
  const badge = (await owner.post(`/v1/projects/${project}/badges`, { branch: 'main' })).body.data.id;
  return { project, run, result, artifact, test, group, key, webhook, link, badge };
}

export function send(api: Api, route: string, { path, body }: Sent): Promise<Answer> {
  return api.send({ method: route.split(' ')[0]!, path, content: body && JSON.stringify(body) });
}

/** An answer without the parts that differ between any two answers. */
export function alike({ status, headers, text }: Answer): unknown {
  const shown = Object.fromEntries(headers);
  const id = shown['x-request-id']!;
  delete shown['x-request-id'];
  delete shown['date'];
  return { status, shown, text: text.replace(id, 'the request id') };
}
