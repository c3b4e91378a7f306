/**
 * The relay on NATS JetStream: a stream, so that an operator and other programs can read the messages, and each is there
 * once by its event id. The fan-outs listen to the subject of the stream, and need nothing that the stream holds: it may
 * be wiped, or lose what it took, at any time.
 */
import {
  DiscardPolicy,
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type NatsConnection,
} from 'nats';
import type { Message } from '../../domain/messages/message.js';
import { partitionOf } from '../../domain/partition.js';
import type { Relay, RelayOptions } from '../../ports/relay.js';
import { connectTo, keepConnected, LIMIT_MS } from './connection.js';
import { isStreamMissing, natsError } from './errors.js';
import { parseNatsUrl, type NatsUrl } from './url.js';

/** Connects in the background, and again whenever that is necessary. @throws Error for a bad URL. */
export function openNatsRelay(text: string, { received, report }: RelayOptions): Relay {
  const url = parseNatsUrl(text);
  const subject = subjectOf(url);
  const connection = keepConnected(url, {
    subject,
    received(data) {
      const team = teamOf(data);
      if (team !== null) received(partitionOf(team));
    },
    report,
    prepare: (nats) => makeStream(nats, url),
  });
  let underWay = connection.tried;

  async function sendNow(messages: readonly Message[]): Promise<void> {
    const nats = connection.current();
    if (nats === null) return;
    const js = nats.jetstream({ timeout: LIMIT_MS });
    const sent = messages.map((message) =>
      js.publish(subject, Buffer.from(JSON.stringify(message)), { msgID: message.event_id }),
    );
    const failed = (await Promise.allSettled(sent)).find((each) => each.status === 'rejected');
    // Perhaps the stream was deleted: the next connection makes it again.
    if (failed !== undefined) connection.giveUp(nats, failed.reason);
  }

  return {
    send(messages) {
      // A process that has just started waits for its connection. After that, one call does not wait for another.
      const sent = connection.tried.then(() => sendNow(messages));
      underWay = Promise.all([underWay, sent]).then(() => undefined);
    },
    async close() {
      await underWay;
      await connection.close();
    },
  };
}

/** @throws Error where NATS cannot be reached, refuses, or has no JetStream. */
export async function checkNats(text: string): Promise<void> {
  const url = parseNatsUrl(text);
  try {
    const nats = await connectTo(url);
    try {
      await makeStream(nats, url);
    } finally {
      await nats.close();
    }
  } catch (error) {
    throw natsError(url.shown, error);
  }
}

/** A stream that exists stays as it is: its operator may have given it other limits. */
async function makeStream(nats: NatsConnection, url: NatsUrl): Promise<void> {
  const jsm = await nats.jetstreamManager({ timeout: LIMIT_MS, checkAPI: false });
  try {
    await jsm.streams.info(url.stream);
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
    await addStream(jsm, url);
  }
}

const SECOND = 1_000;

async function addStream(jsm: JetStreamManager, url: NatsUrl): Promise<void> {
  await jsm.streams.add({
    name: url.stream,
    subjects: [subjectOf(url)],
    description: 'Messages of testledger to webhooks. All of them may be deleted at any time.',
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_age: nanos(7 * 86_400 * SECOND),
    max_bytes: 1024 ** 3,
    duplicate_window: nanos(120 * SECOND),
    num_replicas: url.replicas,
  });
}

function subjectOf({ stream }: NatsUrl): string {
  return `${stream}.messages`;
}

/** Null for data that is not one of our messages: other programs may send to the subject. */
function teamOf(data: Uint8Array): string | null {
  try {
    const { team_id } = JSON.parse(Buffer.from(data).toString()) as { team_id?: unknown };
    return typeof team_id === 'string' ? team_id : null;
  } catch {
    return null;
  }
}
