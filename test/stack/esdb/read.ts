/** The Read call: a page of a stream or of the log, or a subscription. */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { handlerFailed, streamDeleted, unexpectedResult } from './failures.js';
import type { Differences } from './release.js';
import { firstVisible, type Entry, type Stream } from './log-index.js';
import { readRequestOf, type ReadRequest } from './requests.js';
import { fail, startInAll, type Reading } from './reading.js';
import { send, sendResponse, type ReadCall } from './sending.js';
import type { Store } from './store.js';
import { followAll } from './subscribe-all.js';
import { followStream } from './subscribe-stream.js';

/** Returns the handler of the Read call. */
export function readHandler(store: Store, like: Differences): (call: ReadCall) => void {
  return (call) => {
    answer(call).catch((error: unknown) => {
      console.error(error);
      fail(call, handlerFailed());
    });
  };

  async function answer(call: ReadCall): Promise<void> {
    let request: ReadRequest;
    try {
      request = readRequestOf(call.request);
    } catch {
      fail(call, handlerFailed());
      return;
    }
    const reading = { call, store, request, like };
    const { of, count } = request;
    if (of.kind === 'all') await (count === null ? followAll(reading) : readAll(reading, count));
    else await (count === null ? followStream(reading, of.name) : readStream(reading, of.name, count));
  }
}

async function readStream(reading: Reading, name: string, count: number): Promise<void> {
  const { call, store, request, like } = reading;
  const { from, backwards } = request;
  const stream = store.index.stream(name);
  if (stream?.tombstone) {
    fail(call, streamDeleted(name));
  } else if (count === 0 || (from === 'end' && !backwards)) {
    const reason =
      count === 0
        ? "maxCount should be positive. (Parameter 'maxCount')"
        : "fromEventNumber should be non negative. (Parameter 'fromEventNumber')";
    fail(call, unexpectedResult(`ReadStreamResult: Error${like.saysReason ? ` >> ${reason}` : ''}`));
  } else if (!stream || firstVisible(stream) >= stream.events.length) {
    const identifier = new shared.StreamIdentifier().setStreamName(Buffer.from(name));
    const notFound = new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier);
    await sendResponse(call, (response) => response.setStreamNotFound(notFound));
    call.end();
  } else {
    await sendPage(reading, pageOf(stream, request, count));
  }
}

function pageOf(stream: Stream, { from, backwards }: ReadRequest, count: number): Entry[] {
  const first = firstVisible(stream);
  const last = stream.events.length - 1;
  if (!backwards) {
    const start = Math.max(first, from === 'start' ? 0 : Number(from));
    return stream.events.slice(start, start + count);
  }
  const start = Math.min(last, from === 'start' ? 0 : from === 'end' ? last : from);
  return stream.events.slice(Math.max(first, start - count + 1), start + 1).toReversed();
}

async function readAll(reading: Reading, count: number): Promise<void> {
  const { call, store, request, like } = reading;
  const { entries } = store.index;
  // The real server never answers this.
  if (count === 0) return;
  const start = startInAll(store, request.from);
  if (start === null) fail(call, unexpectedResult(like.readFromNoEvent));
  else if (request.backwards)
    await sendPage(reading, entries.slice(Math.max(0, start - count), start).toReversed());
  else await sendPage(reading, entries.slice(start, start + count));
}

async function sendPage({ call, store }: Reading, page: readonly Entry[]): Promise<void> {
  for (const entry of page) {
    if (call.cancelled) return;
    await send(call, store.message(entry));
  }
  call.end();
}
