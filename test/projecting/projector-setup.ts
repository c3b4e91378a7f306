/** Projectors on the stores of a test, and the check of their views. */
import { expect } from 'chai';
import { records } from '../../projections/records/records.js';
import {
  bodyDocuments,
  changedDocuments,
  type BodyDocument,
} from '../../projections/records/result-packs.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openFoldFeed, type Feed } from '../../src/log/feed.js';
import type { EventLog } from '../../src/ports/event-log.js';
import type { Change, ViewReader } from '../../src/ports/views.js';
import { runProjector } from '../../src/projecting/projector.js';
import type { ProjectorOptions, ProjectorReport } from '../../src/projecting/leading.js';
import { itemPosition, type NewEvent } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import type { CollectionSpec, Projection } from '../../src/domain/projection.js';
import { openMemoryLedger, type MemoryLedger } from '../domain/memory-ledger.js';
import { fold } from '../projections/folding.js';
import { shownDocuments, shownModel } from '../projections/shown-documents.js';
import { asChunks, chunkEvents } from '../domain/item-chunks.js';
import { eventsOf, eventually, type Stores } from '../stores.js';

export type Projector = {
  reports: ProjectorReport[];
  /** Waits for the n-th report of this kind. */
  reported(type: ProjectorReport['type'], times?: number): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a projector. The end of the test stops it. */
export function startedProjector(
  stores: Stores,
  more: Partial<ProjectorOptions> & { projection?: Projection } = {},
): Projector {
  const { projection = records, views = stores.writer } = more;
  const stop = new AbortController();
  const reports: ProjectorReport[] = [];
  const ended = runProjector({
    projection,
    fold: foldInto(projection, views),
    feed: openFoldFeed(stores.log),
    views,
    state: stores.state,
    holder: { boot: 'one', alone: false },
    clock: stores.clock,
    signal: stop.signal,
    report: (report) => void reports.push(report),
    ...more,
  });
  const projector: Projector = {
    reports,
    reported: (type, times = 1) =>
      eventually(`${times} × ${type}`, () => reports.filter((each) => each.type === type).length >= times),
    async stop() {
      stop.abort();
      await ended;
    },
  };
  stores.beforeClose(projector.stop);
  return projector;
}

/** The ledger views of the next version: the same documents, each with one more field. */
export const nextRecords: Projection = {
  ...records,
  version: records.version + 1,
  parts: records.parts!.map((part) => ({
    ...part,
    apply(documents, event) {
      const put = (collection: CollectionSpec, id: string, document: object) =>
        documents.put(collection, id, { ...document, new: true });
      part.apply({ ...documents, put }, event);
    },
  })),
};

/**
 * Appends the events of the ledger that the log does not have, one by one. Items come before the run that makes them
 * valid.
 */
export function writer(log: EventLog) {
  let written = 0;
  return async ({ events }: MemoryLedger): Promise<void> => {
    const unwritten = events.slice(written);
    const items = new Map<string, LedgerEvent<'ResultSubmitted'>[]>();
    for (const event of unwritten)
      if (event.type === 'ResultSubmitted')
        items.set(event.stream, [...(items.get(event.stream) ?? []), event]);
    for (const [stream, own] of items) {
      const facts = own.map(({ data }) => data);
      await log.append(stream, 'none', chunkEvents(stream, facts, own[0]!.meta));
    }
    for (const { stream, revision, events: some } of inAppends(
      unwritten.filter(({ type }) => type !== 'ResultSubmitted'),
    )) {
      await log.append(stream, revision === 0 ? 'none' : revision - 1, some);
    }
    written = events.length;
  };
}

/** Neighbours in one stream are one append: each append waits for the disk. */
function inAppends(events: readonly LedgerEvent[]) {
  const appends: { stream: string; revision: number; events: NewEvent[] }[] = [];
  for (const { stream, revision, position: _, ...event } of events) {
    const last = appends.at(-1);
    if (last?.stream === stream && last.events.length < 100) last.events.push(event);
    else appends.push({ stream, revision, events: [event] });
  }
  return appends;
}

/** A team with a project and a run, and some results with a retry and a deletion. */
export function runInMemory(results = 4): { ledger: MemoryLedger; run: ReturnType<MemoryLedger['run']> } {
  const ledger = openMemoryLedger();
  const run = ledger.run(ledger.project(ledger.team()), 'nightly', { branch: 'main' });
  ledger.updateRun(run, { status: 'Running' });
  for (let n = 0; n < results; n += 1) ledger.result(run, n % 2 === 0 ? 'Passed' : 'Failed');
  ledger.retry(ledger.result(run, 'Failed'), 'Passed');
  ledger.deleteResult(ledger.result(run, 'Skipped'));
  ledger.updateRun(run, { status: 'Completed' });
  const items = [{ attempt: 2 }, { status: 'Failed' }, { test_name: 'subtracts', status: 'Failed' }] as const;
  const submitted = ledger.submit({ team: run.team, id: run.project }, items);
  ledger.updateResult(submitted.results[2]!, { status: 'KnownFail' });
  return { ledger, run };
}

/** A run that is in the log and in the live views. No projector runs after it. */
export async function projectedRun(stores: Stores) {
  const { ledger, run } = runInMemory();
  const write = writer(stores.log);
  await write(ledger);
  const first = startedProjector(stores);
  await caughtUp(stores);
  await first.stop();
  return { ledger, run, write };
}

/** Waits until the live build has reached the head of the log. */
export async function caughtUp({ reader, log }: Stores): Promise<void> {
  const head = await log.head();
  await eventually('the views have caught up', async () => (await reader.position(records.name)) >= head);
}

/** All events in the order of the log. */
async function wholeLog(log: EventLog): Promise<LedgerEvent[]> {
  return (await log.readAll({ after: '', limit: 100_000 })).events as LedgerEvent[];
}

/** All events in the order of the feed: the items of a submission follow its run. */
export async function wholeFeed(log: EventLog): Promise<LedgerEvent[]> {
  const whole: LedgerEvent[] = [];
  for (const event of await wholeLog(log)) {
    if (event.stream.startsWith('items-')) continue;
    whole.push(event);
    if (event.type !== 'RunCreated') continue;
    const items = await eventsOf(log, event.stream.replace(/^run-/, 'items-'));
    for (const item of items.slice(0, event.data.items) as LedgerEvent[])
      whole.push({ ...item, position: itemPosition(event.position, item.revision) });
  }
  return whole;
}

/** Expects the documents of the naive model, byte for byte as a fold of the log in memory writes them. */
export async function expectViewsOfLog({ log, reader }: Pick<Stores, 'log' | 'reader'>): Promise<void> {
  const events = await wholeFeed(log);
  const stored = await storedTexts(reader, events);
  expect(await shownDocuments(stored, events)).to.deep.equal(shownModel(events));
  expect(stored).to.deep.equal(new Map((await fold(events)).texts));
}

/** How many results of submissions changes put. */
export function itemsIn(changes: readonly Change[]): number {
  const bodies = changes.filter(({ collection }) => collection === bodyDocuments.name);
  return bodies.reduce((sum, { after }) => sum + (after as unknown as BodyDocument).count, 0);
}

/** Every document that these events can have made, as text. */
async function storedTexts(reader: ViewReader, events: readonly LedgerEvent[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const touched = asChunks(events).flatMap((event) => records.touches(event));
  const changed = events.flatMap(({ data }) =>
    'result_id' in data ? [changedDocuments.at(data.result_id)] : [],
  );
  for (const { collection, id } of [...touched, ...changed]) {
    const [document] = await reader.get(records, collection, [id]);
    if (document != null) texts.set(`${collection}/${id}`, JSON.stringify(document));
  }
  return texts;
}

/** A feed that calls a hook before each page or batch. */
export function feedWith(
  feed: Feed,
  { beforePage, beforeBatch, limit }: { beforePage?: Hook; beforeBatch?: Hook; limit?: number },
): Feed {
  return {
    ...feed,
    async read(options) {
      await beforePage?.(options.after);
      return feed.read({ ...options, ...(limit && { limit }) });
    },
    head: feed.head,
    async *follow(options) {
      await beforeBatch?.(options.after);
      yield* feed.follow({ ...options, ...(limit && { limit }) });
    },
  };
}

type Hook = (after: string) => Promise<void> | void;
