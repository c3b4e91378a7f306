import { expect } from 'chai';
import { createClient } from '../../../../src/client/index.js';
import { causesOf } from '../../../../src/cli/forge/issues/read-causes.js';

const project = { id: 'project_1', default_branch: 'main' };

/** Answers of the API by the end of their path; a list is cut into its pages. What is missing is a 404. */
function causesWith(answers: Record<string, unknown>, behind = 0) {
  let left = behind;
  const asked: string[] = [];
  const fetch = async (url: string | URL) => {
    const { pathname, searchParams } = new URL(url);
    const path = pathname.replace('/v1/', '');
    asked.push(path);
    const content = answers[path];
    if (content === undefined) return Response.json({ error: { code: 'not_found' } }, { status: 404 });
    const headers: Record<string, string> = left > 0 ? { 'X-Read-Lag': '1' } : {};
    left -= 1;
    if (!Array.isArray(content)) return Response.json(content, { headers });
    const [page, size] = [Number(searchParams.get('page') ?? 1), Number(searchParams.get('per_page'))];
    const pagination = { page, total_pages: Math.ceil(content.length / size) };
    return Response.json({ data: content.slice((page - 1) * size, page * size), pagination }, { headers });
  };
  const client = createClient({
    url: 'http://ledger.example',
    apiKey: 'k',
    fetch: fetch as unknown as typeof globalThis.fetch,
  });
  return { causes: causesOf(client, project), asked };
}

const run = (id: string, changes: object = {}) => ({
  id,
  tool: 'jest',
  environment_key: '',
  branch: 'main',
  commit: null,
  created_at: '2026-11-30T01:02:03.456Z',
  shards: null,
  report: { partial: false, failures_unread: 0 },
  ...changes,
});
const group = (id: string, changes: object = {}) => ({
  group: id,
  title: id,
  results: 1,
  tests: 1,
  first_seen: { run_id: null, commit: null, at: '2026-11-30T01:02:03.456Z' },
  example: null,
  ...changes,
});
/** A cause that was seen in these runs, all of them of the branch. */
const seenIn = (id: string, runs: string[]) => ({
  [`projects/project_1/failures/${id}`]: {
    data: {},
    runs: runs.map((run_id) => ({ run_id })),
    pagination: { total_pages: 1 },
  },
});

describe('the causes of the default branch', () => {
  it('are those of the newest complete run of each tool and environment', async () => {
    const { causes } = causesWith({
      'test-runs': [
        run('cut', { report: { partial: true, failures_unread: 0 } }),
        run('half', { shards: { total: 2, received: [{ index: 1 }] } }),
        run('newest'),
        run('windows', { environment_key: 'os=windows', created_at: '2026-11-29T01:02:03.456Z' }),
        run('older'),
      ],
      'test-runs/newest/failures': [group('a', { results: 2 }), group('b')],
      'test-runs/windows/failures': [group('a', { results: 3, tests: 2 })],
    });
    const found = await causes.failing();
    expect(
      found.map(({ group: id, results, tests, lines, lastSeen }) => [
        id,
        results,
        tests,
        lines,
        lastSeen.run,
      ]),
    ).to.deep.equal([
      ['a', 5, 2, ['jest', 'jest, os=windows'], 'newest'],
      ['b', 1, 1, ['jest'], 'newest'],
    ]);
  });

  it('are asked for again while the server is behind', async () => {
    const answers = { 'test-runs': [run('newest')], 'test-runs/newest/failures': [group('a')] };
    const { causes, asked } = causesWith(answers, 2);
    expect(await causes.failing()).to.have.length(1);
    expect(asked).to.deep.equal(['test-runs', 'test-runs', 'test-runs', 'test-runs/newest/failures']);
  });

  it('are gone where no failing result of them is left', async () => {
    const { causes } = causesWith({ 'test-runs': [run('newest')], 'test-runs/newest/failures': [] });
    expect(await causes.isGone('a')).to.equal(true);
  });

  it('are gone though they failed in an environment that is out of use', async () => {
    const { causes } = causesWith({
      'test-runs': [run('newest')],
      'test-runs/newest/failures': [],
      ...seenIn('a', ['old']),
      'test-runs/old': { data: run('old', { environment_key: 'node=18' }) },
      'test-runs/old/failures/a': [{ name: 'pays', environment_key: 'node=18' }],
    });
    expect(await causes.isGone('a')).to.equal(true);
  });

  it('are not gone where they are behind the groups of a run that are read, nor where no run of the branch is found', async () => {
    const many = Array.from({ length: 1_050 }, (_, n) => group(`g${n}`));
    const found = { 'test-runs': [run('newest')], 'test-runs/newest/failures': many };
    const { causes } = causesWith({
      ...found,
      'test-runs/newest/failures/a': [{ name: 'pays', environment_key: '' }],
    });
    expect(await causes.isGone('a')).to.equal(false);
    const elsewhere = causesWith({
      ...found,
      'projects/project_1/failures/b': { data: {}, runs: [{ run_id: 'pr' }], pagination: { total_pages: 9 } },
      'test-runs/pr': { data: run('pr', { branch: 'guests' }) },
    });
    expect(await elsewhere.causes.isGone('b')).to.equal(false);
  });
});
