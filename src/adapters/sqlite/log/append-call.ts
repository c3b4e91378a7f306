/** One append, on its way between the calling thread and the writer thread of the SQLite log. */
import type { ExpectedRevision } from '../../../ports/event-log.js';
import type { Content, KeptBy, NewEvent, StreamName } from '../../../domain/event.js';
import { parseStreamName } from '../../../domain/event.js';
import { checkEvent, checkPrintable, toJson } from '../../shared/event-checks.js';

/**
 * One append: the stream, the expected revision, and six values per event. Flat, because each object adds to the cost
 * of the copy between threads.
 */
export type AppendCall = [stream: string, expected: number, ...events: (string | number)[]];

/** How many values an event has in an `AppendCall`: id, type, version, meta, data, contents (`contentsIn`). */
export const VALUES_PER_EVENT = 6;
/** The index of the first event. */
export const FIRST_EVENT_AT = 2;

/** The expected revisions that are not a number. */
export const NONE = -1;
export const ANY = -2;

/** The revision and the position of its last event, or `REFUSED` and the stream's revision. */
export type AppendOutcome = [first: number, second: number];
export const REFUSED = -1;

/**
 * Makes the message of an append.
 * @throws Error for a mistake of the caller. The writer thread could report it only as a broken log.
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
  for (const event of events) {
    checkEvent(event);
    const { id, type, version, meta, data, json } = event;
    call.push(id, type, version, toJson(meta, 'meta'), json ?? toJson(data, 'data'), contentsOf(event));
  }
  return call;
}

/** A line for the holder and the project, and two for each content, whose text is JSON and so is one line. Empty without any. */
function contentsOf({ contents }: NewEvent): string {
  if (contents === undefined) return '';
  let lines = `${contents.holder} ${contents.project}`;
  for (const { hash, text } of contents.kept) lines += `\n${hash}\n${text}`;
  return lines;
}

/** The opposite. */
export function contentsIn(lines: string): KeptBy & { kept: Content[] } {
  const [by, ...rest] = lines.split('\n');
  const kept = Array.from({ length: rest.length / 2 }, (_, n) => ({
    hash: rest[2 * n]!,
    text: rest[2 * n + 1]!,
  }));
  const [holder, project] = by!.split(' ');
  return { holder: holder!, project: project!, kept };
}

function expectedNumber(expected: ExpectedRevision): number {
  if (expected === 'none') return NONE;
  if (expected === 'any') return ANY;
  if (!Number.isSafeInteger(expected) || expected < 0) throw new Error(`not a revision: ${expected}`);
  return expected;
}

/** A commit of this size takes about 15 ms, the longest that a single append should wait for those before it. */
const MOST_EVENTS = 1000;
/** A transaction larger than the page cache is written twice. */
const MOST_CHARACTERS = 4_000_000;

/** How many of the waiting appends one transaction takes, at least one. */
export function appendsThatFit(waiting: readonly AppendCall[]): number {
  let events = 0;
  let characters = 0;
  const size = waiting.findIndex((call, index) => {
    events += Math.floor(call.length / VALUES_PER_EVENT);
    for (const value of call) characters += typeof value === 'string' ? value.length : 0;
    return index > 0 && (events > MOST_EVENTS || characters > MOST_CHARACTERS);
  });
  return size === -1 ? waiting.length : size;
}
