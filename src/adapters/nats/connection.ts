/** One connection to NATS that listens to a subject, and is made again whenever that is necessary. */
import { connect, Events, type NatsConnection } from 'nats';
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import { natsError } from './errors.js';
import type { NatsUrl } from './url.js';

export type NatsListening = {
  subject: string;
  received: (data: Uint8Array) => void;
  /** Receives the error with which an outage begins. */
  report: (error: unknown) => void;
  /** Done on each new connection before its use. */
  prepare?: (nats: NatsConnection) => Promise<void>;
};

export type NatsConnecting = {
  /** The connection; null while there is none. */
  current(): NatsConnection | null;
  /** Resolves after the first try to connect. */
  tried: Promise<void>;
  /** Ends the connection, which did not do what it must, and reports why. Another one follows. */
  giveUp(nats: NatsConnection, error: unknown): void;
  /** Reports a fault after which the connection goes on. */
  reportOnce(error: unknown): void;
  close(): Promise<void>;
};

/** The limit for the connection and for each request. */
export const LIMIT_MS = 5_000;
const PING_EVERY_MS = 2_000;
const BACK_OFF = { firstMs: 100, longestMs: 5_000 };
/** A connection that lasted as long ends an outage, and the next fault is reported. */
const OUTAGE_OVER_MS = 10_000;
/** The same fault is reported again after that. */
const SAY_AGAIN_MS = 10 * 60_000;

/** Connects in the background. */
export function keepConnected(url: NatsUrl, listening: NatsListening): NatsConnecting {
  const { report } = listening;
  const closing = new AbortController();
  let opened: Opened | null = null;
  let current: NatsConnection | null = null;
  let reported = { text: '', at: -Infinity };

  /** A right that is missing, or a message that is too large, would be a line of the log for each message. */
  function reportOnce(fault: unknown): void {
    const error = natsError(url.shown, fault);
    const at = performance.now();
    if (error.message === reported.text && at - reported.at < SAY_AGAIN_MS) return;
    reported = { text: error.message, at };
    report(error);
  }

  /** Ends with the connection. @throws what ended it */
  async function listen(): Promise<void> {
    const nats = await connectTo(url);
    let fail: Opened['fail'] = () => undefined;
    const failed = new Promise<never>((_, reject) => (fail = reject));
    opened = { nats, fail };
    try {
      if (closing.signal.aborted) return;
      nats.subscribe(listening.subject, {
        callback: (error, message) => (error === null ? listening.received(message.data) : fail(error)),
      });
      void failWhenRefused(nats, fail);
      await Promise.race([Promise.all([nats.flush(), listening.prepare?.(nats)]), failed]);
      current = nats;
      isTried();
      const error = await Promise.race([nats.closed(), failed]);
      if (error) throw error;
    } finally {
      current = null;
      await nats.close();
    }
  }

  async function keepListening(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted;) {
      const began = performance.now();
      const fault = await listen().then(
        () => new Error('the connection was closed'),
        (error: unknown) => error,
      );
      isTried();
      if (closing.signal.aborted) return;
      if (performance.now() - began > OUTAGE_OVER_MS) failures = 0;
      if (failures === 0) reportOnce(fault);
      failures += 1;
      await sleep(backOffMs(failures, BACK_OFF), closing.signal);
    }
  }

  let isTried = (): void => undefined;
  const tried = new Promise<void>((resolve) => (isTried = resolve));
  const ended = keepListening();
  return {
    current: () => (current === null || current.isClosed() ? null : current),
    tried,
    giveUp(nats, error) {
      if (opened?.nats === nats) opened.fail(error);
    },
    reportOnce,
    async close() {
      closing.abort();
      await opened?.nats.close();
      await ended;
    },
  };
}

type Opened = { nats: NatsConnection; fail: (error: unknown) => void };

export function connectTo(url: NatsUrl): Promise<NatsConnection> {
  return connect({
    ...url.connection,
    name: 'testledger',
    timeout: LIMIT_MS,
    // This process has heard from itself what it sends.
    noEcho: true,
    // Notices a connection that hangs after some seconds.
    pingInterval: PING_EVERY_MS,
    maxPingOut: 2,
    // With reconnection, the client would keep unsent messages and send them much later.
    reconnect: false,
  });
}

/** The server says only later, and to no call, that this user may not publish to a subject. */
async function failWhenRefused(nats: NatsConnection, fail: (error: Error) => void): Promise<void> {
  for await (const { type, data, permissionContext } of nats.status()) {
    if (type !== Events.Error) continue;
    fail(
      new Error(
        permissionContext === undefined
          ? JSON.stringify(data)
          : `${permissionContext.operation} ${permissionContext.subject}`,
      ),
    );
  }
}
