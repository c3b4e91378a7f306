/** A notifier that the threads of a process share. */
import { BroadcastChannel } from 'node:worker_threads';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';

/** `notify` reaches all threads that have the same channel open. `close` ends the waits of this thread. */
export type ThreadNotifier = Notifier & { close(): void };

/** Listens on the channel until it is closed. Does not keep the process running. */
export function openThreadNotifier(channel: string): ThreadNotifier {
  const local = openNotifier();
  const shared = new BroadcastChannel(channel);
  shared.onmessage = () => local.notify();
  shared.unref();
  return {
    ...local,
    notify: () => {
      shared.postMessage(null);
      local.notify();
    },
    close: () => {
      shared.close();
      local.notify();
    },
  };
}
