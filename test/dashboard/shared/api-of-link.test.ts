import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { apiOfLink, type LinkApi } from '../../../src/dashboard/shared/api-of-link.js';
import { packageFolder } from '../../../src/folders.js';
import { refusal } from '../../contract/event-log/events.js';

const own = { run_id: 'run_own', project_id: 'project_own' };

describe('the API as the reader of a link has it', () => {
  /** Every result that it is asked for is of another run. */
  const asked: string[] = [];
  const api = {
    get: async (path: string, { params = {} }: { params?: Record<string, string> } = {}) => {
      asked.push(path);
      return { data: { id: params['id'], test_run_id: 'run_other' }, items: [] };
    },
    lag: () => 0,
  } as unknown as LinkApi;
  const get = (path: string, given: object) => apiOfLink(api, own).get(path as never, given);
  let paths: string[];
  before(async () => {
    const document = JSON.parse(await readFile(new URL('docs/openapi.json', packageFolder), 'utf8'));
    paths = Object.keys(document.paths).filter((path) => document.paths[path].get !== undefined);
  });
  beforeEach(() => (asked.length = 0));

  it('has no thing of another run, by any route', async () => {
    expect(paths.length).to.be.greaterThan(40);
    for (const path of paths) {
      const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'other']));
      await refusal(
        get(path, { params, query: { test_result_id: 'other', test_run_id: 'other' } }),
        'not_found',
      );
      // That is how it learns of which run a result is.
      expect(asked.filter((each) => each !== '/v1/test-results/{id}')).to.deep.equal([]);
    }
  });

  it('has no thing of its project but the run, by any route', async () => {
    const ofRun = (path: string) => path.startsWith('/v1/test-runs/{id}') || path === '/v1/projects/{id}';
    for (const path of paths.filter((path) => path.startsWith('/v1/projects') && !ofRun(path))) {
      const params = { id: own.project_id, test: 'test_1', group: 'group_1' };
      if (path === '/v1/projects/{id}/tests/{test}/outcomes') continue;
      await refusal(get(path, { params }), 'not_found');
    }
    for (const path of ['/v1/test-runs/{id}/history', '/v1/test-runs/{id}/links'])
      await refusal(get(path, { params: { id: own.run_id } }), 'not_found');
    expect(asked).to.deep.equal([]);
  });

  it('has no file that was not listed for it', async () => {
    const params = { artifact_id: 'artifact_1' };
    await refusal(get('/v1/test/artifact/{artifact_id}/download', { params }), 'not_found');
    expect(asked).to.deep.equal([]);
  });

  it('is compared with no run of its choice', async () => {
    const queries: unknown[] = [];
    const recording = {
      lag: () => 0,
      get: async (_: string, { query }: { query?: object } = {}) => {
        queries.push(query);
        return { data: [], pagination: {} };
      },
    } as unknown as LinkApi;
    const given = { params: { id: own.run_id, kind: 'added' }, query: { baseline: 'run_other', page: 2 } };
    for (const path of ['comparison/{kind}', 'failures'])
      await apiOfLink(recording, own).get(`/v1/test-runs/{id}/${path}` as never, given);
    expect(queries).to.deep.equal([{ page: 2 }, { page: 2 }]);
  });

  it('has no result of another run in any list of its own', async () => {
    const moments = { failing_since: null, last_passed: null };
    const data = [own.run_id, 'run_other'].map((test_run_id) => ({ test_run_id, ...moments }));
    const mixed = { lag: () => 0, get: async () => ({ data }) } as unknown as LinkApi;
    for (const path of ['comparison/{kind}', 'results', 'failures/{group}'])
      for (const kind of ['removed', 'fixed']) {
        const given = { params: { id: own.run_id, kind, group: 'group_1' } };
        const found = await apiOfLink(mixed, own).get(`/v1/test-runs/{id}/${path}` as never, given);
        expect(found).to.have.nested.property('data.length', 1);
        expect(found).to.have.nested.property('data[0].test_run_id', own.run_id);
      }
  });
});
