/** `Expect: 100-continue`: the client sends its body once the request has been accepted without it. */
import type { ServerResponse } from 'node:http';

const waiting = new WeakSet<ServerResponse>();

/** Notes that the client of this response waits before it sends the body. */
export function expectsContinue(response: ServerResponse): void {
  waiting.add(response);
}

/**
 * Lets the client send its body, if it waits. To be called after all checks that need no body. Without it, Node closes
 * the connection after the answer, because the client may send the body or not.
 */
export function letBodyCome(response: ServerResponse): void {
  if (waiting.delete(response)) response.writeContinue();
}

/** True while the client waits. */
export function holdsBodyBack(response: ServerResponse): boolean {
  return waiting.has(response);
}
