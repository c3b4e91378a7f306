/**
 * A load generator that takes little of the machine: some 17 µs of processor time a request, where autocannon takes 70. It
 * writes requests that were rendered before, and looks at no more of an answer than its head. Its connections stay open
 * from measure to measure, as those of CI machines do, and the next request of a connection that the server ends goes out
 * on a new one.
 */
import { connect, type Socket } from 'node:net';
import type { Request } from 'autocannon';
import { startChild } from '../processes/child.js';

/** `amount`: the number of answers to wait for. */
export type RawOrder =
  { open: { port: number; connections: number; requests: Request[] } } | { amount: number } | { close: true };

export type RawLoad = {
  /** Opens connections that send the requests in turn, one at a time each, until `close`. */
  open(order: { port: number; connections: number; requests: Request[] }): Promise<void>;
  /** Resolves with the seconds that this many answers took, from now on. @throws Error after any answer other than a 2xx. */
  measure(amount: number): Promise<number>;
  close(): Promise<void>;
  stop(): Promise<void>;
};

export function startRawLoad(): RawLoad {
  const child = startChild<RawOrder, number>('load/raw-load.child.js', 'load');
  return {
    open: async (open) => void (await child.ask({ open })),
    measure: (amount) => child.ask({ amount }),
    close: async () => void (await child.ask({ close: true })),
    stop: child.stop,
  };
}

type Opened = { measure(amount: number): Promise<number>; close(): void };

/** The part in the process of its own. */
export function openConnections({ port, connections, requests }: Parameters<RawLoad['open']>[0]): Opened {
  const rendered = requests.map(render);
  const open = new Set<Socket>();
  let fault: Error | null = null;
  let closed = false;
  let left = 0;
  let settle: () => void = () => undefined;

  function fail(error: Error): void {
    fault ??= error;
    settle();
  }

  function answered(): void {
    left -= 1;
    if (left === 0) settle();
  }

  /** `next`: the index of its first request. */
  function start(next: number): void {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    open.add(socket);
    // What the present answer still lacks. Null: not even its head has come.
    let missing: number | null = null;
    let ends = false;
    const send = () => {
      missing = null;
      socket.write(rendered[next % rendered.length]!);
      next += 1;
    };
    socket.on('connect', send);
    socket.on('data', (data) => {
      if (missing === null) {
        const head = headOf(data);
        if (head === null)
          return fail(
            new Error(
              `not a 2xx, without content-length, or its head came in pieces: ${data.toString('latin1')}`,
            ),
          );
        missing = head.bytes;
        ends = head.ends;
      }
      missing -= data.length;
      if (missing > 0) return;
      answered();
      if (closed) return;
      if (!ends) return send();
      open.delete(socket);
      socket.destroy();
      start(next);
    });
    socket.on('error', fail);
    socket.on('close', () => {
      if (open.delete(socket) && !closed) fail(new Error('the server ended a connection without a word'));
    });
  }

  for (let n = 0; n < connections; n += 1) start(Math.floor((n * rendered.length) / connections));
  return {
    async measure(amount) {
      const began = performance.now();
      left = amount;
      await new Promise<void>((resolve) => {
        settle = resolve;
        if (fault !== null) resolve();
      });
      if (fault !== null) throw fault;
      return (performance.now() - began) / 1_000;
    },
    close() {
      closed = true;
      for (const socket of open) socket.destroy();
    },
  };
}

function render({ method, path, headers, body = '' }: Request): Buffer {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`);
}

/** `bytes`: of the whole answer. Null for an answer that is no 2xx, or whose head is not in the first piece. */
function headOf(data: Buffer): { bytes: number; ends: boolean } | null {
  const text = data.toString('latin1', 0, 4_096);
  const end = text.indexOf('\r\n\r\n');
  const [, length] = /\ncontent-length: (\d+)/i.exec(text) ?? [];
  if (!text.startsWith('HTTP/1.1 2') || end < 0 || length === undefined) return null;
  return { bytes: end + 4 + Number(length), ends: /\nconnection: close/i.test(text) };
}
