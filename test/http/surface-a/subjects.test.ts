import { expect } from 'chai';
import { givenAnnounced, givenResult, givenRun, givenTeamWithProject } from '../given.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

type Subject = { kind: 'run' | 'result' | 'artifact'; method: 'GET' | 'POST' | 'DELETE'; ok: number };

const subjects: Subject[] = [
  { kind: 'run', method: 'GET', ok: 200 },
  { kind: 'run', method: 'POST', ok: 204 },
  { kind: 'result', method: 'GET', ok: 200 },
  { kind: 'result', method: 'POST', ok: 200 },
  { kind: 'result', method: 'DELETE', ok: 200 },
  { kind: 'artifact', method: 'DELETE', ok: 200 },
];

describe('surface A: an id in the path or in the query', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const given = async (kind: Subject['kind']): Promise<string> => {
    if (kind === 'run') return (await givenRun(team.owner, team.project)).test_run_id;
    const { test_result_id } = await givenResult(team.owner, team.project);
    return kind === 'result'
      ? test_result_id
      : (await givenAnnounced(team.owner, test_result_id)).artifact_id;
  };

  for (const { kind, method, ok } of subjects) {
    const name = kind === 'artifact' ? 'artifact_id' : `test_${kind}_id`;
    const send = (rest: string) => {
      const path = `/v1/test/${kind}${rest}`;
      // One that waits for the read models.
      if (method === 'GET') return team.owner.get(path);
      return team.owner.send({ method, path, content: method === 'POST' ? '{}' : undefined });
    };

    it(`names a ${kind} for ${method} in the path, in the query, and in both if they agree`, async () => {
      for (const form of ['/ID', '/ID/', '?NAME=ID', '/?NAME=ID', '/ID?NAME=ID', '/ID/?NAME=ID']) {
        const rest = form.replaceAll('ID', await given(kind)).replace('NAME', name);
        const { status, text } = await send(rest);
        expect(status, `${rest} ${text}`).to.equal(ok);
      }
    });

    it(`of a ${kind} is refused for ${method} if path and query differ, or if the query has two`, async () => {
      const [one, other] = [await given(kind), await given(kind)];
      expectFaults(await send(`/${one}?${name}=${other}`), `?${name} two_subjects`);
      expectFaults(await send(`/${one}?${name}=`), `?${name} two_subjects`);
      expectFaults(await send(`?${name}=${one}&${name}=${one}`), `?${name} twice`);
      expectFaults(await send(`/${one}?${name}=${one}&${name}=${other}`), `?${name} twice`);
    });

    it(`of a ${kind} is 404 for ${method} if it is malformed`, async () => {
      const id = await given(kind);
      const malformed = [
        'x',
        id.toUpperCase(),
        id.slice(0, -1),
        `${id}0`,
        id.slice(id.indexOf('_') + 1),
        'x'.repeat(2_000),
        `%20${id}`,
      ];
      for (const wrong of malformed) {
        expectProblem(await send(`/${wrong}`), 404, 'not_found');
        expectProblem(await send(`?${name}=${wrong}`), 404, 'not_found');
      }
    });
  }

  it('is required on routes that act on a resource', async () => {
    expectFaults(await team.owner.get('/v1/test/run/'), '?project_id required');
    expectFaults(await team.owner.get('/v1/test/result/'), '?test_run_id required');
    expectFaults(await team.owner.delete('/v1/test/result/'), '?test_result_id required');
    expectFaults(await team.owner.get('/v1/test/artifact/'), '?test_result_id required');
    expectFaults(await team.owner.delete('/v1/test/artifact/'), '?artifact_id required');
  });

  it('is 404 if it is that of another kind', async () => {
    const [run, result] = [await given('run'), await given('result')];
    expectProblem(await team.owner.get(`/v1/test/run/${result}`), 404, 'not_found');
    expectProblem(await team.owner.get(`/v1/test/result/${run}`), 404, 'not_found');
    expectProblem(await team.owner.get(`/v1/test/result/${team.project}`), 404, 'not_found');
    const parents = { project_id: run, test_name: 'A test', status: 'Passed' };
    expectProblem(await team.owner.post('/v1/test/result/', parents), 404, 'not_found');
  });

  it('is refused for a list if it names a single resource', async () => {
    const run = await given('run');
    expectFaults(
      await team.owner.get(`/v1/test/run/?test_run_id=${run}&project_id=${team.project}`),
      '?project_id unknown_field',
    );
  });
});
