/** Which adapter a configuration asks for. Clients are loaded only where they are: a small server needs none. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { withoutPassword, type Config } from '../config.js';
import { blobUrls } from '../artifacts/blob-urls.js';
import type { BlobFiles } from '../artifacts/blob-files.js';
import type { Clock } from '../clock.js';
import { deriveKey } from '../derive-key.js';
import type { Blobs } from '../ports/blobs.js';
import type { Bus } from '../ports/bus.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { ViewReader, ViewWriter } from '../ports/views.js';
import type { FolderLock } from './sqlite/folder-lock.js';
import type { ViewsFile } from './sqlite/views/layout.js';
import { secretOf } from './files/secret-key.js';

/** Takes what has to be closed, each as soon as it is open: a start that fails half-way closes what it had. */
export type OnStop = (close: () => Promise<void> | void) => void;

type Opened = {
  log: EventLog;
  views: ViewReader;
  /** With the publication: a file of its own, where they are files. */
  publicationViews: ViewReader;
  state: State;
  /** No other process can have the state open: leases and reservations of an earlier start are void. */
  alone: boolean;
};

/** Told of a fault that no call meets. */
export type Report = (error: unknown) => void;

/** For the thread that answers requests: it writes the log and State, and reads the views. @throws Error why not. */
export async function openForApi(
  { events, views, bus, dataDir }: Config,
  onStop: OnStop,
  report?: Report,
): Promise<Opened> {
  const lockOf = await lockFolders([events, views], onStop);
  const folders = [events, views].flatMap((store) => (store.kind === 'file' ? [store.folder] : []));
  if (bus.kind === 'local') folders.push(dataDir);
  if (folders.length > 0) {
    const { refuseNewerFiles } = await import('./sqlite/refuse-newer-files.js');
    for (const folder of new Set(folders)) refuseNewerFiles(folder);
  }
  const log = await openLog(events, { mode: 'writer', lockOf, report });
  onStop(() => log.close());
  const reader = await openReader(views);
  onStop(() => reader.close());
  const publicationViews = views.kind === 'file' ? await openReader(views, 'publication.sqlite') : reader;
  if (publicationViews !== reader) onStop(() => publicationViews.close());
  const state = await openState(views, { thread: true });
  onStop(() => state.close());
  return { log, views: reader, publicationViews, state, alone: views.kind === 'file' };
}

/**
 * The bytes of artifacts, and, where they are files of ours, what the routes need that serve them. After `openForApi`,
 * which locks the folder that all is in by default.
 */
export async function openBlobs(
  config: Config,
  onStop: OnStop,
  clock: Clock,
): Promise<{ blobs: Blobs; files: BlobFiles | null }> {
  const { blobs: store, events, views } = config;
  switch (store.kind) {
    case 'file': {
      const urls = blobUrls(deriveKey(await secretOf(config), 'blob-urls'), clock);
      const { openFolderBlobs } = await import('./files/blobs.js');
      const { folder } = store;
      const alone = [events, views].some((each) => each.kind === 'file' && each.folder === folder);
      const opened = await openFolderBlobs({ folder, urls, clock, alone });
      onStop(() => opened.blobs.close());
      return opened;
    }
    case 's3': {
      const { openS3Blobs } = await import('./s3/blobs.js');
      const blobs = openS3Blobs(store, clock);
      onStop(() => blobs.close());
      return { blobs, files: null };
    }
  }
}

/** What carries messages to webhooks, for the thread that publishes or fans out. Its file lies in `dataDir`. */
export async function openBus({ bus, dataDir }: Config, onStop: OnStop, report: Report): Promise<Bus> {
  const opened = await busOf(bus, dataDir, report);
  onStop(() => opened.close());
  return opened;
}

async function busOf(bus: Config['bus'], folder: string, report: Report): Promise<Bus> {
  switch (bus.kind) {
    case 'local':
      return (await import('./sqlite/bus/bus.js')).openLocalBus({ folder });
    case 'nats':
      return (await import('./nats/bus.js')).openNatsBus({ url: bus.url, report });
  }
}

/** For the thread that projects: it reads the log and writes the views. */
export async function openForProjector(
  { events, views }: Config,
  report?: Report,
): Promise<{ log: EventLog; views: ViewWriter; state: State }> {
  return {
    log: await openLog(events, { mode: 'reader', report }),
    views: await openWriter(views),
    state: await openState(views, { thread: false }),
  };
}

