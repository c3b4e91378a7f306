/** The connections of a server, for workers that even out theirs (`roles/http-workers/balance.ts`). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Connections = {
  /** The number of open connections that have sent a request since the last call. */
  takeActive(): number;
  /**
   * Ends up to this many connections, each with one of its next answers, until the next `takeActive`. The header
   * `Connection: close` makes the client open a new one for its next request (RFC 9112, 9.6).
   */
  endAfterAnswer(count: number): void;
};

export type OpenConnections = Connections & {
  opened(socket: Socket): void;
  /**
   * False where an earlier answer has ended the connection: the request must not be carried out, because its client could not get
   * the answer.
   */
  requested(request: IncomingMessage, response: ServerResponse): boolean;
  /** Call it once for each request that `requested` has let through, when its answer is gone (`until-gone.ts`). */
  answered(request: IncomingMessage): void;
  /** Ends the connections that have sent nothing. */
  endSilent(): void;
};

type State = { active: boolean; unanswered: number; ended: boolean };

export function openConnections(): OpenConnections {
  const open = new Map<Socket, State>();
  let ending = 0;

  /** Not a request sent ahead, a body on its way or an endless stream: they would be cut off. */
  function mayEnd(state: State, request: IncomingMessage, response: ServerResponse): boolean {
    return (
      ending > 0 &&
      state.unanswered === 1 &&
      request.complete &&
      response.shouldKeepAlive &&
      response.hasHeader('Content-Length')
    );
  }

  return {
    opened(socket) {
      open.set(socket, { active: false, unanswered: 0, ended: false });
      socket.once('close', () => open.delete(socket));
    },
    requested(request, response) {
      const state = open.get(request.socket);
      if (state === undefined) return true;
      if (state.ended) return false;
      state.active = true;
      state.unanswered += 1;
      if (ending > 0) {
        beforeHead(response, () => {
          if (!mayEnd(state, request, response)) return;
          ending -= 1;
          state.ended = true;
          response.shouldKeepAlive = false;
        });
      }
      return true;
    },
    answered({ socket }) {
      const state = open.get(socket);
      if (state !== undefined) state.unanswered -= 1;
    },
    endSilent() {
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    },
    takeActive() {
      ending = 0;
      let count = 0;
      for (const state of open.values()) {
        if (state.active) count += 1;
        state.active = false;
      }
      return count;
    },
    endAfterAnswer(count) {
      ending = count;
    },
  };
}

/** Node calls `writeHead` for each answer, also where the app does not. */
function beforeHead(response: ServerResponse, work: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    work();
    return writeHead(...args);
  };
}
