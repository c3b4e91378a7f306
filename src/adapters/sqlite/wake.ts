/** Wake-ups in every thread of the process, for those who wait for a SQLite file to change. */
import { BroadcastChannel } from 'node:worker_threads';
import { openNotifier, type Notifier } from '../../concurrency/notifier.js';

export type Wakes = Pick<Notifier, 'count' | 'wait'> & {
  /** Wakes everyone who waits on the channel, here and in the other threads. */
  wake(): void;
  /** Wakes everyone who waits here, and listens no longer. */
  close(): void;
};

/** Listens for wake-ups on the channel until it is closed. Does not keep the process running. */
export function listenForWakes(channel: string): Wakes {
  const listening = new BroadcastChannel(channel);
  const { notify, count, wait } = openNotifier();
  listening.onmessage = notify;
  listening.unref();
  return {
    count,
    wait,
    wake: () => {
      listening.postMessage(null);
      notify();
    },
    close: () => {
      listening.close();
      notify();
    },
  };
}
