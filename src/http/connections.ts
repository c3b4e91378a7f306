/** The connections of a server, for workers that even out theirs (`roles/http-workers/balance.ts`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Connections = {
  /** The number of open connections that have sent a request since the last call. */
  takeActive(): number;
  /**
   * Ends this many connections, each with its next answer. Its header `Connection: close` makes the client open a new one
   * for its next request (RFC 9112, 9.6). The number replaces that of the last call.
   */
  endAfterAnswer(count: number): void;
};

export type OpenConnections = Connections & {
  opened(socket: Socket): void;
  requested(request: IncomingMessage, response: ServerResponse): void;
  /** Ends the connections that have sent nothing. */
  endSilent(): void;
};

export function openConnections(): OpenConnections {
  const open = new Set<Socket>();
  const active = new Set<Socket>();
  let ending = 0;
  function closed(this: Socket): void {
    open.delete(this);
    active.delete(this);
  }
  return {
    opened(socket) {
      open.add(socket);
      socket.once('close', closed);
    },
    requested({ socket }, response) {
      active.add(socket);
      if (ending === 0) return;
      ending -= 1;
      response.shouldKeepAlive = false;
    },
    endSilent() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
    takeActive() {
      const count = active.size;
      active.clear();
      return count;
    },
    endAfterAnswer(count) {
      ending = count;
    },
  };
}
