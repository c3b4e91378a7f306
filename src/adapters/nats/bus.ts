/**
 * The bus on NATS JetStream: one stream, and one durable consumer. JetStream answers before its fsync, so the stream
 * may lose messages that it took. The publisher notices that, and the fan-out reads the missing messages from the
 * outbox.
 */
import type { JsMsg } from 'nats';
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import type { Bus, BusBatch } from '../../ports/bus.js';
import { type Message, isOutboxPosition } from '../../domain/messages/message.js';
import { type NatsConnecting, natsConnecting, subjectOf } from './connection.js';
import { busError, isMessageMissing } from './errors.js';
import { type Acknowledged, type NatsReader, OutOfTurn, openNatsReader } from './reader.js';
import { type NatsUrl, parseNatsUrl } from './url.js';

export type NatsBusOptions = {
  /** `nats://host[:port][,host…][?stream=testledger&replicas=1]` */
  url: string;
  /** Receives the errors that no call returns: a consumer goes on by itself. */
  report: (error: unknown) => void;
};

const BACK_OFF = { firstMs: 100, longestMs: 2_000 };

/**
 * Prepares the bus. It connects with the first call, and again whenever that is necessary. @throws Error for a bad URL.
 */
export async function openNatsBus({ url: text, report }: NatsBusOptions): Promise<Bus> {
  const url = parseNatsUrl(text);
  const connecting = natsConnecting(url);
  const closing = new AbortController();
  const subject = subjectOf(url.stream);
  const acknowledged: Acknowledged = { created: '', floor: 0 };
  return {
    publish: async (messages) => {
      if (messages.length === 0) return;
      await connecting.run(async ({ nats, js }) => {
        const most = nats.info?.max_payload ?? Infinity;
        const sent: Promise<unknown>[] = [];
        for (const message of messages) {
          const data = encode(message);
          // The server would refuse the message every time. The fan-out reads it from the outbox.
          if (data.length + HEADERS > most) report(tooLarge(url, message, most));
          else sent.push(js.publish(subject, data, { msgID: message.event_id }));
        }
        // Waits for all of them: messages that are still under way would mix with the next try.
        const failed = (await Promise.allSettled(sent)).find((each) => each.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      });
    },
    last: () =>
      connecting.run(async ({ jsm }) => {
        try {
          const { data } = await jsm.streams.getMessage(url.stream, { last_by_subj: subject });
          return decodeMessage(data)?.place ?? null;
        } catch (error) {
          if (isMessageMissing(error)) return null;
          throw error;
        }
      }),
    consume: ({ limit, signal }) => {
      const ended = AbortSignal.any([signal, closing.signal]);
      return consume({ connecting, url, report, limit, acknowledged, signal: ended });
    },
    crossesProcesses: true,
    close: async () => {
      closing.abort();
      await connecting.close();
    },
  };
}

/** Room for `Nats-Msg-Id`. */
const HEADERS = 256;

type Consuming = Omit<NatsBusOptions, 'url'> & {
  connecting: NatsConnecting;
  url: NatsUrl;
  limit: number;
  acknowledged: Acknowledged;
  signal: AbortSignal;
};

async function* consume(consuming: Consuming): AsyncGenerator<BusBatch, void> {
  const { connecting, url, report, limit, acknowledged, signal } = consuming;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const { stream } = url;
      const options = { stream, limit, acknowledged };
      const reader = await connecting.run((connected) => openNatsReader(connected, options));
      for (;;) {
        const found = await reader.next(signal);
        if (signal.aborted) return;
        failures = 0;
        if (found.length > 0) yield* batchOf(consuming, reader, found);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof OutOfTurn)) report(busError(url.shown, error));
      failures += 1;
      await sleep(backOffMs(failures, BACK_OFF), signal);
    }
  }
}

/** Gives one batch. If it is not acknowledged, it comes next again. */
async function* batchOf(
  { url, report, acknowledged }: Consuming,
  reader: NatsReader,
  found: readonly JsMsg[],
): AsyncGenerator<BusBatch, void> {
  const settled = { isTaken: false };
  const messages = found.flatMap(({ data, seq }) => {
    const message = decodeMessage(data);
    // Another program's message, or one of a newer testledger, would come again and again. The outbox has its own
    // messages anyway.
    if (message === null)
      report(
        new Error(`message ${seq} of NATS at ${url.shown} is not a message of testledger, and was left out`),
      );
    return message ?? [];
  });
  yield {
    messages,
    ack: async () => {
      try {
        for (const each of found.slice(0, -1)) each.ack();
        // On one connection, acknowledgements arrive in order: when the last one has arrived, all have.
        await found.at(-1)!.ackAck();
      } catch (error) {
        throw busError(url.shown, error);
      }
      acknowledged.floor = found.at(-1)!.seq;
      settled.isTaken = true;
    },
  };
  if (settled.isTaken) return;
  reader.returnUnacknowledged(found);
  for (const each of found) each.nak();
}

function tooLarge({ shown }: NatsUrl, { event_id }: Message, most: number): Error {
  return new Error(`message ${event_id} is larger than the ${most} bytes that NATS at ${shown} takes`);
}

/** A message as NATS carries it. */
export function encode(message: Message): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/** Null for data that is not one of our messages. */
function decodeMessage(data: Uint8Array): Message | null {
  try {
    const message = JSON.parse(Buffer.from(data).toString()) as Partial<Message> | null;
    const { place, event_id } = message ?? {};
    const isOurs = isOutboxPosition(place) && typeof event_id === 'string';
    return isOurs ? (message as Message) : null;
  } catch {
    return null;
  }
}
