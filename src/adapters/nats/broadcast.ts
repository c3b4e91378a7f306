/**
 * The broadcast on NATS: a subject without a stream, on a connection of its own, because nothing that this connection
 * sends comes back to it.
 */
import { Events, type NatsConnection } from 'nats';
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import type { LedgerError } from '../../errors.js';
import type { Broadcast, BroadcastOptions } from '../../ports/broadcast.js';
import { natsConnecting } from './connection.js';
import { busError } from './errors.js';
import { parseNatsUrl } from './url.js';

const BACK_OFF = { firstMs: 100, longestMs: 5_000 };
/** A connection that lasted as long ends an outage, and the next fault is reported. */
const OUTAGE_OVER_MS = 10_000;

/** The same fault is reported again after that. */
const SAY_AGAIN_MS = 10 * 60_000;

/** Connects in the background, and again whenever that is necessary. @throws Error for a bad URL. */
export function openNatsBroadcast(text: string, { received, report }: BroadcastOptions): Broadcast {
  const url = parseNatsUrl(text);
  const connecting = natsConnecting(url, { noEcho: true });
  const closing = new AbortController();
  const subject = `${url.stream}.points`;
  let current: NatsConnection | null = null;
  let reported = { text: '', at: -Infinity };

  /** A right that is missing, or a message that is too large, would be a line of the log for each message. */
  function reportOnce(error: LedgerError): void {
    const at = performance.now();
    if (error.message === reported.text && at - reported.at < SAY_AGAIN_MS) return;
    reported = { text: error.message, at };
    report(error);
  }

  /** Ends with the connection. @throws LedgerError where there is none, or where the user may not use the subject */
  async function listen(): Promise<void> {
    await connecting.run(async ({ nats }) => {
      const refused = new Promise<never>((_, reject) => {
        nats.subscribe(subject, {
          callback: (error, message) => (error === null ? received(message.data) : reject(error)),
        });
        void rejectWhenRefused(nats, reject);
      });
      try {
        await Promise.race([nats.flush(), refused]);
        current = nats;
        const error = await Promise.race([nats.closed(), refused]);
        if (error) throw error;
      } finally {
        current = null;
        await nats.close();
      }
    });
  }

  async function keepListening(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted;) {
      const began = performance.now();
      const fault = await listen().then(
        () => new Error('the connection was closed'),
        (error: unknown) => error,
      );
      if (closing.signal.aborted) return;
      if (performance.now() - began > OUTAGE_OVER_MS) failures = 0;
      if (failures === 0) reportOnce(busError(url.shown, fault));
      failures += 1;
      await sleep(backOffMs(failures, BACK_OFF), closing.signal);
    }
  }

  const listening = keepListening();
  return {
    send(data) {
      if (current === null || current.isClosed()) return;
      try {
        current.publish(subject, data);
      } catch (error) {
        // Larger than the server takes, or closed in this moment.
        reportOnce(busError(url.shown, error));
      }
    },
    async close() {
      closing.abort();
      await connecting.close();
      await listening;
    },
  };
}

/** The server says only later, and to no call, that this user may not publish to a subject. */
async function rejectWhenRefused(nats: NatsConnection, reject: (error: Error) => void): Promise<void> {
  for await (const { type, data, permissionContext } of nats.status()) {
    if (type !== Events.Error) continue;
    reject(
      new Error(
        permissionContext === undefined
          ? JSON.stringify(data)
          : `${permissionContext.operation} ${permissionContext.subject}`,
      ),
    );
  }
}
