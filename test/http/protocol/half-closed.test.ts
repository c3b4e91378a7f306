import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { eventually } from '../../stores.js';
import { connected } from './raw.js';
import { testServer } from '../../kit/server.js';

describe('a client that ends its side after the request', () => {
  const server = testServer();
  const head = (method: string, path: string, more = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${server.operator.key}\r\n${more}\r\n`;
  const creation = (name: string) => {
    const body = JSON.stringify({ name });
    return (
      head('POST', '/v1/projects', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) +
      body
    );
  };
  /** Everything that the server sends until it closes the connection. */
  async function untilClosed(socket: Socket): Promise<string> {
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    await once(socket, 'close');
    return received;
  }
  async function halfClosed(text: string): Promise<string> {
    const socket = await connected(server.url);
    socket.end(text);
    return untilClosed(socket);
  }

  it('gets the answer to its write, and then the connection closes', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `half ${n}`);
    const answers = await Promise.all(names.map((name) => halfClosed(creation(name))));
    for (const [n, answer] of answers.entries()) {
      expect(answer).to.match(/^HTTP\/1\.1 201 /);
      expect(answer).to.include(`"name":"half ${n}"`);
    }
  });

  it('gets the answers to all of its requests, in order', async () => {
    const text = creation('first') + head('GET', '/v1/me') + creation('third') + head('GET', '/livez');
    const answers = await halfClosed(text);
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)?.map((line) => line.slice(-3))).to.deep.equal([
      '201',
      '200',
      '201',
      '200',
    ]);
    expect(answers.indexOf('"name":"first"')).to.be.below(answers.indexOf('"name":"third"'));
  });

  it('gets a 400 if its body has not ended', async () => {
    const text = creation('cut');
    const answer = await halfClosed(text.slice(0, -3));
    expect(answer).to.match(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).to.have.length(1);
  });

  it('loses its connection if it has no request in progress', async () => {
    const socket = await connected(server.url);
    socket.write(head('GET', '/livez'));
    await once(socket, 'data');
    const closed = untilClosed(socket);
    socket.end();
    await closed;
  });

  it('ends its live stream, so that a client that has left does not hold one', async () => {
    const early = await halfClosed(head('GET', '/v1/events', 'Accept: text/event-stream\r\n'));
    expect(early).to.match(/^HTTP\/1\.1 200 /);

    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    socket.write(head('GET', '/v1/events', 'Accept: text/event-stream\r\n'));
    while (!received.includes('event: TeamCreated')) await once(socket, 'data');
    socket.end();
    await once(socket, 'close');
    expect(received.endsWith('0\r\n\r\n'), 'it ends and is not cut off').to.equal(true);
  });

  it('leaves no connection behind, whether it waits for its answer or has left', async () => {
    const connections = () =>
      process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
    const stream = head('GET', '/v1/events', 'Accept: text/event-stream\r\n');
    const lines = head('GET', '/v1/events', 'Accept: application/x-ndjson\r\n');
    await server.operator.get('/livez');
    const before = connections();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        [
          creation(`left ${n}`),
          creation('cut').slice(0, -3),
          stream,
          lines,
          head('GET', '/livez'),
          'GET',
          '',
        ].map(async (text) => {
          const waiting = await connected(server.url);
          waiting.end(text);
          const leaving = await connected(server.url);
          leaving.write(text, () => leaving.destroy());
          return untilClosed(waiting);
        }),
      ).flat(),
    );
    expect(all).to.have.length(140);
    await eventually('all connections are gone', () => connections() <= before);
  });
});