/** For the thread of the publisher and the dispatcher. Where the log is a file, it does not append. */
export async function openForWebhooks(
  { events, views }: Config,
  report?: Report,
): Promise<{ log: EventLog; writer: ViewWriter; reader: ViewReader; state: State }> {
  return {
    log: await openLog(events, { mode: 'reader', report }),
    writer: await openWriter(views, 'publication.sqlite'),
    reader: await openReader(views, 'publication.sqlite'),
    state: await openState(views, { thread: false }),
  };
}

/** `thread`: the caller must not wait for the disk. */
export async function openDeliveries(
  { views }: Pick<Config, 'views'>,
  { thread }: { thread: boolean },
): Promise<Deliveries> {
  switch (views.kind) {
    case 'file':
      return (await import('./sqlite/deliveries/deliveries.js')).openSqliteDeliveries({
        folder: views.folder,
        thread,
      });
    case 'mongodb':
      return (await import('./mongodb/deliveries/deliveries.js')).openMongoDeliveries({ url: views.url });
  }
}

/** For the command line, beside a running server: null where there is no state yet. */
export async function openExistingState({ views }: Config): Promise<State | null> {
  if (views.kind === 'file' && !existsSync(join(views.folder, 'state.sqlite'))) return null;
  return openState(views, { thread: false });
}

/** Where things are, as it may be shown. */
export function describeStore(store: Config['events'] | Config['views']): string {
  return store.kind === 'file' ? store.folder : withoutPassword(store.url);
}

type LockOf = (folder: string) => FolderLock;

async function openLog(
  store: Config['events'],
  { mode, lockOf, report }: { mode: 'writer' | 'reader'; lockOf?: LockOf; report: Report | undefined },
): Promise<EventLog> {
  switch (store.kind) {
    case 'file': {
      const { openSqliteLog } = await import('./sqlite/log/log.js');
      const { folder } = store;
      return openSqliteLog({ folder, mode, ...(lockOf && { lock: lockOf(folder) }) });
    }
    case 'esdb': {
      const { openEsdbLog } = await import('./eventstoredb/log.js');
      return openEsdbLog({ url: store.url, ...(report && { report }) });
    }
  }
}

async function openReader(store: Config['views'], file?: ViewsFile['file']): Promise<ViewReader> {
  switch (store.kind) {
    case 'file':
      return (await import('./sqlite/views/views.js')).openSqliteViewReader({
        folder: store.folder,
        ...(file && { file }),
      });
    case 'mongodb':
      return (await import('./mongodb/views/views.js')).openMongoViewReader({ url: store.url });
  }
}

async function openWriter(store: Config['views'], file?: ViewsFile['file']): Promise<ViewWriter> {
  switch (store.kind) {
    case 'file':
      return (await import('./sqlite/views/views.js')).openSqliteViewWriter({
        folder: store.folder,
        ...(file && { file }),
      });
    case 'mongodb':
      return (await import('./mongodb/views/views.js')).openMongoViewWriter({ url: store.url });
  }
}

/** `thread`: file writes must not take turns with requests. */
async function openState(store: Config['views'], { thread }: { thread: boolean }): Promise<State> {
  switch (store.kind) {
    case 'file':
      return (await import('./sqlite/state/state.js')).openSqliteState({ folder: store.folder, thread });
    case 'mongodb':
      return (await import('./mongodb/state.js')).openMongoState({ url: store.url });
  }
}

/** Locks every folder that is written to, once: one folder by two names is one. */
async function lockFolders(
  stores: readonly (Config['events'] | Config['views'])[],
  onStop: OnStop,
): Promise<LockOf> {
  const locks = new Map<string, FolderLock>();
  for (const store of stores) {
    if (store.kind !== 'file') continue;
    mkdirSync(store.folder, { recursive: true });
    const path = realpathSync(store.folder);
    if (locks.has(path)) continue;
    const { lockFolder } = await import('./sqlite/folder-lock.js');
    const lock = lockFolder(path);
    onStop(() => lock.release());
    locks.set(path, lock);
  }
  return (folder) => locks.get(realpathSync(folder)) as FolderLock;
}
