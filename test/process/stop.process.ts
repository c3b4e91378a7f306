import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Api } from '../kit/client.js';
import { givenProject, givenResult, givenRun } from '../http/given.js';
import { halfSent, takesConnections } from './unfinished-request.js';
import { OWNER_KEY } from '../kit/environment.js';
import { isGone, servers, until, type RunningServer } from '../kit/process.js';
import { listed } from './kill/random-writer.js';

const WITHIN_MS = 10_000;

describe('the process: SIGTERM', () => {
  const given = servers();

  it('answers every request that it has accepted, takes no new ones, and ends with 0', async () => {
    const server = await given.start();
    const { project, run } = await withRun(server);
    const requests = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        halfSent(server.url, '/v1/test/result/', resultOf(project, run, `test ${n}`)),
      ),
    );
    server.signal('SIGTERM');
    await until('no new connections', async () => !(await takesConnections(server.url)));
    const answers = await Promise.all(requests.map(({ finish }) => finish()));
    expect(answers.map(({ status }) => status)).to.deep.equal(requests.map(() => 200));
    expect(new Set(answers.map(({ connection }) => connection))).to.deep.equal(new Set(['close']));
    const { code, afterMs } = await server.ended;
    expect(code).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);

    const again = await given.start();
    expect(names(await listed(again.owner, `/v1/test/result/?test_run_id=${run}`))).to.deep.equal(
      names(answers.map(({ body }) => body)),
    );
  });

  it('under load has done every write that it answered, and no other', async () => {
    const server = await given.start();
    const { project, run } = await withRun(server);
    const answered: string[] = [];
    let stopping = false;
    const writing = Array.from({ length: 16 }, async (_, writer) => {
      for (let n = 0; ; n += 1) {
        const name = `test ${writer} ${n}`;
        try {
          const { status, text } = await server.owner.post('/v1/test/result/', resultOf(project, run, name));
          expect(status, text).to.equal(200);
          answered.push(name);
        } catch (error) {
          if (!stopping || !isGone(error)) throw error;
          return;
        }
      }
    });
    await Promise.race([until('many answers', () => answered.length > 200), Promise.all(writing)]);
    stopping = true;
    const { code, afterMs } = await server.stop();
    await Promise.all(writing);
    expect(code).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);

    const again = await given.start();
    const found = await listed(again.owner, `/v1/test/result/?test_run_id=${run}`);
    expect(names(found)).to.deep.equal(answered.sort());
    const { body } = await again.owner.get(`/v1/test/run/${run}`);
    expect(body.counts.total).to.equal(answered.length);
  });

  it('sends a long answer to its end, however slowly it is read', async () => {
    const server = await given.start();
    const { project, run } = await withRun(server);
    await manyMegabytes(server.owner, project, run);
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    socket.write(
      `GET /v1/test/result/?test_run_id=${run}&page_size=100 HTTP/1.1\r\nHost: x\r\nAuthorization: ${OWNER_KEY}\r\n\r\n`,
    );
    let received = String((await once(socket, 'data'))[0]);
    socket.pause();
    server.signal('SIGTERM');
    await until('no new connections', async () => !(await takesConnections(server.url)));
    socket.on('data', (text: string) => (received += text)).resume();
    await once(socket, 'close');
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(body.length).to.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    expect((await server.ended).code).to.equal(0);
  });

  it('ends once, and within 10 s, despite a second SIGTERM and a client that never sends its body', async () => {
    const server = await given.start();
    const { project, run } = await withRun(server);
    const path = '/v1/test/result/';
    await halfSent(server.url, path, resultOf(project, run, 'never sent'));
    const other = await halfSent(server.url, path, resultOf(project, run, 'sent'));
    server.signal('SIGTERM');
    await until('no new connections', async () => !(await takesConnections(server.url)));
    server.signal('SIGTERM');
    expect((await other.finish()).status).to.equal(200);
    const { code, afterMs } = await server.ended;
    expect(code).to.equal(0);
    expect(afterMs).to.be.below(WITHIN_MS);
    expect(server.logged().filter(({ msg }) => msg === 'stopping').length).to.equal(1);
    expect(server.logged().at(-1)).to.include({ msg: 'stopped' });
    const again = await given.start();
    const found = await listed(again.owner, `/v1/test/result/?test_run_id=${run}`);
    expect(names(found)).to.deep.equal(['sent']);
  });
});

async function withRun({ owner }: RunningServer): Promise<{ project: string; run: string }> {
  const project = await givenProject(owner);
  return { project, run: (await givenRun(owner, project)).test_run_id };
}

/** A page of a hundred results that is too large for the buffers of a socket. */
async function manyMegabytes(owner: Api, project: string, run: string): Promise<void> {
  const metadata = { log: 'x'.repeat(60_000) };
  for (let n = 0; n < 100; n += 1) await givenResult(owner, project, { test_run_id: run, metadata });
}

function resultOf(project_id: string, test_run_id: string, test_name: string): object {
  return { project_id, test_run_id, test_name, status: 'Passed' };
}

function names(results: readonly any[]): string[] {
  return results.map(({ test_name }) => test_name as string).sort();
}
