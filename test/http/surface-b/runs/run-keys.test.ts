import { expect } from 'chai';
import type { Answer } from '../../../kit/client.js';
import { givenProject, givenResult, givenRun, givenTeam } from '../../given.js';
import { instant } from '../../records.js';
import { expectError, expectProblem } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

type Item = { name: string; status?: string; [field: string]: unknown };

describe('a run with a key', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project_id: string;
  let keys = 0;
  let run_key = '';
  before(async () => {
    project_id = await givenProject(team.owner);
  });
  beforeEach(() => {
    run_key = `build ${(keys += 1)}`;
  });

  const post = (items: readonly Item[] | null, more: object = {}, headers = {}): Promise<Answer> => {
    const results = items?.map((item) => ({ status: 'passed', ...item }));
    const body = { project_id, run_key, ...(results && { results }), ...more };
    return team.owner.post('/v1/test-runs', body, headers);
  };
  const took = async (status: number, ...call: Parameters<typeof post>) => {
    const answer = await post(...call);
    expect(answer.status, answer.text).to.equal(status);
    return answer.body.data;
  };
  const runOf = async (id: string) => (await team.owner.get(`/v1/test-runs/${id}`)).body.data;
  const resultsOf = async (id: string): Promise<any[]> =>
    (await team.owner.get(`/v1/test-runs/${id}/results?per_page=100`)).body.data;
  const shard = (index: number, total: number, attempt?: number) => ({
    shard: { index, total, ...(attempt !== undefined && { attempt }) },
  });

  it('is made by the first call, and reached by every later one with the key', async () => {
    const first = await took(201, [{ name: 'one' }]);
    expect(first).to.deep.include({ id: first.id, status: 'running', test_count: 1 });
    const second = await took(200, [{ name: 'two' }, { name: 'three' }]);
    expect(second).to.deep.include({ id: first.id, status: 'running', test_count: 3 });
    expect(await runOf(first.id)).to.deep.include({
      run_key,
      status: 'running',
      test_count: 3,
      shards: null,
    });
    const done = await took(200, null, { complete: true });
    expect(done).to.deep.equal({
      id: first.id,
      status: 'completed',
      test_count: 3,
      result_id_prefix: null,
    });
    expect((await resultsOf(first.id)).map(({ name }) => name)).to.deep.equal(['one', 'two', 'three']);
    expect((await took(200, [], { complete: true })).status).to.equal('completed');
    const { count_snapshot } = (await team.owner.get(`/v1/test/run/${first.id}`)).body;
    expect(count_snapshot.total).to.equal(3);
  });

  it('says in each answer what the ids of the results of the call are', async () => {
    const key = { 'Idempotency-Key': 'second-call' };
    const calls = [
      await took(201, [{ name: 'one' }, { name: 'two' }]),
      await took(200, [{ name: 'three' }], {}, key),
    ];
    expect(await took(200, [{ name: 'three' }], {}, key)).to.deep.equal(calls[1]);
    const ids = (await resultsOf(calls[0].id)).map(({ id }) => id);
    const [first, second] = calls.map(({ result_id_prefix }) => result_id_prefix);
    expect(ids).to.deep.equal([`${first}0`, `${first}1`, `${second}0`]);
  });

  it('takes a call with a submission key once, and says its ids each time, whatever is said of the run', async () => {
    const items = [{ name: 'one' }, { name: 'two', status: 'failed' }];
    const name = { submission_key: 'unit tests' };
    const first = await took(201, items, name);
    expect(first).to.deep.include({ status: 'running', test_count: 2, repeated: false });
    const again = await took(200, items, { ...name, label: 'nightly', complete: true });
    expect(again).to.deep.equal({ ...first, status: 'completed', repeated: true });
    const other = await took(200, items, { submission_key: 'other tests' });
    expect(other).to.deep.include({ status: 'running', test_count: 4, repeated: false });
    const ids = (await resultsOf(first.id)).map(({ id }) => id);
    expect(ids).to.deep.equal(
      [first, other].flatMap(({ result_id_prefix: prefix }) => [`${prefix}0`, `${prefix}1`]),
    );
    expect(await runOf(first.id)).to.include({ label: 'nightly', test_count: 4 });
    expect(await took(200, null, { ...name, complete: true })).to.not.have.property('repeated');
  });

  it('says the ids of a shard to each call that sends it, and those of an attempt to no other', async () => {
    const first = await took(201, [{ name: 'one' }], shard(1, 2));
    expect(await took(200, [{ name: 'one' }], shard(1, 2))).to.deep.equal(first);
    const second = await took(200, [{ name: 'one' }], shard(1, 2, 2));
    const ids = (await resultsOf(first.id)).map(({ id }) => id);
    expect(ids).to.deep.equal([`${first.result_id_prefix}0`, `${second.result_id_prefix}0`]);
    expect(await took(200, [{ name: 'one' }], shard(1, 2))).to.include({
      result_id_prefix: first.result_id_prefix,
    });
  });

  it('belongs to its project: another project has another run with the key', async () => {
    const other = await givenProject(team.owner);
    const { id } = await took(201, [{ name: 'one' }]);
    expect((await took(201, [{ name: 'one' }], { project_id: other })).id).to.not.equal(id);
    expectError(await post([{ name: 'one' }], { project_id: 'project_none' }), 404, 'not_found');
  });

  it('is the same on both surfaces', async () => {
    const made = await givenRun(team.owner, project_id, { run_key, label: 'nightly' });
    expect(made).to.include({ run_key, label: 'nightly', status: 'Pending' });
    expect((await team.owner.get(`/v1/test/run/${made.test_run_id}`)).body).to.deep.equal(made);
    await givenResult(team.owner, project_id, { test_run_id: made.test_run_id });
    await runOf(made.test_run_id);
    const called = await took(200, [{ name: 'two' }], { label: 'other', metadata: { branch: 'main' } });
    expect(called).to.deep.include({ id: made.test_run_id, status: 'running', test_count: 2 });
    const again = await givenRun(team.owner, project_id, {
      run_key,
      metadata: { branch: 'b', tool: 'jest' },
    });
    expect(again).to.deep.include({ test_run_id: made.test_run_id, label: 'nightly', status: 'Running' });
    expect(again.metadata).to.deep.equal({ branch: 'main', tool: 'jest' });
    expect(again.counts.total).to.equal(2);
    const path = `/v1/test/run/${made.test_run_id}`;
    expect((await team.owner.post(path, { status: 'Completed' })).status).to.equal(204);
    expect((await runOf(made.test_run_id)).status).to.equal('completed');
    expect((await givenRun(team.owner, project_id)).run_key).to.equal(null);
  });

  it('is found by its key, together with the other filters', async () => {
    const { id } = await took(201, [{ name: 'one', status: 'failed' }], { complete: true });
    const list = async (query: string) => {
      const path = `/v1/test-runs?project_id=${project_id}&run_key=${encodeURIComponent(run_key)}${query}`;
      const { body } = await team.owner.get(path);
      expect(body.pagination.total).to.equal(body.data.length);
      return body.data.map((run: any) => run.id);
    };
    expect(await list('')).to.deep.equal([id]);
    expect(await list('&status=failed')).to.deep.equal([id]);
    expect(await list('&status=passed')).to.deep.equal([]);
    run_key = 'another key';
    expect(await list('')).to.deep.equal([]);
  });

  it('with shards is running until all of them have come, and then completed', async () => {
    const { id, status } = await took(
      201,
      [
        { name: 'one', duration_ms: 5 },
        { name: 'two', duration_ms: 7 },
      ],
      shard(2, 3),
    );
    expect(status).to.equal('running');
    expect((await took(200, [{ name: 'three' }], shard(1, 3))).status).to.equal('running');
    expect(await took(200, [{ name: 'four' }], shard(3, 3))).to.include({
      id,
      status: 'completed',
      test_count: 4,
    });
    const { shards, test_count } = await runOf(id);
    expect(test_count).to.equal(4);
    expect(shards.total).to.equal(3);
    expect(shards.received.map(({ at, ...rest }: any) => (expect(at).to.match(instant), rest))).to.deep.equal(
      [
        { index: 2, attempt: 1, results: 2, duration_ms: 12 },
        { index: 1, attempt: 1, results: 1, duration_ms: 0 },
        { index: 3, attempt: 1, results: 1, duration_ms: 0 },
      ],
    );
    const { body } = await team.owner.get(`/v1/test-runs?project_id=${project_id}&per_page=1`);
    expect(body.data[0].shards).to.deep.equal(shards);
  });

  it('never ends before it starts, also where the clock of the client is ahead', async () => {
    const ahead = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await took(201, [{ name: 'one' }], { ...shard(1, 2), started_at: ahead });
    await team.owner.post(`/v1/test/run/${id}`, { status: 'Completed' });
    expect(await runOf(id)).to.include({ started_at: ahead, finished_at: ahead, duration_ms: 0 });
  });

  for (const attempts of [
    [1, 2],
    [2, 1],
  ] as const) {
    it(`refuses to retry a result that another attempt of its shard superseded, in the order ${attempts.join(', ')}`, async () => {
      const items = { 1: [{ name: 'one', status: 'failed' }], 2: [{ name: 'two' }, { name: 'one' }] };
      const ids: Record<number, string> = {};
      let run = '';
      for (const attempt of attempts) {
        const { id, result_id_prefix } = (await post(items[attempt], shard(1, 1, attempt))).body.data;
        run = id;
        ids[attempt] = `${result_id_prefix}${items[attempt].length - 1}`;
      }
      const retry = (n: 1 | 2) =>
        team.owner.post('/v1/test/result/', {
          project_id,
          test_run_id: run,
          test_name: 'one',
          status: 'Failed',
          retry_of: ids[n],
        });
      expectProblem(await retry(1), 409, 'already_superseded');
      expect(await runOf(run)).to.include({ outcome: 'passed', test_count: 2 });
      // Once what superseded it is deleted, it counts again.
      expect((await team.owner.delete(`/v1/test/result/${ids[2]}`)).status).to.equal(200);
      expect((await retry(1)).status).to.equal(200);
    });
  }

  it('shows its events in the replay, with the items after the call that sent them', async () => {
    // Tests of this run alone: after failures of others, transitions would come a little later.
    const { id } = await took(201, [{ name: 'replayed one' }, { name: 'replayed two' }], shard(1, 1));
    const { body } = await team.owner.get('/v1/events?limit=1000');
    const of = body.data.filter((event: any) => event.data.run_id === id);
    expect(of.map((event: any) => event.type)).to.deep.equal([
      'RunCreated',
      'ItemsSubmitted',
      'ResultSubmitted',
      'ResultSubmitted',
      'RunCompleted',
      'ItemsReceived',
    ]);
    const { position } = of[2];
    const { body: rest } = await team.owner.get(`/v1/events?limit=2&after=${position}`);
    expect(rest.data.map((event: any) => event.type)).to.deep.equal(['ResultSubmitted', 'RunCompleted']);
  });
});
