/** Streams of events: as lines, or as Server-Sent Events (https://html.spec.whatwg.org, section 9.2). */
import { toCloudEvent } from '../../replay/cloud-event.js';
import type { Replay } from '../../replay/replay.js';
import type { ReplayScope } from '../../replay/scope.js';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { Reply } from '../route.js';

type From = { after: Position; limit: number | undefined; schemas: string };

/** The time after which a client reconnects. */
const RETRY_MS = 2_000;
/** Proxies close connections without data after a minute or less. */
const ALIVE_EVERY_MS = 15_000;

const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' };

/** The events up to the present, then the end. */
export function linesOf(replay: Replay, view: ReplayScope, { after, limit, schemas }: From): Reply {
  const render = (event: RecordedEvent) => `${JSON.stringify(toCloudEvent(event, schemas))}\n`;
  async function* chunks(signal: AbortSignal) {
    const options = { after, render, signal, ...(limit !== undefined && { limit }) };
    for await (const { text } of replay.readToEnd(view, options)) yield text;
  }
  return { status: 200, headers, type: 'application/x-ndjson', stream: { chunks, endless: false } };
}

/** The events up to the present, then each new event. */
export function sseOf(replay: Replay, view: ReplayScope, { after, limit, schemas }: From): Reply {
  const render = (event: RecordedEvent) =>
    `id: ${event.position}\nevent: ${event.type}\ndata: ${JSON.stringify(toCloudEvent(event, schemas))}\n\n`;
  async function* chunks(signal: AbortSignal) {
    yield `retry: ${RETRY_MS}\n\n`;
    const options = { after, render, rendering: schemas, signal, progressEveryMs: ALIVE_EVERY_MS };
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
  }
  return {
    status: 200,
    // A proxy that buffers answers would hold events back.
    headers: { ...headers, 'X-Accel-Buffering': 'no' },
    type: 'text/event-stream',
    stream: { chunks, endless: true },
  };
}
