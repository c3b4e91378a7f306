/** Opens the stores that a configuration names. Each adapter loads its client only when a store of it is opened. */
import { mkdirSync, realpathSync } from 'node:fs';
import type { BlobFiles } from '../artifacts/blob-files.js';
import type { Clock } from '../clock.js';
import type { Config, StoreUrl } from '../config.js';
import { upcastLog } from '../log/upcast-log.js';
import type { Blobs } from '../ports/blobs.js';
import type { Bus } from '../ports/bus.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { ViewReader, ViewWriter } from '../ports/views.js';
import type { LogLocation, Report } from './adapter.js';
import { secretOf } from './files/secret-key.js';
import { blobsAdapters, busAdapters, locate, logAdapters, viewsAdapters } from './registry.js';
import type { FolderLock } from './sqlite/folder-lock.js';

export type { Report };

/** Receives each function that closes a store as soon as the store is open, so that a failed start closes them too. */
export type OnStop = (close: () => Promise<void> | void) => void;

type Stores = {
  log: EventLog;
  views: ViewReader;
  /** Reads the read models of the outbox. */
  outboxViews: ViewReader;
  state: State;
};

/**
 * For the thread that answers requests: it writes the log and the state, and reads the views. @throws Error that
 * says why it cannot.
 */
export async function openForApi(config: Config, onStop: OnStop, report?: Report): Promise<Stores> {
  const { log: logAt, views: viewsAt } = locationsOf(config);
  const locks = await lockFolders([logAt.folder, viewsAt.folder], onStop);
  const folders = [
    logAt.folder,
    viewsAt.folder,
    locate(busAdapters, config.bus).usesDataDir ? config.dataDir : null,
  ];
  await refuseNewerFolders(folders);
  const lock = logAt.folder === null ? undefined : locks.get(realpathSync(logAt.folder));
  const log = await logAt.open({ mode: 'writer', lock, report });
  onStop(() => log.close());
  const views = await viewsAt.openReader('ledger');
  onStop(() => views.close());
  const outboxViews = viewsAt.sharesReader ? views : await viewsAt.openReader('outbox');
  if (outboxViews !== views) onStop(() => outboxViews.close());
  const state = await viewsAt.openState({ thread: true });
  onStop(() => state.close());
  return { log, views, outboxViews, state };
}

/**
 * The bytes of artifacts, and `files` for the routes that serve them, where this server does. Call it after
 * `openForApi`, which locks the folder that holds everything by default.
 */
export async function openBlobs(
  config: Config,
  onStop: OnStop,
  clock: Clock,
): Promise<{ blobs: Blobs; files: BlobFiles | null }> {
  const at = locate(blobsAdapters, config.blobs);
  const { log, views } = locationsOf(config);
  const opened = await at.open({
    clock,
    secret: () => secretOf(config),
    // The folder is locked where the log or the views are in it too.
    alone: at.folder !== null && (at.folder === log.folder || at.folder === views.folder),
  });
  onStop(() => opened.blobs.close());
  return opened;
}

/** For the thread that publishes or fans out. A bus that is a file is in `dataDir`. */
export async function openBus({ bus, dataDir }: Config, onStop: OnStop, report: Report): Promise<Bus> {
  const opened = await locate(busAdapters, bus).open({ dataDir, report });
  onStop(() => opened.close());
  return opened;
}

/** For the thread that projects: it reads the log and writes the views of the ledger. */
export async function openForProjector(
  config: Config,
  report?: Report,
): Promise<{ log: EventLog; views: ViewWriter; state: State }> {
  const { log, views } = locationsOf(config);
  return {
    log: await log.open({ mode: 'reader', report }),
    views: await views.openWriter('ledger'),
    state: await views.openState({ thread: false }),
  };
}

/** For the thread of the publisher and the dispatcher. A log with a single writer cannot append here. */
export async function openForWebhooks(
  config: Config,
  report?: Report,
): Promise<{ log: EventLog; writer: ViewWriter; reader: ViewReader; state: State }> {
  const { log, views } = locationsOf(config);
  return {
    log: await log.open({ mode: 'reader', report }),
    writer: await views.openWriter('outbox'),
    reader: await views.openReader('outbox'),
    state: await views.openState({ thread: false }),
  };
}

/** `thread`: writes must not block the caller's thread. */
export function openDeliveries(
  { views }: Pick<Config, 'views'>,
  options: { thread: boolean },
): Promise<Deliveries> {
  return locate(viewsAdapters, views).openDeliveries(options);
}

/** For the command line, beside a running server. Null where no server has ever opened the state. */
export async function openExistingState({ views }: Pick<Config, 'views'>): Promise<State | null> {
  const at = locate(viewsAdapters, views);
  return at.hasState() ? at.openState({ thread: false }) : null;
}

/** The location of a log or a store of views, without its password. */
export function describeStore(url: StoreUrl): string {
  return locate<{ shown: string }>([...logAdapters, ...viewsAdapters], url).shown;
}

/** False for a bus that serves one process only: see the port. */
export function busCrossesProcesses({ bus }: Pick<Config, 'bus'>): boolean {
  return locate(busAdapters, bus).crossesProcesses;
}

function locationsOf({ events, views }: Pick<Config, 'events' | 'views'>) {
  const log = locate(logAdapters, events);
  return {
    // Upcasting is here, where every log is opened: no reader sees an event of an older version.
    log: { ...log, open: async (options) => upcastLog(await log.open(options)) } satisfies LogLocation,
    views: locate(viewsAdapters, views),
  };
}

/** Locks every folder once, by its real path: two paths may lead to the same folder. */
async function lockFolders(
  folders: readonly (string | null)[],
  onStop: OnStop,
): Promise<ReadonlyMap<string, FolderLock>> {
  const locks = new Map<string, FolderLock>();
  for (const folder of folders) {
    if (folder === null) continue;
    mkdirSync(folder, { recursive: true });
    const path = realpathSync(folder);
    if (locks.has(path)) continue;
    const { lockFolder } = await import('./sqlite/folder-lock.js');
    const lock = lockFolder(path);
    onStop(() => lock.release());
    locks.set(path, lock);
  }
  return locks;
}

/** Refuses a start before anything is opened: threads open some of the files, and a thread that fails starts again. */
async function refuseNewerFolders(folders: readonly (string | null)[]): Promise<void> {
  for (const folder of new Set(folders)) {
    if (folder !== null) (await import('./sqlite/refuse-newer-files.js')).refuseNewerFiles(folder);
  }
}
