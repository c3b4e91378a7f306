import { expect } from 'chai';
import type { Answer, Api } from '../kit/client.js';
import { givenInactive, givenKey, givenProject, givenResult, givenRun, newArtifact } from './given.js';
import { expectRefused } from './refusals.js';
import { ownServer, testServer, type Team } from '../kit/server.js';

/** The faults of a request, in the order of their refusals (docs/api.md, section 1); `rate` is below. */
const order = [
  'no route',
  'no key',
  'too large',
  'not JSON by type',
  'role',
  'Idempotency-Key used',
  'not JSON',
  'unknown field',
  'out of range',
  'not there',
  'inactive project',
] as const;
type Fault = (typeof order)[number];

const refusals: Record<Fault, [status: number, code: string]> = {
  'no route': [404, 'not_found'],
  'no key': [401, 'unauthorized'],
  'too large': [413, 'payload_too_large'],
  'not JSON by type': [415, 'unsupported_media_type'],
  role: [403, 'forbidden'],
  'Idempotency-Key used': [422, 'idempotency_mismatch'],
  'not JSON': [400, 'invalid_json'],
  'unknown field': [400, 'validation_failed'],
  'out of range': [400, 'validation_failed'],
  'not there': [404, 'not_found'],
  'inactive project': [403, 'project_inactive'],
};

/** Pairs of one rank, and pairs that one request cannot have. */
const apart: readonly [Fault, Fault][] = [
  ['too large', 'not JSON by type'],
  ['not JSON', 'unknown field'],
  ['not JSON', 'out of range'],
  ['unknown field', 'out of range'],
  ['Idempotency-Key used', 'not there'],
  ['not there', 'inactive project'],
];

const USED = 'used-for-another-body';
const BODY_LIMIT = 1024 * 1024;

describe('the order of refusals', () => {
  const server = testServer();
  let team: Team;
  let viewer: string;
  const ids: Record<string, string> = {};
  before(async () => {
    team = await server.newTeam();
    viewer = await givenKey(team.owner, 'viewer');
    const project = await givenProject(team.owner);
    ids['run'] = (await givenRun(team.owner, project)).test_run_id;
    ids['result'] = (await givenResult(team.owner, project)).test_result_id;
    ids['project'] = project;
    for (const path of ['run/', `run/${ids['run']}`, 'result/', `result/${ids['result']}`, 'artifact/']) {
      const result = { project_id: project, test_name: 'A test', status: 'Passed' };
      const run = { project_id: project, label: 'used' };
      const artifact = { ...newArtifact, test_result_id: ids['result'], label: 'used' };
      const sent = { 'result/': result, 'run/': run, 'artifact/': artifact }[path] ?? {};
      await team.owner.post(`/v1/test/${path}`, sent, { 'Idempotency-Key': USED });
    }
    await givenInactive(team.owner, project);
  });

  type Subject = {
    name: string;
    path: (there: boolean) => string;
    body: (there: boolean) => object;
    outOfRange: object;
  };
  const nothing = (kind: string) => `${kind}_00000000000000000000000000`;
  const idOf = (kind: string, there: boolean) => (there ? ids[kind]! : nothing(kind));
  const subjects: Subject[] = [
    {
      name: 'a new run',
      path: () => '/v1/test/run/',
      body: (there) => ({ project_id: idOf('project', there) }),
      outOfRange: { label: 'x' },
    },
    {
      name: 'an update of a run',
      path: (there) => `/v1/test/run/${idOf('run', there)}`,
      body: () => ({ status: 'Running' }),
      outOfRange: { label: 'x' },
    },
    {
      name: 'a new result',
      path: () => '/v1/test/result/',
      body: (there) => ({ project_id: idOf('project', there), test_name: 'A test', status: 'Failed' }),
      outOfRange: { started_at: '9999-01-01T00:00:00Z' },
    },
    {
      name: 'an update of a result',
      path: (there) => `/v1/test/result/${idOf('result', there)}`,
      body: () => ({ status: 'Failed' }),
      outOfRange: { started_at: '2026-01-02T00:00:00Z', finished_at: '2026-01-01T00:00:00Z' },
    },
    {
      name: 'a new artifact',
      path: () => '/v1/test/artifact/',
      body: (there) => ({ ...newArtifact, test_result_id: idOf('result', there) }),
      outOfRange: { size_bytes: 0 },
    },
  ];

  const send = ({ path, body, outOfRange }: Subject, ...faults: Fault[]): Promise<Answer> => {
    const has = (fault: Fault) => faults.includes(fault);
    const there = !has('not there');
    const fields = {
      ...body(there),
      ...(has('unknown field') && { unknown: 1 }),
      ...(has('out of range') && outOfRange),
    };
    const content = has('not JSON') ? '{' : JSON.stringify(fields);
    return server.as(has('no key') ? 'nobody' : has('role') ? viewer : team.owner.key).send({
      method: 'POST',
      path: path(there) + (has('no route') ? '/no/where' : ''),
      content: has('too large') ? content.padEnd(BODY_LIMIT + 1) : content,
      headers: {
        ...(has('not JSON by type') && { 'Content-Type': 'text/plain' }),
        ...(has('Idempotency-Key used') && { 'Idempotency-Key': USED }),
      },
    });
  };

  for (const subject of subjects) {
    for (const [at, first] of order.entries()) {
      const later = order
        .slice(at + 1)
        .filter((second) => !apart.some(([a, b]) => a === first && b === second));
      it(`${subject.name}: ${first} comes before every later fault`, async () => {
        for (const second of [first, ...later]) {
          const answer = await send(subject, first, second);
          const [status, code] = refusals[first];
          expectRefused(answer, `/v1/test/ (${first} and ${second})`, status, code);
        }
      });
    }
  }

  it('a filter out of range comes before a parent that does not exist', async () => {
    for (const query of ['page_size=0', 'page_token=x', 'unknown=1']) {
      const runs = `/v1/test/run/?project_id=${nothing('project')}&${query}`;
      const results = `/v1/test/result/?test_run_id=${nothing('run')}&${query}`;
      for (const path of [runs, results]) expectRefused(await team.owner.get(path), path, 400);
    }
  });

  it('a role above that of the key comes after the faults of the body', async () => {
    const admin = server.as(await givenKey(team.owner, 'admin'));
    const path = '/v1/keys';
    expectRefused(await admin.post(path, { role: 'owner' }), path, 400, 'invalid_request');
    expectRefused(await admin.post(path, { role: 'owner', name: 'ab' }), path, 403, 'forbidden');
  });
});

