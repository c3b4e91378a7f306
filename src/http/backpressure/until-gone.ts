/** The end of an answer: it has left this process, or its connection has ended. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Holder } from '../../admission/admission.js';
import type { KeyEntry } from '../../keys/api-keys.js';

const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once: as soon as the operating system has taken the whole answer, or the connection has ended. Node does not
 * report the end of a connection to an answer that still waits for earlier ones on it, so the socket is watched too.
 * @returns the function that removes the callback
 */
export function untilGone(response: ServerResponse, callback: () => void): () => void {
  const { socket } = response.req;
  if (socket.destroyed || response.writableFinished) {
    callback();
    return () => undefined;
  }
  const ofSocket = waiting.get(socket) ?? watched(socket);
  const ended = (): void => {
    remove();
    callback();
  };
  const remove = (): void => {
    ofSocket.delete(ended);
    response.off('close', ended);
  };
  ofSocket.add(ended);
  // Node calls it once; `once` would wrap it.
  response.on('close', ended);
  return remove;
}

/** One listener for all answers of a connection: it may have many, one after the other. */
function watched(socket: Socket): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(socket, callbacks);
  socket.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
}

/** Whose shares a request takes, and waits for until its client has gone. */
export function holderOf({ team_id, key_id }: KeyEntry, response: ServerResponse): Holder {
  return { team: team_id, key: key_id, untilGone: (gone) => untilGone(response, gone) };
}
