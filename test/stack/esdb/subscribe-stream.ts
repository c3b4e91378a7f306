/** A subscription to one stream. It ends when the stream is ended for good. */
import { streamDeleted } from './failures.js';
import { firstVisible, type Stream } from './log-index.js';
import { confirm, fail, tellCaughtUp, type Reading } from './reading.js';
import { growth, send } from './sending.js';

export async function followStream(reading: Reading, name: string): Promise<void> {
  const { call, store, request, like } = reading;
  const stream = store.index.streamOf(name);
  if (stream.tombstone) {
    fail(call, streamDeleted(name));
    return;
  }
  await confirm(call);
  let next = firstRevision(stream, request.from);
  let toldCaughtUp = false;
  const empty = firstVisible(stream) >= stream.events.length;
  if (!empty || like.caughtUpWithoutEvents) await catchUp();
  while (!call.cancelled) {
    if (next >= stream.events.length && !stream.tombstone) await growth(call, store);
    await catchUp();
    if (!stream.tombstone) continue;
    await send(call, store.message(stream.tombstone));
    fail(call, streamDeleted(name));
    return;
  }

  async function catchUp(): Promise<void> {
    const before = next;
    for (; next < stream.events.length && !call.cancelled; next++) {
      await send(call, store.message(stream.events[next]!));
    }
    if (toldCaughtUp || (empty && !like.caughtUpWithoutEvents && next === before)) return;
    toldCaughtUp = true;
    await tellCaughtUp(call);
  }
}

function firstRevision(stream: Stream, from: Reading['request']['from']): number {
  if (from === 'end') return stream.events.length;
  // A soft delete hides later revisions too, but later events are sent.
  const visible = Math.min(firstVisible(stream), stream.events.length);
  return Math.max(visible, from === 'start' ? 0 : from + 1);
}
