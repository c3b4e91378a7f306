/** The connection to NATS, and the stream, which is made wherever it is missing. */
import {
  connect,
  DiscardPolicy,
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats';
import { fail } from '../../errors.js';
import { busError, isStreamMissing } from './errors.js';
import type { NatsUrl } from './url.js';

export type NatsConnected = { nats: NatsConnection; js: JetStreamClient; jsm: JetStreamManager };

export type NatsConnecting = {
  /**
   * Does the work on a connection, and makes the connection where there is none. Where the stream is missing, makes the
   * stream and does the work again. @throws LedgerError `bus_unavailable`
   */
  run<T>(work: (connected: NatsConnected) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** The limit for the connection and for each request. */
const LIMIT_MS = 5_000;
const SECOND = 1_000;

/** `noEcho`: the connection does not hear what it sends itself. */
export function natsConnecting(url: NatsUrl, { noEcho = false } = {}): NatsConnecting {
  let opened: Promise<NatsConnected> | null = null;
  let closed = false;

  async function open(): Promise<NatsConnected> {
    const nats = await connect({
      ...url.connection,
      name: 'testledger',
      timeout: LIMIT_MS,
      noEcho,
      // Notices a connection that hangs after some seconds.
      pingInterval: 2 * SECOND,
      maxPingOut: 2,
      // With reconnection, the client would keep unsent messages and send them later, long after the caller got an
      // error and published them again. Instead, the next call makes a new connection.
      reconnect: false,
    });
    const options = { timeout: LIMIT_MS };
    const jsm = await nats.jetstreamManager({ ...options, checkAPI: false });
    return { nats, js: nats.jetstream(options), jsm };
  }

  async function connected(): Promise<NatsConnected> {
    if (closed) fail('bus_unavailable', 'the bus is closed');
    const current = (opened ??= open());
    const forget = () => {
      if (opened === current) opened = null;
    };
    const { nats } = await current.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!nats.isClosed()) return current;
    forget();
    return connected();
  }

  return {
    run: async (work) => {
      try {
        const current = await connected();
        try {
          return await work(current);
        } catch (error) {
          if (!isStreamMissing(error)) throw error;
          await makeStream(current.jsm, url);
          return await work(current);
        }
      } catch (error) {
        throw busError(url.shown, error);
      }
    },
    close: async () => {
      closed = true;
      const last = opened;
      opened = null;
      await (await last?.catch(() => null))?.nats.close();
    },
  };
}

/** A stream that exists stays as it is: its operator may have given it other limits. */
async function makeStream(jsm: JetStreamManager, { stream, replicas }: NatsUrl): Promise<void> {
  await jsm.streams.add({
    name: stream,
    subjects: [subjectOf(stream)],
    description: 'Messages of testledger on their way to webhooks. All of them may be deleted at any time.',
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * 86_400 * SECOND),
    max_bytes: 1024 ** 3,
    duplicate_window: nanos(120 * SECOND),
    num_replicas: replicas,
  });
}

export function subjectOf(stream: string): string {
  return `${stream}.messages`;
}
