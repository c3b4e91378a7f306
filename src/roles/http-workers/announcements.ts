/**
 * Carries what threads announce to the threads of the other processes. The stores in files announce each commit on
 * channels that end at the process: without this, a worker would find a new event only when it looks.
 */
import { BroadcastChannel } from 'node:worker_threads';
import type { Announcement } from './messages.js';

export type Announcements = {
  /** Announces in this process what another one has sent. */
  received(announcement: Announcement): void;
  close(): void;
};

/**
 * `send` gets what this process announces. What comes many times at once goes once: it says that there is something new,
 * and not what.
 */
export function openAnnouncements(
  channels: readonly string[],
  send: (announcement: Announcement) => void,
): Announcements {
  const unsent = new Map<string, Announcement>();
  function flush(): void {
    for (const each of unsent.values()) send(each);
    unsent.clear();
  }
  const open = new Map(
    channels.map((name) => {
      const channel = new BroadcastChannel(name);
      channel.onmessage = ({ data }: { data: unknown }) => {
        if (unsent.size === 0) setImmediate(flush);
        unsent.set(`${name} ${String(data)}`, { type: 'announced', channel: name, data });
      };
      channel.unref();
      return [name, channel] as const;
    }),
  );
  return {
    // A channel does not hear itself, so nothing goes back to where it came from.
    received: ({ channel, data }) => open.get(channel)?.postMessage(data),
    close() {
      for (const channel of open.values()) channel.close();
    },
  };
}
