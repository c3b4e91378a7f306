import { expect } from 'chai';
import { createClient, TestledgerError, type Client, type SubmitItem } from '../../src/client/index.js';
import { limits } from '../../src/limits.js';
import { givenProject } from '../http/given.js';
import { testServer, type Team } from '../kit/server.js';
import { faultyProxy, type Fault } from './faulty-proxy.js';

describe('a run that the client submits', function () {
  const server = testServer();
  const proxy = faultyProxy(() => server.url);
  let team: Team;
  let project: string;
  let client: Client;
  beforeEach(async () => {
    team ??= await server.newTeam();
    project = await givenProject(team.owner);
    proxy.plan([]);
    client = createClient({
      url: proxy.url,
      apiKey: team.owner.key!,
      project,
      retries: { firstMs: 10 },
    });
  });

  const items = (count: number, more: Partial<SubmitItem> = {}): SubmitItem[] =>
    Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, status: 'passed', ...more }));
  const runs = async () => (await team.owner.get(`/v1/test-runs?project_id=${project}`)).body;
  const resultsOf = async (id: string): Promise<any[]> =>
    (await team.owner.get(`/v1/test-runs/${id}/results?per_page=100`)).body.data;

  it('is there with the ids that the client says', async () => {
    const run = await client.submitRun({ label: 'nightly', results: items(3) });
    expect(run).to.include({ status: 'completed', test_count: 3 });
    const results = await resultsOf(run.id);
    expect(results.map(({ id }) => id)).to.deep.equal([0, 1, 2].map((n) => run.resultId(n)));
    expect(() => run.resultId(3)).to.throw(RangeError);
  });

  const faults: Fault[] = ['closed', 'unanswered', 'cut', 'silent', 'not json', 'page of a proxy', 429, 503];
  for (const fault of faults) {
    it(`is there once after the fault "${fault}", twice in a row`, async () => {
      proxy.plan([fault, fault]);
      const { id } = await client.submitRun(
        { results: items(5) },
        fault === 'silent' ? { timeoutMs: 1_000 } : {},
      );
      const { data } = await runs();
      expect(data.map((run: any) => [run.id, run.test_count])).to.deep.equal([[id, 5]]);
      const [first, second, third] = proxy.requests;
      expect(third!.headers['idempotency-key']).to.equal(first!.headers['idempotency-key']);
      if (fault !== 'silent') expect(proxy.requests).to.have.length(3);
      if (typeof fault === 'number') expect(second!.at - first!.at).to.be.at.least(990);
    });
  }

  it('that is a shard is there once after a lost answer, without a key that could hold it up', async () => {
    proxy.plan(['unanswered', 'cut']);
    const shard = { run_key: 'build 7', shard: { index: 1, total: 1 } };
    const run = await client.submitRun({ ...shard, results: items(5) });
    expect(run).to.include({ status: 'completed', test_count: 5 });
    expect((await resultsOf(run.id)).map(({ id }) => id)[4]).to.equal(run.resultId(4));
    expect(proxy.requests).to.have.length(3);
    expect(proxy.requests[0]!.headers).to.not.have.property('idempotency-key');
  });

  it('gets the answer of a former attempt that is still at work', async () => {
    const key = 'one-submission';
    const [first, second] = await Promise.all(
      [0, 1].map(() => client.submitRun({ results: items(500) }, { idempotencyKey: key })),
    );
    expect(second!.id).to.equal(first!.id);
    expect((await runs()).pagination.total).to.equal(1);
  });

  it('is refused at once for what no repeat mends, with the code and the fields of the answer', async () => {
    const refused = client.submitRun({ results: [{ name: 'x', status: 'passed' }] });
    const error = await refused.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(TestledgerError);
    expect(error).to.include({ code: 'validation_failed', status: 400 });
    expect((error as TestledgerError).fields).to.have.length(1);
    expect((error as TestledgerError).fields[0]).to.include({
      pointer: '/results/0/name',
      code: 'too_short',
    });
    expect(proxy.requests).to.have.length(1);
  });

  it('ends when its signal says so', async () => {
    proxy.plan(['silent']);
    const reason = new Error('the reporter ends');
    const call = client.submitRun({ results: items(1) }, { signal: AbortSignal.timeout(100) });
    expect(await call.catch((error: unknown) => (error as Error).name)).to.equal('TimeoutError');
    const aborted = client.submitRun({ results: items(1) }, { signal: AbortSignal.abort(reason) });
    expect(await aborted.catch((error: unknown) => error)).to.equal(reason);
  });

  it('gives up after its repeats, and says why', async () => {
    const patient = createClient({
      url: proxy.url,
      apiKey: team.owner.key!,
      project,
      retries: { most: 2, firstMs: 1 },
    });
    proxy.plan(['closed', 'closed', 'closed']);
    const error = await patient.submitRun({ results: items(1) }).catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'unreachable', status: null });
    expect(proxy.requests).to.have.length(3);
  });

  it('that needs several calls is one completed run, each result once, whatever happens between', async () => {
    // The messages are as long as they may be, so that a few results fill a call.
    const error_message = 'x'.repeat(limits.longErrorMessageBytes - 10);
    const count = 130;
    const results = items(count, { error_message });
    // The first result is retried by the last one, so both must come in one call.
    results[0] = { name: 'retried', status: 'failed', error_message };
    results[count - 1] = { name: 'retried', status: 'passed', attempt: 2 };
    proxy.plan(['unanswered', null, 'cut']);
    const run = await client.submitRun({ results });
    expect(proxy.requests).to.have.length(4);
    expect(run).to.include({ status: 'completed', test_count: count });
    const { data, pagination } = await runs();
    expect(pagination.total).to.equal(1);
    expect(data[0]).to.include({ id: run.id, outcome: 'passed', test_count: count });
    const resultOf = async (n: number) =>
      (await team.owner.get(`/v1/test-results/${run.resultId(n)}`)).body.data;
    const named = await Promise.all([0, 1, count - 2, count - 1].map(resultOf));
    expect(named.map(({ name, attempt }) => `${name} ${attempt}`)).to.deep.equal([
      'retried 1',
      'test 1 1',
      `test ${count - 2} 1`,
      'retried 2',
    ]);
    expect(named[0].superseded_by).to.equal(run.resultId(count - 1));
  });

  it('that is large is sent compressed over a network, and as it is on one machine', async () => {
    const results = items(300, { metadata: { log: 'line\n'.repeat(2_000) } });
    const elsewhere = createClient({
      url: 'http://ci.example',
      apiKey: team.owner.key!,
      project,
      fetch: (url, init) => fetch((url as string).replace('http://ci.example', proxy.url), init),
    });
    for (const each of [elsewhere, client]) {
      const run = await each.submitRun({ results });
      expect(run.test_count).to.equal(300);
    }
    const [compressed, plain] = proxy.requests;
    expect(compressed!.headers['content-encoding']).to.equal('gzip');
    expect(compressed!.bytes).to.be.below(1_000_000);
    expect(plain!.headers['content-encoding']).to.equal(undefined);
  });
});
