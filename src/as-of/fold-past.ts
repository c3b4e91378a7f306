/** Folds a project up to a position, by the folds of the read models. */
import { pastHistory } from '../../projections/history/history.js';
import { pastRecords } from '../../projections/records/records.js';
import { weightOfAll } from '../domain/runs/item-chunk.js';
import type { LedgerEvent } from '../domain/events.js';
import { fail } from '../errors.js';
import { limits } from '../limits.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import type { EventLog } from '../ports/event-log.js';
import { foldBatch } from '../projecting/fold.js';
import { pastDocuments, type PastDocuments } from './documents.js';
import type { Past } from './past.js';
import { pastEvents } from './past-events.js';
import { projectEvents } from './project-events.js';
import { troubledTests } from './troubled.js';

export type PastLog = Pick<EventLog, 'readAll' | 'readStream'>;

/** By the names of the read models. */
export type FoldedPast = Readonly<Record<string, PastDocuments>>;

/** @throws AppError `as_of_too_large` */
export async function foldPast(log: PastLog, past: Past): Promise<FoldedPast> {
  const troubled = troubledTests(past.also);
  let events = 0;
  for await (const recorded of projectEvents(log, past)) {
    events += weightOfAll(recorded);
    if (events > limits.asOfEvents)
      fail('as_of_too_large', `The project has more than ${limits.asOfEvents} events up to that moment.`);
    recorded.forEach(troubled.add);
  }
  const [records, history] = [pastDocuments(pastRecords), pastDocuments(pastHistory)];
  const derived = pastEvents(troubled);
  for await (const recorded of projectEvents(log, past)) {
    records.keep(await foldBatch(pastRecords, records.load, recorded as LedgerEvent[]));
    history.keep(await foldBatch(pastHistory, history.load, recorded.flatMap(derived.of)));
  }
  if (derived.isExact()) return { [pastRecords.name]: records, [pastHistory.name]: history };
  return foldPast(log, { ...past, also: 'all' });
}

/** Of a document in its maps. */
const OVERHEAD = 200;

export function bytesOf(folded: FoldedPast): number {
  let bytes = 1;
  for (const documents of Object.values(folded))
    for (const document of documents.all()) bytes += OVERHEAD + estimateBytes(document);
  return bytes;
}
