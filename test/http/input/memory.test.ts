import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { testServer, type Team } from '../server.js';

const MIB = 1024 * 1024;

describe('memory under bad requests', () => {
  const server = testServer();
  let team: Team;
  before(async () => {
    team = await server.newTeam();
  });

  it('stays flat over 300 of about 1 MiB, and the server answers on', async function () {
    this.timeout(60_000);
    const text = 'x'.repeat(MIB - 200);
    const bodies: {
      content: string | Uint8Array<ArrayBuffer>;
      headers?: Record<string, string>;
      status: number;
    }[] = [
      { content: ' '.repeat(MIB + 1), status: 413 },
      { content: `{"label":"${text}`, status: 400 },
      { content: `{"label":"${text}","project_id":"x"}`, status: 400 },
      { content: `{"metadata":{"a":"${text}"},"project_id":"x"}`, status: 400 },
      { content: ('['.repeat(50_000) + ']'.repeat(50_000)).padEnd(MIB), status: 400 },
      { content: text, headers: { 'Content-Type': 'text/plain' }, status: 415 },
      { content: text, headers: { Authorization: 'nobody' }, status: 401 },
      {
        content: Uint8Array.from(gzipSync(' '.repeat(16 * MIB))),
        headers: { 'Content-Encoding': 'gzip' },
        status: 413,
      },
      { content: Uint8Array.from(Buffer.from(text.replace(/x$/, '\u00ff'), 'latin1')), status: 400 },
      { content: text, headers: { 'Idempotency-Key': 'a b' }, status: 400 },
    ];
    const send = async (count: number) => {
      for (let sent = 0; sent < count; sent += bodies.length) {
        await Promise.all(
          bodies.map(async ({ content, headers, status }) => {
            const answer = await team.owner.send({ method: 'POST', path: '/v1/test/run/', content, headers });
            expect(answer.status, answer.text).to.equal(status);
          }),
        );
      }
    };
    // The first ones warm up the pools of everything between here and there.
    await send(100);
    const before = used();
    await send(300);
    const after = used();
    expect(after.heap - before.heap, 'bytes still held on the heap').to.be.below(32 * MIB);
    expect(after.rss - before.rss, 'bytes resident').to.be.below(160 * MIB);
    expect((await team.owner.get('/v1/me')).status).to.equal(200);
  });
});

/** What is held once nothing is garbage. */
function used(): { heap: number; rss: number } {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}
