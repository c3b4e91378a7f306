import { expect } from 'chai';
import {
  bodyOf,
  givenArtifact,
  givenKey,
  givenProject,
  givenRun,
  givenSubmission,
  givenTeam,
  givenWebhook,
  untilFollowed,
} from '../given.js';
import { pagination } from '../records.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const LENGTH = 5;

describe('surface B: a list', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  /** What stands for an id in the path of a list. */
  const ids: Record<string, string> = {};
  const pathOf = (list: string) => list.replaceAll(/:(\w+)/gu, (_, name: string) => ids[name]!);

  before(async () => {
    const { owner } = team;
    ids['project'] = await givenProject(owner);
    await untilFollowed(owner, `/v1/projects/${ids['project']}/failures`);
    const names = ['login', 'search', 'cart', 'refund', 'logout'];
    const submit = (branch: string, item: (name: string) => object) =>
      givenSubmission(
        owner,
        ids['project']!,
        names.map((name) => ({ name, ...item(name) })),
        {
          metadata: { branch },
        },
      );
    for (let n = 1; n < LENGTH; n += 1) await submit('main', () => ({}));
    const { run, results } = await submit('feature', (name) => ({
      status: 'failed',
      error_message: `The ${name} page is gone`,
    }));
    ids['run'] = run;
    ids['result'] = results[0]!;
    ids['test'] = (await bodyOf(owner, pathOf('/v1/projects/:project/tests'))).data[0].id;
    ids['changed'] = (await givenRun(owner, await givenProject(owner))).test_run_id;
    for (let n = 1; n < LENGTH; n += 1)
      await owner.post(`/v1/test/run/${ids['changed']}`, { metadata: { n } });
    for (let n = 1; n < LENGTH; n += 1) await givenArtifact(owner, results[0]!);
    for (let n = 1; n < LENGTH; n += 1) await givenKey(owner, 'viewer');
    for (let n = 2; n < 22; n += 1) await givenProject(owner);
    // Made last: they get no message of what is above.
    for (let n = 0; n < LENGTH; n += 1) await givenWebhook(owner);
  });

  for (const [name, list] of [
    ['projects', '/v1/projects?'],
    ['keys', '/v1/keys?'],
    ['webhooks', '/v1/webhooks?'],
    ['runs', '/v1/test-runs?project_id=:project'],
    ['runs with a status', '/v1/test-runs?project_id=:project&status=completed'],
    ['the results of a run', '/v1/test-runs/:run/results?'],
    ['the results of a run with filters', '/v1/test-runs/:run/results?status=failed'],
    ['the groups of a run', '/v1/test-runs/:run/failures?'],
    ['one kind of a comparison', '/v1/test-runs/:run/comparison/new_failures?'],
    ['the history of a run', '/v1/test-runs/:changed/history?'],
    ['the history of a result', '/v1/test-results/:result/history?'],
    ['the groups of a project', '/v1/projects/:project/failures?'],
    ['tests', '/v1/projects/:project/tests?'],
    ['tests of a branch', '/v1/projects/:project/tests?branch=main'],
    ['tests with a part of the name', '/v1/projects/:project/tests?q=R'],
    ['the history of a test', '/v1/projects/:project/tests/:test/history?'],
    ['the outcomes of a test', '/v1/projects/:project/tests/:test/outcomes?'],
  ] as const) {
    it(`of ${name} has each item on one page, in one order, 20 on a page by default, and the total on each page`, async () => {
      const get = async (query: string) => {
        const { data, ...more } = await bodyOf(team.owner, `${pathOf(list)}&${query}`);
        // Reading the keys uses one of them.
        return { data: data.map(({ last_used_at: _, ...item }: any) => item), ...more };
      };
      const all = await get('per_page=100');
      const total: number = all.data.length;
      expect(total).to.be.at.least(3);
      expect(all.pagination).to.deep.equal(pagination(total, { per_page: 100, total_pages: 1 }));
      expect(await get('')).to.deep.equal({ data: all.data.slice(0, 20), pagination: pagination(total) });
      for (let page = 1; page <= Math.ceil(total / 2) + 1; page += 1)
        expect(await get(`page=${page}&per_page=2`)).to.deep.equal({
          data: all.data.slice(2 * page - 2, 2 * page),
          pagination: pagination(total, { page, per_page: 2, total_pages: Math.ceil(total / 2) }),
        });
      expect((await get(`page=${Number.MAX_SAFE_INTEGER}`)).data).to.deep.equal([]);
    });

    it(`of ${name} refuses each wrong page, and each parameter that it does not know`, async () => {
      for (const [wrong, fault] of [
        ['per_page=0', '?per_page too_small'],
        ['per_page=101', '?per_page too_large'],
        ['per_page=x', '?per_page wrong_type'],
        ['page=0', '?page too_small'],
        ['page=-1', '?page too_small'],
        ['page=', '?page wrong_type'],
        ['page=9007199254740993', '?page too_large'],
        ['page=99999999999999999999', '?page too_large'],
        ['page_size=2', '?page_size unknown_field'],
      ]) {
        const answer = await team.owner.get(`${pathOf(list)}&${wrong}`);
        expectError(answer, 400, 'invalid_request', 'validation_failed');
        const faults = answer.body.error.details.errors.map((each: any) => `${each.pointer} ${each.code}`);
        expect(faults).to.deep.equal([fault]);
      }
    });
  }
});
