import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { eventually } from '../../stores.js';
import { givenKey, givenProject, givenTeam } from '../given.js';
import { answerOf, connected } from '../protocol/raw.js';
import { ownServer, type Team } from '../../kit/server.js';

const MIB = 1024 * 1024;

describe('the memory of requests', function () {
  this.timeout(600_000);
  let logged = '';
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  const server = ownServer({ VALIDATE_EVENTS: 'off' }, pino({ level: 'error' }, lines));
  const team = givenTeam(server, 'each suite');
  let other: Team;
  let project = '';
  let othersProject = '';
  const sockets: Socket[] = [];
  before(async () => {
    other = await server.newTeam();
    project = await givenProject(team.owner);
    othersProject = await givenProject(other.owner);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** `body`: bytes are sent without a copy, so that they take no memory of the client for each request. */
  async function sending(head: string, key: string, body: string | Uint8Array = ''): Promise<Socket> {
    const socket = await connected(server.url);
    sockets.push(socket);
    socket.write(`${head}\r\nHost: x\r\nAuthorization: ${key}\r\n\r\n`);
    if (body.length > 0) socket.write(body);
    return socket;
  }
  const post = (key: string, length: number, body: string | Uint8Array) =>
    sending(
      `POST /v1/test/run/ HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${length}`,
      key,
      body,
    );

  it('a key without the right is refused before its body has arrived', async () => {
    const viewer = await givenKey(team.owner, 'viewer');
    expect((await answerOf(await post(viewer, MIB, '{'))).status).to.equal(403);
    // Refusals that follow from the headers come first.
    expect((await answerOf(await post(viewer, MIB + 1, '{'))).status).to.equal(413);
  });

  it('bodies that do not end take no more than the share of their team, and others go on', async () => {
    const keys = [];
    for (let n = 0; n < 3; n += 1) keys.push(await givenKey(team.owner, 'member'));
    const body = Buffer.from('{'.padEnd(MIB - 1));
    const statuses: number[] = [];
    const BODIES = 480;
    const before = process.memoryUsage.rss();
    for (let n = 0; n < BODIES; n += 1) {
      const socket = await post(keys[n % 3]!, MIB, body);
      void answerOf(socket).then(({ status }) => statuses.push(status));
    }
    await eventually('all but 16 are refused', () => statuses.length >= BODIES - 16);
    expect(new Set(statuses)).to.deep.equal(new Set([503]));
    // The resident memory of a process also has what its threads and stores took meanwhile.
    expect(process.memoryUsage.rss() - before).to.be.below((BODIES * MIB) / 2);
    const { status } = await other.owner.post('/v1/test/run/', {
      project_id: othersProject,
      metadata: { x: 'x'.repeat(60_000) },
    });
    expect(status).to.equal(200);
  });

  it('answers that are not read take no more than the share of their key, and others go on', async () => {
    for (let n = 0; n < 100; n += 1) {
      const metadata = { x: 'x'.repeat(60_000) };
      await team.owner.post('/v1/test/run/', { project_id: project, label: `run ${n}`, metadata });
    }
    const path = `/v1/test/run/?project_id=${project}&page_size=100`;
    const viewer = await givenKey(team.owner, 'viewer');
    const before = process.memoryUsage.rss();
    const heads: Promise<string>[] = [];
    for (let n = 0; n < 60; n += 1) {
      const socket = await sending(`GET ${path} HTTP/1.1`, viewer);
      heads.push(
        once(socket, 'readable').then(() => (socket.read(12) as Buffer | null)?.toString() ?? 'nothing'),
      );
    }
    const answers = await Promise.all(heads);
    const count = (status: number) => answers.filter((head) => head === `HTTP/1.1 ${status}`).length;
    expect([count(200) > 0, count(200) <= 8, count(200) + count(503)]).to.deep.equal([true, true, 60]);
    expect(process.memoryUsage.rss() - before).to.be.below(200 * MIB);
    const page = await other.owner.get(`/v1/test/run/?project_id=${othersProject}&page_size=100`);
    expect(page.status).to.equal(200);
    // The memory is free once they have gone.
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually('the key gets its page again', async () => {
      const { status } = await server.as(viewer).get(path);
      return status === 200;
    });
    expect(logged, 'clients that leave are no faults').to.equal('');
  });
});
