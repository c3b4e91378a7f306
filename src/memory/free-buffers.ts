/** Gives the memory of large buffers back at once. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/**
 * Frees these buffers, which are empty afterwards. A garbage collector counts a buffer as a small object: it runs when the
 * heap is full, or when 64 MiB have come beside it. So eight submissions of 50,000 results left 32 MiB of bodies and packed
 * items in two threads. Node 20 has no call that frees a buffer, but what is sent to a closed port is freed with the message.
 * Only for buffers of one's own: those that share a pool, or appear twice, cannot be sent.
 */
export function freeBuffers(buffers: readonly ArrayBuffer[]): void {
  // One that has gone to another thread is empty here, and cannot be sent again.
  const own = buffers.filter(({ byteLength }) => byteLength > 0);
  if (own.length > 0) closed.postMessage(null, own);
}

const closed = closedPort();

function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}
