import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { sendRaw } from '../protocol/raw.js';
import { testServer } from '../../kit/server.js';
import { givenTeam } from '../given.js';
import { used } from '../../used-memory.js';

const MIB = 1024 * 1024;

type Bad = { body: Buffer; header?: string; status: number };

describe('memory during bad requests', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');

  const text = 'x'.repeat(MIB - 200);
  const of = (body: string, status: number, header = ''): Bad => ({
    body: Buffer.from(body),
    header,
    status,
  });
  const bad: Bad[] = [
    of(' '.repeat(MIB + 1), 413),
    of(`{"label":"${text}`, 400),
    of(`{"label":"${text}","project_id":"x"}`, 400),
    of(`{"metadata":{"a":"${text}"},"project_id":"x"}`, 400),
    of(('['.repeat(50_000) + ']'.repeat(50_000)).padEnd(MIB), 400),
    of(text, 415, 'Content-Type: text/plain\r\n'),
    of(text, 401, 'Authorization: nobody\r\n'),
    of(text, 400, 'Idempotency-Key: a b\r\n'),
    { body: gzipSync(' '.repeat(16 * MIB)), header: 'Content-Encoding: gzip\r\n', status: 413 },
    { body: Buffer.from(`"${text}\u00ff"`, 'latin1'), status: 400 },
  ];

  it('does not grow over 300 requests of about 1 MiB, and the server still answers', async function () {
    // The first ones fill the buffers of client and server.
    await send(100);
    const before = await used();
    await send(300);
    const after = await used();
    expect(after.held - before.held, 'bytes still held').to.be.below(32 * MIB);
    expect(after.resident - before.resident, 'bytes resident').to.be.below(160 * MIB);
    expect((await team.owner.get('/v1/me')).status).to.equal(200);
  });

  async function send(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += bad.length) {
      await Promise.all(
        bad.map(async ({ body, header = '', status }) => {
          const defaults = { Authorization: team.owner.key, 'Content-Type': 'application/json' };
          const headers = Object.entries(defaults)
            .filter(([name]) => !header.startsWith(name))
            .map(([name, value]) => `${name}: ${value}\r\n`);
          const head = `POST /v1/test/run/ HTTP/1.1\r\nHost: x\r\n${headers.join('')}${header}`;
          const answer = await sendRaw(server.url, `${head}Content-Length: ${body.length}\r\n\r\n`, body);
          expect(answer.status, answer.body.slice(0, 1_000)).to.equal(status);
        }),
      );
    }
  }
});
