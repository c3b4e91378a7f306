/**
 * Reads the stream strictly in order. JetStream repeats an unacknowledged message when its time has come, even after
 * later messages. So every new reader makes a consumer of its own, at the first unacknowledged message, and so does
 * every message out of order. The consumers before it are deleted after that: only they know what was acknowledged, and
 * a crash between the two steps must not lose it.
 */
import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  nuid,
  ReplayPolicy,
  type ConsumerInfo,
  type JetStreamManager,
  type JsMsg,
} from 'nats';
import type { NatsConnected } from './connection.js';
import { isConsumerMissing } from './errors.js';

export type NatsReader = {
  /** The next messages; none where nothing came for a while. @throws OutOfTurn, and errors of NATS. */
  next(signal: AbortSignal): Promise<JsMsg[]>;
  /** These messages come next again. */
  returnUnacknowledged(messages: readonly JsMsg[]): void;
};

/** A message went to another consumer, or to a connection that was lost: the consumer must be made again. */
export class OutOfTurn extends Error {
  override readonly name = 'OutOfTurn';
}

/** Of the names of durable consumers. Earlier versions had one consumer with exactly this name. */
const PREFIX = 'fan-out';
type Streams = Pick<JetStreamManager, 'streams' | 'consumers'>;
const WAITS_MS = 1_000;
/** The end of this time does no harm: nothing is requested while a batch is being worked on, so nothing is repeated. */
const ACK_WAIT_MS = 60_000;

/** Makes a durable consumer, and deletes those of earlier readers. @throws errors of NATS. */
export async function openNatsReader(
  { nats, js, jsm }: Omit<NatsConnected, 'jsm'> & { jsm: Streams },
  { stream, limit }: { stream: string; limit: number },
): Promise<NatsReader> {
  const earlier = await consumersOf(jsm, stream);
  const start = await firstNotAcknowledged(jsm, stream, earlier);
  const name = `${PREFIX}-${nuid.next()}`;
  await jsm.consumers.add(stream, {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: start,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1,
    // Only one batch is under way at a time.
    max_ack_pending: limit,
  });
  for (const each of earlier) await jsm.consumers.delete(stream, each.name).catch(unlessMissing);
  const consumer = await js.consumers.get(stream, name);
  let received = 0;
  let returned: number[] = [];

  async function fetch(count: number, signal: AbortSignal): Promise<JsMsg[]> {
    const coming = await consumer.fetch({ max_messages: count, expires: WAITS_MS });
    const stop = () => void coming.close();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    const found: JsMsg[] = [];
    try {
      for await (const message of coming) found.push(mustBeNext(message));
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return found;
  }

  function mustBeNext(message: JsMsg): JsMsg {
    const { deliverySequence, streamSequence, redelivered } = message.info;
    received += 1;
    const expected = returned.shift();
    const isNext = expected === undefined ? !redelivered : streamSequence === expected;
    if (isNext && deliverySequence === received) return message;
    throw new OutOfTurn(`message ${streamSequence} came out of turn`);
  }

  return {
    next: async (signal) => {
      const again = returned.length;
      const [first] = await fetch(1, signal);
      if (first === undefined) {
        if (nats.isClosed()) throw (await nats.closed()) ?? new Error('the connection was closed');
        return [];
      }
      // Exactly as many as are there: a request for more would wait for them.
      const more = again > 0 ? again - 1 : Math.min(first.info.pending, limit - 1);
      return more > 0 ? [first, ...(await fetch(more, signal))] : [first];
    },
    returnUnacknowledged: (messages) => {
      returned = messages.map(({ seq }) => seq);
    },
  };
}

async function consumersOf(jsm: Streams, stream: string): Promise<ConsumerInfo[]> {
  const found: ConsumerInfo[] = [];
  for await (const each of jsm.consumers.list(stream)) if (each.name.startsWith(PREFIX)) found.push(each);
  return found;
}

/** A stream that was restored from before the acknowledgements has other messages under these numbers. */
async function firstNotAcknowledged(
  jsm: Streams,
  stream: string,
  earlier: readonly ConsumerInfo[],
): Promise<number> {
  const { state } = await jsm.streams.info(stream);
  const floor = Math.max(0, ...earlier.map(({ ack_floor }) => ack_floor.stream_seq));
  return floor > state.last_seq ? 1 : floor + 1;
}

function unlessMissing(error: unknown): void {
  if (!isConsumerMissing(error)) throw error;
}
