/** What the calling thread and the writer thread of the SQLite log say to each other. */
import type { ExpectedRevision } from '../../../ports/event-log.js';
import type { NewEvent, StreamName } from '../../../domain/event.js';
import { parseStreamName } from '../../../domain/event.js';
import { checkEvent, checkPrintable, toJson } from '../../shared/event-checks.js';

/** What the writer thread is started with. */
export type WriterData = { file: string; channel: string };

/**
 * One append: stream, expected revision, then five values an event. Flat, because the copy between the threads
 * costs by the object.
 */
export type AppendCall = [stream: string, expected: number, ...events: (string | number)[]];

/** Values an event in a `Call`: id, type, version, meta (or `SAME`), data. */
export const VALUES_PER_EVENT = 5;
/** Instead of the meta: that of the event before. Those of a bulk submission share one. */
export const SAME_META = '';
/** Where they begin. */
export const FIRST_EVENT_AT = 2;

/** Expected revisions that are not a number. */
export const NONE = -1;
export const ANY = -2;

export type WriterRequest = AppendCall[] | 'close';

/** To the oldest calls without an answer, in their order. */
export type WriterAnswer = { outcomes: AppendOutcomes } | { failed: number; why: WriteFailure } | 'ready';

/** Two numbers a call: revision and position of its last event, or `REFUSED` and the stream's revision. */
export type AppendOutcomes = number[];
export const REFUSED = -1;

export type WriteFailure = 'full' | 'busy' | 'damaged' | { message: string };

/**
 * An append as it crosses to the writer thread.
 * @throws Error when the caller made a mistake: past this point it would only be told as a broken log.
 */
export function toAppendCall(
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): AppendCall {
  parseStreamName(stream);
  checkPrintable(stream, 'the name of a stream');
  if (events.length === 0) throw new Error(`an append without events to ${stream}`);
  const call: AppendCall = [stream, expectedNumber(expected)];
  let before: NewEvent['meta'] | null = null;
  for (const event of events) {
    checkEvent(event);
    const { id, type, version, meta, data, json } = event;
    call.push(
      id,
      type,
      version,
      meta === before ? SAME_META : toJson(meta, 'meta'),
      json ?? toJson(data, 'data'),
    );
    before = meta;
  }
  return call;
}

function expectedNumber(expected: ExpectedRevision): number {
  if (expected === 'none') return NONE;
  if (expected === 'any') return ANY;
  if (!Number.isSafeInteger(expected) || expected < 0) throw new Error(`not a revision: ${expected}`);
  return expected;
}
