/** Requests that no client library would send, written to the socket as they are. */
import { connect, type Socket } from 'node:net';

export type RawAnswer = { status: number; headers: string; body: string };

/** Sends bytes; returns the first complete response, or the part that came before the connection ended. */
export async function sendRaw(url: string, ...parts: (string | Uint8Array)[]): Promise<RawAnswer> {
  const socket = await connected(url);
  for (const part of parts) socket.write(part);
  return answerOf(socket);
}

export function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.off('error', reject);
      // A server that refuses may close before all bytes are written: its answer still counts.
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Reads one response with a known length, and closes the connection. */
export function answerOf(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let received = '';
    const end = () => {
      socket.destroy();
      resolve(parsed(received));
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const { headers, body } = parsed(received);
      const length = /^content-length: (\d+)/im.exec(headers)?.[1];
      const chunkedEnd = /^transfer-encoding: chunked/im.test(headers) && body.endsWith('0\r\n\r\n');
      if (chunkedEnd || (length !== undefined && body.length >= Number(length))) end();
    });
    socket.on('close', end);
  });
}

function parsed(received: string): RawAnswer {
  const [headers = '', ...body] = received.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1] ?? 0),
    headers,
    body: body.join('\r\n\r\n'),
  };
}
