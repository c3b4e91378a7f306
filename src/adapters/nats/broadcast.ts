/** The broadcast on NATS: a subject without a stream. */
import type { Broadcast, BroadcastOptions } from '../../ports/broadcast.js';
import { keepConnected } from './connection.js';
import { parseNatsUrl } from './url.js';

/** Connects in the background, and again whenever that is necessary. @throws Error for a bad URL. */
export function openNatsBroadcast(text: string, { received, report }: BroadcastOptions): Broadcast {
  const url = parseNatsUrl(text);
  const subject = `${url.stream}.points`;
  const connection = keepConnected(url, { subject, received, report });
  return {
    send(data) {
      try {
        connection.current()?.publish(subject, data);
      } catch (error) {
        // Larger than the server takes, or closed in this moment.
        connection.reportOnce(error);
      }
    },
    close: connection.close,
  };
}
