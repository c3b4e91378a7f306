/** Requests that a server has accepted and cannot answer yet: their head is sent, their body is not. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { OWNER_KEY } from '../kit/environment.js';

export type HalfSent = {
  /** Sends the body and returns the answer. */
  finish(): Promise<{ status: number; connection: string | undefined; body: any }>;
};

/** Sends the head, and waits until the server confirms it with `100 Continue`. */
export async function halfSent(url: string, path: string, body: object): Promise<HalfSent> {
  const text = JSON.stringify(body);
  const sending = request(url + path, {
    method: 'POST',
    agent: false,
    headers: {
      Authorization: OWNER_KEY,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      Connection: 'keep-alive',
      Expect: '100-continue',
    },
  });
  // `finish` throws the error; until then it must not count as unhandled.
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  sending.flushHeaders();
  await once(sending, 'continue');
  sending.write(text.slice(0, 5));
  return {
    async finish() {
      sending.end(text.slice(5));
      const [response] = await answered;
      let received = '';
      for await (const chunk of response.setEncoding('utf8')) received += chunk as string;
      const { statusCode = 0, headers } = response;
      return { status: statusCode, connection: headers.connection, body: JSON.parse(received) };
    },
  };
}

/** Whether the address accepts a new connection. */
export async function takesConnections(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
