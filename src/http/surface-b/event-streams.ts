/** Events as they are streamed: a line each, or Server-Sent Events (https://html.spec.whatwg.org, section 9.2). */
import { toCloudEvent } from '../../replay/cloud-event.js';
import type { Replay } from '../../replay/replay.js';
import type { ReplayScope } from '../../replay/scope.js';
import type { Position, RecordedEvent } from '../../domain/event.js';
import type { Reply } from '../route.js';

type From = { after: Position; limit: number | undefined; schemas: string };

/** A client whose connection has ended comes back so soon. */
const RETRY_MS = 2_000;
/** Proxies end connections on which nothing comes for a minute or less. */
const ALIVE_EVERY_MS = 15_000;

const headers = { 'Cache-Control': 'no-store', Vary: 'Accept' };

/** What there is by now, and the end. */
export function linesOf(replay: Replay, view: ReplayScope, { after, limit, schemas }: From): Reply {
  const render = (event: RecordedEvent) => `${JSON.stringify(toCloudEvent(event, schemas))}\n`;
  async function* chunks(signal: AbortSignal) {
    const options = { after, render, signal, ...(limit !== undefined && { limit }) };
    for await (const { text } of replay.readToEnd(view, options)) yield text;
  }
  return { status: 200, headers, type: 'application/x-ndjson', stream: { chunks, endless: false } };
}

/** What there is by now, and whatever comes. */
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
      // An id without data is no event, but the client begins there when it comes back.
      else if (performance.now() - sentAt >= ALIVE_EVERY_MS) yield `: \nid: ${position}\n\n`;
      else continue;
      sentAt = performance.now();
    }
  }
  return {
    status: 200,
    // Proxies that gather answers would hold events back.
    headers: { ...headers, 'X-Accel-Buffering': 'no' },
    type: 'text/event-stream',
    stream: { chunks, endless: true },
  };
}
