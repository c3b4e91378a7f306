/** Streams of events: as lines, or as Server-Sent Events (https://html.spec.whatwg.org, section 9.2). */
import { toCloudEvent } from '../../replay/cloud-event.js';
import type { SplitText } from '../../replay/event-buffer.js';
import type { Replay } from '../../replay/replay.js';
import type { ReplayScope } from '../../replay/scope.js';
import type { LiveOptions } from '../../replay/stream.js';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { Reply } from '../route.js';

type From = {
  after: Position;
  limit: number | undefined;
  /** The URL of the schemas, which depends on how the client reached the server. */
  schemas: string;
  /** Waits for the place of the stream, and returns the function that gives it back. */
  enter(signal: AbortSignal): Promise<() => void>;
};

/** The time after which a client reconnects. */
const RETRY_MS = 2_000;
/** Proxies close connections without data after a minute or less. */
const ALIVE_EVERY_MS = 15_000;

const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' };

/** The events up to the present, then the end. */
export function linesOf(replay: Replay, view: ReplayScope, { after, limit, schemas, enter }: From): Reply {
  const render = (event: RecordedEvent) => `${JSON.stringify(toCloudEvent(event, schemas))}\n`;
  async function* chunks(signal: AbortSignal) {
    const leave = await enter(signal);
    try {
      const options = { after, render, signal, ...(limit !== undefined && { limit }) };
      for await (const { text } of replay.readToEnd(view, options)) yield text;
    } finally {
      leave();
    }
  }
  return { status: 200, headers, type: 'application/x-ndjson', stream: { chunks, endless: false } };
}

/** Renders an event for live readers. The URL of the schemas is left out, so that readers by all names share the text. */
export function renderLive(event: RecordedEvent): SplitText {
  const text = JSON.stringify(toCloudEvent(event, ''));
  // Nothing that a client chose stands before it, so the first match is the attribute itself.
  const at = text.indexOf(SCHEMA) + SCHEMA.length;
  return [`id: ${event.position}\nevent: ${event.type}\ndata: ${text.slice(0, at)}`, `${text.slice(at)}\n\n`];
}

const SCHEMA = '"dataschema":"';

/** The events up to the present, then each new event. */
export function sseOf(
  replay: Replay,
  view: ReplayScope,
  { after, limit, schemas, enter, enterLog }: From & Pick<LiveOptions, 'enterLog'>,
): Reply {
  async function* chunks(signal: AbortSignal) {
    const leave = await enter(signal);
    try {
      yield `retry: ${RETRY_MS}\n\n`;
      // As in the JSON of a page: a URL of the operator may hold characters that JSON escapes.
      const infix = JSON.stringify(schemas).slice(1, -1);
      const options = { after, infix, enterLog, signal, progressEveryMs: ALIVE_EVERY_MS };
      let sentAt = performance.now();
      for await (const { text, position } of replay.follow(view, {
        ...options,
        ...(limit !== undefined && { limit }),
      })) {
        if (text.length > 0) yield text;
        // An id without data is not an event, but the client continues from it when it reconnects.
        else if (performance.now() - sentAt >= ALIVE_EVERY_MS) yield `: \nid: ${position}\n\n`;
        else continue;
        sentAt = performance.now();
      }
    } finally {
      leave();
    }
  }
  return {
    status: 200,
    // A proxy that buffers answers would hold events back.
    headers: { ...headers, 'X-Accel-Buffering': 'no' },
    type: 'text/event-stream',
    stream: { chunks, endless: true },
  };
}
