/**
 * Reads the stream strictly in order. JetStream repeats an unacknowledged message when its time has come, even after
 * later messages. So every new reader makes the consumer again, at the first unacknowledged message, and so does every
 * message out of order.
 */
import { AckPolicy, DeliverPolicy, nanos, ReplayPolicy, type JsMsg, type JetStreamManager } from 'nats';
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

/**
 * What is acknowledged in a stream. `created`: when the stream was made, since another one may have its name later. Only the
 * consumer on the server has this too, and each opening deletes that consumer before it makes it again. If the second step
 * failed, the whole stream would come again. After a crash between the two it does, and the fan-out passes over what it has.
 */
export type Acknowledged = { created: string; floor: number };

const DURABLE = 'fan-out';
const WAITS_MS = 1_000;
/** The end of this time does no harm: nothing is requested while a batch is being worked on, so nothing is repeated. */
const ACK_WAIT_MS = 60_000;

type Streams = Pick<JetStreamManager, 'streams' | 'consumers'>;
export type NatsReaderOptions = {
  stream: string;
  limit: number;
  /** As the last reader has left it. The opening changes it, and so must each acknowledgement. */
  acknowledged: Acknowledged;
};

/** Makes the durable consumer, of which there is one. @throws errors of NATS. */
export async function openNatsReader(
  { nats, js, jsm }: Omit<NatsConnected, 'jsm'> & { jsm: Streams },
  { stream, limit, acknowledged }: NatsReaderOptions,
): Promise<NatsReader> {
  const start = await firstNotAcknowledged(jsm, stream, acknowledged);
  await jsm.consumers.delete(stream, DURABLE).catch(unlessMissing);
  await jsm.consumers.add(stream, {
    durable_name: DURABLE,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: start,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1,
    // Only one batch is under way at a time.
    max_ack_pending: limit,
  });
  const consumer = await js.consumers.get(stream, DURABLE);
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

/** A stream that was restored from before the acknowledgements has other messages under these numbers. */
async function firstNotAcknowledged(
  jsm: Streams,
  stream: string,
  acknowledged: Acknowledged,
): Promise<number> {
  const { state, created } = await jsm.streams.info(stream);
  const known = await jsm.consumers.info(stream, DURABLE).catch(unlessMissing);
  const remembered = acknowledged.created === created ? acknowledged.floor : 0;
  const last = known?.ack_floor.stream_seq ?? remembered;
  const floor = last > state.last_seq ? 0 : last;
  Object.assign(acknowledged, { created, floor });
  return floor + 1;
}

function unlessMissing(error: unknown): null {
  if (isConsumerMissing(error)) return null;
  throw error;
}
