/**
 * The projection on the stack: a rebuild by the projector, beside a loop of the bare clients, which reads the same events
 * and writes, batch by batch, the documents that the rebuild wrote.
 */
import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client';
import { MongoClient, type Collection } from 'mongodb';
import { records } from '../../projections/records/records.js';
import { foldInto } from '../../src/projecting/fold.js';
import { openForProjector } from '../../src/adapters/open.js';
import { readConfig } from '../../src/config.js';
import { instant, systemClock } from '../../src/clock.js';
import { openFoldFeed } from '../../src/log/feed.js';
import type { Change, ViewWriter } from '../../src/ports/views.js';
import type { ProjectorReport } from '../../src/projecting/leading.js';
import { runProjector } from '../../src/projecting/projector.js';
import { readRebuild, requestRebuild } from '../../src/projecting/rebuild.js';
import type { StoreUrls } from '../../test/kit/store-urls.js';
import { answerRequests } from '../processes/child.js';
import { within } from '../processes/server.js';

export type ProjectRequest = { stores: StoreUrls; times: number };
/** The events a second of each turn. */
export type ProjectionRates = { adapters: number[]; loop: number[] };

type Batches = (readonly Change[])[];
type Replaced = { _id: string };

answerRequests(async ({ stores, times }: ProjectRequest): Promise<ProjectionRates> => {
  const {
    storedLog: log,
    views,
    state,
  } = await openForProjector(
    readConfig({
      // Neither is used here, but both are required with servers.
      BLOBS_URL: 'file:unused',
      SECRET_KEY: 'not used: 32 characters or more are required',
      ...stores,
    }),
  );
  let batches: Batches = [];
  const recording: ViewWriter = {
    ...views,
    async commit(spec, commit) {
      if (commit.build > 1 && commit.changes.length > 0) batches.push(commit.changes);
      return views.commit(spec, commit);
    },
  };
  const stop = new AbortController();
  let ended: { at: number } | null = null;
  let began = 0;
  let fault: unknown;
  const running = runProjector({
    projection: records,
    fold: foldInto(records, views),
    feed: openFoldFeed(log),
    views: recording,
    state,
    holder: { boot: 'bench', alone: false },
    clock: systemClock,
    signal: stop.signal,
    report: (event: ProjectorReport) => {
      if (event.type === 'failed') fault ??= event.error;
      else if (event.type === 'rebuilding') began = performance.now();
      else ended = { at: performance.now() };
    },
  });
  const events = EventStoreDBClient.connectionString(stores.EVENTS_URL.replace(/[?&]namespace=[^&]*$/, ''));
  const mongo = new MongoClient(stores.VIEWS_URL, { writeConcern: { w: 'majority' } });
  const namespace = /namespace=([^&]*)/.exec(stores.EVENTS_URL)?.[1];
  try {
    const head = await log.head();
    // First, the live build has to be at the head and idle, as on a running server.
    await within(600_000, 'the live build', async () => {
      const [build] = await views.builds(records.name);
      return build !== undefined && build.position >= head ? true : null;
    });
    const rates: ProjectionRates = { adapters: [], loop: [] };
    for (let n = 0; n < times; n += 1) {
      ended = null;
      batches = [];
      await requestRebuild(state, records, instant(systemClock));
      const { at } = await within(600_000, 'the rebuild', () => {
        if (fault !== undefined) throw fault;
        return ended;
      });
      const { events: folded } = (await readRebuild(state, records.name))!;
      rates.adapters.push(folded / ((at - began) / 1_000));
      const collectionOf = (name: string) => mongo.db().collection<Replaced>(`bare_${n}_${name}`);
      rates.loop.push(await bareLoop(events, `${namespace}~`, folded, batches, collectionOf));
    }
    return rates;
  } finally {
    stop.abort();
    await running;
    await Promise.all([state.close(), views.close(), log.close(), mongo.close(), events.dispose()]);
  }
});

async function bareLoop(
  client: EventStoreDBClient,
  prefix: string,
  total: number,
  batches: Batches,
  collectionOf: (name: string) => Collection<Replaced>,
): Promise<number> {
  const each = Math.ceil(total / batches.length);
  const left = batches.values();
  const began = performance.now();
  let read = 0;
  const filter = streamNameFilter({ prefixes: [prefix] });
  const ours = client.subscribeToAll({ fromPosition: START, filter });
  for await (const { event } of ours) {
    if (event === undefined) continue;
    read += 1;
    if (read % each === 0) await replace(left.next().value ?? [], collectionOf);
    if (read === total) break;
  }
  await ours.unsubscribe();
  for (const batch of left) await replace(batch, collectionOf);
  const seconds = (performance.now() - began) / 1_000;
  return total / seconds;
}

async function replace(
  changes: readonly Change[],
  collectionOf: (name: string) => Collection<Replaced>,
): Promise<void> {
  const names = new Set(changes.map(({ collection }) => collection));
  await Promise.all(
    [...names].map((name) =>
      collectionOf(name).bulkWrite(
        changes
          .filter(({ collection }) => collection === name)
          .map(({ id, after }) => ({
            replaceOne: { filter: { _id: id }, replacement: { ...after }, upsert: true },
          })),
        { ordered: false },
      ),
    ),
  );
}
