import { expect } from 'chai';
import type { Socket } from 'node:net';
import { givenKey } from '../given.js';
import { connected } from './raw.js';
import { testServer } from '../../kit/server.js';

describe('requests on one connection', () => {
  const server = testServer();

  /** Sends GET /v1/me, and returns the status and the id of the key in the answer. */
  async function me(socket: Socket, key: string): Promise<[status: number, id: string | undefined]> {
    let received = '';
    socket.setEncoding('utf8');
    const answered = new Promise<void>((resolve) => {
      const take = (text: string): void => {
        received += text;
        const [, length] = /^content-length: (\d+)/im.exec(received) ?? [];
        if (length === undefined || received.length < received.indexOf('\r\n\r\n') + 4 + Number(length))
          return;
        socket.off('data', take);
        resolve();
      };
      socket.on('data', take);
    });
    socket.write(`GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n\r\n`);
    await answered;
    return [Number(received.slice(9, 12)), /"id":"(key_\w+)"/.exec(received)?.[1]];
  }

  it('are each answered for the key that they send', async () => {
    const [one, other] = [await server.newTeam(), await server.newTeam()];
    const keys = [await givenKey(one.owner, 'viewer'), await givenKey(other.owner, 'member')] as const;
    const socket = await connected(server.url);
    const answers = [];
    for (const key of [...keys, keys[0], `Bearer ${keys[1]}`]) answers.push(await me(socket, key));
    expect(answers.map(([status]) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(answers[2]).to.deep.equal(answers[0]);
    expect(answers[3]).to.deep.equal(answers[1]);
    expect(answers[0]![1]).to.be.a('string').and.not.equal(answers[1]![1]);
    socket.destroy();
  });

  it('are refused as soon as their key is revoked', async () => {
    const { owner } = await server.newTeam();
    const { data } = (await owner.post('/v1/keys', { name: 'short', role: 'viewer' })).body;
    const socket = await connected(server.url);
    expect((await me(socket, data.key))[0]).to.equal(200);
    expect((await owner.delete(`/v1/keys/${data.id}`)).status).to.equal(204);
    expect((await me(socket, data.key))[0]).to.equal(401);
    socket.destroy();
  });
});
