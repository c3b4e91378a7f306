/** Folds a project up to a position, by the folds of the read models. */
import { setImmediate } from 'node:timers/promises';
import { pastHistory } from '../../projections/history/past-history.js';
import { pastRecords } from '../../projections/records/past-records.js';
import { weightOfAll } from '../domain/runs/item-chunk.js';
import type { RecordedEvent } from '../domain/event.js';
import type { LedgerEvent } from '../domain/events.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import type { EventLog } from '../ports/event-log.js';
import { foldBatch } from '../projecting/fold.js';
import { comparedWhenAsked } from './compared-when-asked.js';
import { pastDocuments, type PastDocuments } from './documents.js';
import type { Past } from './past.js';
import { pastEvents } from './past-events.js';
import { BEGINNING, projectEvents, type Step } from './project-events.js';
import { troubledTests } from './troubled.js';

export type PastLog = Pick<EventLog, 'readAll' | 'readStream'>;

/** By the names of the read models. */
export type FoldedPast = Readonly<Record<string, PastDocuments>>;

/**
 * Of the events that are read to see which tests had trouble, so much is kept for the fold. The rest is read again: this much
 * beside the documents fits into the memory of the thread.
 */
const KEPT_BYTES = 64 * 1024 * 1024;

/** @throws AppError `as_of_too_large` */
export async function foldPast(log: PastLog, past: Past): Promise<FoldedPast> {
  const troubled = troubledTests(past.also);
  const kept: Step[] = [];
  let [events, bytes] = [0, 0];
  for await (const step of projectEvents(log, past)) {
    events += weightOfAll(step.events);
    if (events > limits.asOfEvents)
      fail('as_of_too_large', `The project has more than ${limits.asOfEvents} events up to that moment.`);
    step.events.forEach(troubled.add);
    if (bytes < KEPT_BYTES) kept.push(step);
    bytes += estimateBytes(step.events);
  }
  const [records, history] = [pastDocuments(pastRecords), pastDocuments(pastHistory)];
  const derived = pastEvents(troubled);
  for await (const recorded of allEvents(log, past, kept, bytes < KEPT_BYTES)) {
    records.keep(await foldBatch(pastRecords, records.load, recorded as LedgerEvent[]));
    history.keep(await foldBatch(pastHistory, history.load, recorded.flatMap(derived.of)));
  }
  if (derived.isExact())
    return { [pastRecords.name]: records, [pastHistory.name]: comparedWhenAsked(history) };
  return foldPast(log, { ...past, also: 'all' });
}

/** Those that are kept, which the fold forgets one step after the other, and then those that are not. */
async function* allEvents(
  log: PastLog,
  past: Past,
  kept: Step[],
  isAll: boolean,
): AsyncGenerator<RecordedEvent[], void> {
  const rest = kept.at(-1)?.next ?? BEGINNING;
  kept.reverse();
  for (let step = kept.pop(); step !== undefined; step = kept.pop()) {
    yield step.events;
    await setImmediate();
  }
  if (isAll) return;
  for await (const { events } of projectEvents(log, past, rest)) yield events;
}

/** Of a document in its maps. */
const OVERHEAD = 200;

export function bytesOf(folded: FoldedPast): number {
  let bytes = 1;
  for (const documents of Object.values(folded))
    for (const document of documents.all()) bytes += OVERHEAD + estimateBytes(document);
  return bytes;
}