describe('the order of refusals: too many requests', () => {
  const server = ownServer();
  let team: Team;
  const keys: Api[] = [];
  before(async () => {
    team = await server.newTeam();
    for (const role of ['owner', 'owner', 'owner', 'viewer', 'owner']) {
      keys.push(server.as(await givenKey(team.owner, role)));
    }
    await server.stop();
    await server.start({ RATE_LIMIT: '1' });
  });
  /** More requests than the burst of 2 and the tokens that are added meanwhile. */
  const flood = async (api: Api, request: Parameters<Api['send']>[0]) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.send(request)));
    return new Set(answers.map(({ status }) => status));
  };
  const path = '/v1/test/run/';

  it('comes after an unknown route and an unsupported method', async () => {
    expect(await flood(keys[0]!, { method: 'GET', path: '/v1/nothing' })).to.deep.equal(new Set([404]));
    expect(await flood(keys[0]!, { method: 'PUT', path })).to.deep.equal(new Set([405]));
  });

  it('comes after an invalid key', async () => {
    const unknown = server.as('nobody');
    expect(await flood(unknown, { method: 'GET', path: '/v1/me' })).to.deep.equal(new Set([401]));
  });

  for (const [what, n, status, more] of [
    ['a body that is too large', 1, 413, { content: ' '.repeat(BODY_LIMIT + 1) }],
    ['a body of another type', 2, 415, { headers: { 'Content-Type': 'text/plain' } }],
    ['the role', 3, 403, {}],
    ['the faults of the body', 4, 400, { content: '{' }],
  ] as const) {
    it(`comes before ${what}`, async () => {
      const request = { method: 'POST', path, content: '{}', ...more };
      expect(await flood(keys[n]!, request)).to.deep.equal(new Set([status, 429]));
    });
  }
});
