/** One connection to the feed: the events that it brings, in the order of the log. */
import { createParser } from 'eventsource-parser';
import type { Event as FeedEvent } from './api.generated.js';
import type { Caller } from './call.js';
import { errorOf, TestledgerError } from './errors.js';
import { parsed, readBody } from './read-body.js';

/** The events of one read. `isSmall`: most likely nothing more was waiting. */
export type ReadEvents = { events: FeedEvent[]; isSmall: boolean };

export type Reading = {
  after: string | null;
  types?: readonly string[] | undefined;
  projectId?: string | undefined;
  /** Without it, the stream ends at the present. */
  follow: boolean;
  signal: AbortSignal | undefined;
  /** Called when the server has accepted the connection, which may bring nothing for a while. */
  onOpen?(): void;
};

/** A live stream has a comment after 15 s without an event, so a connection that is silent for longer is dead. */
const SILENT_MS = 45_000;
/** An event has at most its metadata and a long error message, each character of them escaped. */
const EVENT_CHARACTERS = 8 * 1024 * 1024;
/** While a server has more to send, a read brings up to 64 KiB. */
const SMALL_BYTES = 16 * 1024;

/**
 * Yields the events of each read of the connection together. Ends where the answer ends.
 * @throws TestledgerError `unreachable` where the connection breaks, `timeout`, `bad_answer`, and refusals.
 */
export async function* readFeed(
  { urlOf, headers: apiHeaders, sending }: Caller,
  { after, types, projectId, follow, signal, onOpen }: Reading,
): AsyncGenerator<ReadEvents, void> {
  const query = new URLSearchParams({
    ...(after !== null && { after }),
    ...(types && { types: types.join(',') }),
    ...(projectId !== undefined && { project_id: projectId }),
  });
  const aborting = new AbortController();
  const abort = () => aborting.abort(signal?.reason);
  const late = new TestledgerError('timeout', `The feed was silent for ${SILENT_MS} ms.`);
  const begin = () => setTimeout(() => aborting.abort(late), SILENT_MS);
  let timer = begin();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    const response = await sending.fetch(urlOf(`/v1/events?${query.toString()}`), {
      method: 'GET',
      headers: { ...apiHeaders(), accept: follow ? 'text/event-stream' : 'application/x-ndjson' },
      redirect: 'manual',
      signal: aborting.signal,
    });
    if (response.status !== 200) {
      const bytes = await readBody(response, EVENT_CHARACTERS, () => {
        throw errorOf(response, undefined);
      });
      throw errorOf(response, parsed(bytes.toString()));
    }
    onOpen?.();
    const decoder = new TextDecoder();
    const { feed, taken } = follow ? sseEvents() : lineEvents();
    for await (const bytes of response.body ?? []) {
      // The consumer may work for longer than a connection may be silent.
      clearTimeout(timer);
      feed(decoder.decode(bytes, { stream: true }));
      yield { events: taken(), isSmall: bytes.length < SMALL_BYTES };
      timer = begin();
    }
  } catch (error) {
    if (error instanceof TestledgerError) throw error;
    aborting.signal.throwIfAborted();
    throw new TestledgerError('unreachable', `The feed broke off: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    aborting.abort();
  }
}

type Decoder = { feed(text: string): void; taken(): FeedEvent[] };

function sseEvents(): Decoder {
  const events: FeedEvent[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS,
    onEvent: ({ data }) => events.push(eventIn(data)),
    onError(error) {
      // A field that this version does not know is no fault of the stream.
      if (error.type === 'max-buffer-size-exceeded') failTooLong();
    },
  });
  return {
    feed: (text) => parser.feed(text),
    taken: () => events.splice(0),
  };
}

function lineEvents(): Decoder {
  let rest = '';
  const events: FeedEvent[] = [];
  return {
    feed(text) {
      const lines = (rest + text).split('\n');
      // A stream that is cut off ends in the middle of a line. The next one brings that event again.
      rest = lines.pop()!;
      if (rest.length > EVENT_CHARACTERS) failTooLong();
      events.push(...lines.map(eventIn));
    },
    taken: () => events.splice(0),
  };
}

function eventIn(text: string): FeedEvent {
  const event = parsed(text) as FeedEvent | undefined;
  if (typeof event?.position !== 'string')
    throw new TestledgerError('bad_answer', 'The feed has something that is not an event.');
  return event;
}

function failTooLong(): never {
  throw new TestledgerError(
    'bad_answer',
    `The feed has an event of more than ${EVENT_CHARACTERS} characters.`,
  );
}
