/** A subscription to the whole log: it catches up window by window, and then follows the writes. */
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { consumerTooSlow, handlerFailed, invalidPosition } from './failures.js';
import type { Entry } from './log-index.js';
import { confirm, fail, startInAll, tellCaughtUp, type Reading } from './reading.js';
import { growth, send, sendResponse, type ReadCall } from './sending.js';

/** The number of matching events that end a window, and by which a live subscriber may be behind. */
const BUFFER = 32;

export async function followAll(reading: Reading): Promise<void> {
  const { call, store, request, like } = reading;
  const { entries } = store.index;
  const { filter, from } = request;
  const matches = filter ? filter.matches : () => true;
  const window = filter?.window ?? BUFFER;
  const checkpointEvery = filter ? filter.window * filter.interval : Infinity;

  const start = startInAll(store, from);
  if (start === null) {
    if (like.confirmsNoEvent) await confirm(call);
    fail(call, like.confirmsNoEvent ? invalidPosition() : handlerFailed());
    return;
  }
  await confirm(call);
  const fromEvent = typeof from === 'number' && start < entries.length;
  // No event at or before it is sent.
  const after = typeof from === 'number' && (fromEvent || like.waitsForPosition) ? from : -1;
  let next = fromEvent && !like.windowFromOwn ? start + 1 : start;

  for (let behind = true; behind && !call.cancelled;) {
    await catchUp();
    await tellCaughtUp(call);
    behind = await followLive();
  }

  async function catchUp(): Promise<void> {
    let looked = 0;
    let last: Entry | undefined;
    while (next < entries.length && !call.cancelled) {
      last = entries[next]!;
      const until = next + window;
      for (let found = 0; next < until && next < entries.length && found < BUFFER; next++, looked++) {
        const entry = entries[next]!;
        if (!matches(entry) || entry.position <= after) continue;
        found++;
        last = entry;
        await send(call, store.message(entry));
      }
      if (looked >= checkpointEvery) {
        looked %= checkpointEvery;
        await checkpoint(call, last);
      }
    }
    if (like.checkpointAtEnd && filter && last !== undefined && looked > 0) await checkpoint(call, last);
  }

  /** Returns whether to catch up again: false when the subscription has ended. */
  async function followLive(): Promise<boolean> {
    let looked = 0;
    while (!call.cancelled) {
      if (next === entries.length) await growth(call, store);
      while (next < entries.length && !call.cancelled) {
        const entry = entries[next++]!;
        const isWanted = matches(entry) && entry.position > after;
        const waited = isWanted && (await send(call, store.message(entry)));
        if (++looked >= checkpointEvery) {
          looked = 0;
          await checkpoint(call, entry);
        }
        if (!waited || lag() <= BUFFER) continue;
        if (like.catchesUpSlow) return true;
        fail(call, consumerTooSlow());
        return false;
      }
    }
    return false;
  }

  /** The number of events that wait to be sent, counted up to the limit. */
  function lag(): number {
    let found = 0;
    for (let ahead = next; ahead < entries.length && found <= BUFFER; ahead++) {
      if (matches(entries[ahead]!)) found++;
    }
    return found;
  }
}

async function checkpoint(call: ReadCall, { position }: Entry): Promise<void> {
  const message = new streams.ReadResp.Checkpoint()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  await sendResponse(call, (response) => response.setCheckpoint(message));
}
