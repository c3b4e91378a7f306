import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { givenKey, givenProject, givenResult, givenRun } from '../http/given.js';
import { follow } from '../http/events.js';
import { isRunning, OWNER_KEY, servers, until, type Env, type RunningServer } from './server.js';
import { halfSent } from './unfinished-request.js';

const WORKERS: Env = { HTTP_WORKERS: '2' };
const PER_SECOND = 10;
const CLIENTS = 8;
/** A worker hears of the requests to the other one within this time. */
const HEARD_WITHIN_S = 0.1;

type Answer = { status: number; headers: IncomingMessage['headers']; body: any };

describe('HTTP_WORKERS: two processes answer on one port', () => {
  const given = servers();
  const started = (env: Env = {}) => given.start({ env: { ...WORKERS, ...env } });

  it('shows at every worker at once what another one has written', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const { test_run_id } = await givenRun(server.owner, project);
    for (let n = 1; n <= 20; n += 1) {
      const { body } = await post(server, '/v1/test/result/', resultOf(project, test_run_id, `test ${n}`));
      const answers = await Promise.all([1, 2].map(() => get(server, `/v1/test/run/${test_run_id}`)));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(answers.map(({ headers }) => headers['x-read-lag'])).to.deep.equal([undefined, undefined]);
      expect(answers.map((each) => each.body.counts.total)).to.deep.equal([n, n]);
      expect((await get(server, `/v1/test/result/${body.test_result_id}`)).status).to.equal(200);
    }
  });

  it('takes a new key at every worker at once, and a revoked key at none', async () => {
    const server = await started();
    const key = await givenKey(server.owner, 'member');
    const first = await Promise.all([1, 2, 3, 4].map(() => get(server, '/v1/me', key)));
    expect(first.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const { body } = await server.owner.get('/v1/keys');
    const { id } = body.data.find(({ role }: { role: string }) => role === 'member');
    expect((await server.owner.delete(`/v1/keys/${id}`)).status).to.equal(204);
    await until('the key is refused everywhere', async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => get(server, '/v1/me', key)));
      return answers.every(({ status }) => status === 401);
    });
  });

  it('does a request once that comes with one Idempotency-Key to both at the same time', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const body = { project_id: project, results: [{ name: 'the test', status: 'passed' }] };
    const send = async (): Promise<string> => {
      for (;;) {
        const answer = await post(server, '/v1/test-runs', body, { 'Idempotency-Key': 'the-run' });
        if (answer.status === 201) return answer.body.data.id as string;
        // Another one is at work on it.
        expect(answer.status, JSON.stringify(answer.body)).to.equal(409);
      }
    };
    const ids = await Promise.all(Array.from({ length: 20 }, send));
    expect(new Set(ids)).to.have.property('size', 1);
    const { body: list } = await server.owner.get(`/v1/test-runs?project_id=${project}`);
    expect(list.data.map(({ id }: { id: string }) => id)).to.deep.equal([ids[0]]);
  });

  it('lets a key send RATE_LIMIT requests a second in all', async () => {
    const server = await started({ RATE_LIMIT: String(PER_SECOND) });
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    let passed = 0;
    let refused = 0;
    const flood = async () => {
      while (seconds() < 4 || refused < 50) {
        const { status } = await get(server, '/v1/me');
        if (status === 200) passed += 1;
        else refused += 1;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, flood));
    const allowed = PER_SECOND * (2 + seconds());
    // With a limit of its own, each worker would let as many pass. A request of each of the clients may be late.
    const most = allowed + 2 * PER_SECOND * HEARD_WITHIN_S + 2 * CLIENTS;
    expect(most).to.be.below(1.5 * allowed);
    expect(passed).to.be.within(0.8 * allowed, most);
  });

  it('sends what one worker has written to the live streams of both', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const streams = await Promise.all([1, 2, 3, 4].map(() => follow(server.url, OWNER_KEY)));
    const { test_run_id } = await givenRun(server.owner, project);
    const { test_result_id } = await givenResult(server.owner, project, { test_run_id });
    await until('all streams have the result', () =>
      streams.every(({ events }) => JSON.stringify(events).includes(test_result_id)),
    );
    for (const stream of streams) stream.close();
  });

  it('evens out connections that stay open, when one worker has accepted all of them', async () => {
    const server = await started();
    const [idle, busy] = workersOf(server);
    process.kill(idle!, 'SIGSTOP');
    const clients = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    let [asked, answered, over] = [0, 0, false];
    const asking = clients.map(async (agent) => {
      while (!over) {
        asked += 1;
        const { status } = await send(server, { method: 'GET', path: '/v1/me', key: OWNER_KEY, agent });
        if (status === 200) answered += 1;
      }
    });
    try {
      await until('the other worker has them', () => answered > 100);
      process.kill(idle!, 'SIGCONT');
      await until('each answers at least a third of the last requests', () => {
        const last = server
          .logged()
          .filter(({ path }) => path === '/v1/me')
          .slice(-300);
        const shares = [idle, busy].map((pid) => last.filter((line) => line['pid'] === pid).length);
        return shares.every((share) => share >= 100);
      });
    } finally {
      process.kill(idle!, 'SIGCONT');
      over = true;
      await Promise.all(asking);
      for (const each of clients) each.destroy();
    }
    expect(answered).to.equal(asked);
  });

  it('counts the requests to all workers on the page of metrics', async () => {
    const server = await started();
    await Promise.all(Array.from({ length: 10 }, () => get(server, '/v1/me')));
    const sample = /^testledger_http_request_seconds_count\{.*route="\/v1\/me".*\} 10$/m;
    await until('the page counts them', async () => sample.test((await server.owner.get('/metrics')).text));
    const page = (await server.owner.get('/metrics')).text;
    expect(page).to.match(/^testledger_projection_lag_seconds\{projection="ledger"\} \d/m);
  });

  it('answers every request that it has accepted, and ends with 0 after SIGTERM', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const { test_run_id } = await givenRun(server.owner, project);
    const workers = workersOf(server);
    const requests = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        halfSent(server.url, '/v1/test/result/', resultOf(project, test_run_id, `test ${n}`)),
      ),
    );
    server.signal('SIGTERM');
    await server.line('stopping');
    const answers = await Promise.all(requests.map(({ finish }) => finish()));
    expect(answers.map(({ status }) => status)).to.deep.equal(requests.map(() => 200));
    expect((await server.ended).code).to.equal(0);
    expect(workers.filter(isRunning)).to.deep.equal([]);
  });

  it('loses nothing that was answered when a worker is killed, and starts another one', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const { test_run_id } = await givenRun(server.owner, project);
    const answered: string[] = [];
    let over = false;
    const writing = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !over; n += 1) {
        const name = `test ${writer} ${n}`;
        const body = resultOf(project, test_run_id, name);
        const headers = { 'Idempotency-Key': name.replaceAll(' ', '-') };
        // The connection ends with its worker. A client then sends the request again.
        const answer = await post(server, '/v1/test/result/', body, headers).catch(() => null);
        if (answer?.status === 200) answered.push(name);
      }
    });
    await until('some answers', () => answered.length > 100);
    const before = workersOf(server);
    process.kill(before[0]!, 'SIGKILL');
    await server.line('a process that answers HTTP has died: another one is started');
    await until('two workers', () => workersOf(server).length === 2);
    expect(workersOf(server)).not.to.deep.equal(before);
    const then = answered.length;
    await until('more answers', () => answered.length > then + 100);
    over = true;
    await Promise.all(writing);
    await server.caughtUp();
    const { body } = await server.owner.get(`/v1/test/run/${test_run_id}`);
    // A request whose answer was lost may have been done too.
    expect(body.counts.total).to.be.within(answered.length, answered.length + 8);
  });

  it('ends the workers of a process that was killed, and starts again on its folder and port', async () => {
    const server = await started();
    const project = await givenProject(server.owner);
    const workers = workersOf(server);
    await server.kill();
    await until('the workers have ended', () => !workers.some(isRunning));
    const again = await started({ PORT: new URL(server.url).port });
    expect((await again.owner.get(`/v1/projects/${project}`)).status).to.equal(200);
  });

  it('does not start on a port that is taken, and says so', async () => {
    const first = await given.start();
    const env = { ...WORKERS, DATA_DIR: `${given.folder}/other`, PORT: new URL(first.url).port };
    const second = given.launch({ env });
    expect((await second.ended).code).to.equal(1);
    expect(second.stderr()).to.match(/testledger cannot start: .*EADDRINUSE.* set another PORT\.\n$/);
  });
});

function get(server: RunningServer, path: string, key = OWNER_KEY): Promise<Answer> {
  return send(server, { method: 'GET', path, key });
}

function post(server: RunningServer, path: string, body: object, headers = {}): Promise<Answer> {
  return send(server, { method: 'POST', path, key: OWNER_KEY, body, headers });
}

type Sent = {
  method: string;
  path: string;
  key: string;
  body?: object;
  headers?: Record<string, string>;
  agent?: Agent;
};

/** On a connection of its own, so that any of the workers may take it, unless an agent is given. */
async function send(
  { url }: RunningServer,
  { method, path, key, body, headers, agent = new Agent({ keepAlive: false }) }: Sent,
): Promise<Answer> {
  const sending = httpRequest(url + path, {
    method,
    agent,
    headers: { Authorization: key, ...(body && { 'Content-Type': 'application/json' }), ...headers },
  });
  sending.end(body && JSON.stringify(body));
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return { status: response.statusCode!, headers: response.headers, body: JSON.parse(text) };
}

function resultOf(project_id: string, test_run_id: string, test_name: string) {
  return { project_id, test_run_id, test_name, status: 'Passed' };
}

/** The ids of the processes that a process has started. */
function workersOf({ pid }: RunningServer): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}
