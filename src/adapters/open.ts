/** Opens the stores that a configuration names. Each adapter loads its client only when a store of it is opened. */
import { existsSync } from 'node:fs';
import type { BlobFiles } from '../artifacts/blob-files.js';
import type { Clock } from '../clock.js';
import type { Config, StoreUrl } from '../config.js';
import { openContentHash } from '../secret-key/content-hash.js';
import { visitingLost } from '../commands/content-visits.js';
import { contentsLog } from '../log/contents-log.js';
import { maskedLog } from '../log/masked-log.js';
import { openMasks, type Masks } from '../log/masks.js';
import { withoutPurged } from '../log/purged-views.js';
import { openSealer } from '../secret-key/secret-keys.js';
import { upcastLog } from '../log/upcast-log.js';
import type { Blobs } from '../ports/blobs.js';
import type { Broadcast, BroadcastOptions } from '../ports/broadcast.js';
import type { Contents } from '../ports/contents.js';
import type { Deliveries } from '../ports/deliveries.js';
import type { EventLog } from '../ports/event-log.js';
import type { Relay, RelayOptions } from '../ports/relay.js';
import type { State } from '../ports/state.js';
import type { ViewReader, ViewWriter } from '../ports/views.js';
import type { OpenContents, Report } from './adapter.js';
import { secretKeysOf } from './files/secret-key.js';
import { closeToOthers } from './shared/file-modes.js';
import type { OnStop } from './adapter.js';
import { locationsOf } from './locations.js';
import { lockFolders, refuseNewerFolders } from './lock-folders.js';
import { blobsAdapters, busAdapters, locate, logAdapters, viewsAdapters } from './registry.js';

export { connectToWriter, useWriter, type ConnectWriter } from './sqlite/writer.js';
export type { Report };

/** Receives a sentence for the operator about something that was put right, or that they should put right. */
export type Notice = (text: string) => void;

export type Stores = {
  log: EventLog;
  /** The same log, with the events as they are stored. */
  storedLog: EventLog;
  views: ViewReader;
  /** Reads the history. */
  historyViews: ViewReader;
  state: State;
};

/**
 * For the thread that answers requests: it writes the log and the state, and reads the views. @throws Error that
 * says why it cannot.
 */
export async function openForApi(
  config: Config,
  onStop: OnStop,
  report?: Report,
  notice?: Notice,
): Promise<Stores & { contents: Contents; masks: Masks }> {
  const { storedLog: logAt, views: viewsAt } = locationsOf(config);
  const folders = [logAt.folder, viewsAt.folder];
  await lockFolders(folders, onStop);
  for (const folder of new Set([...folders, locate(blobsAdapters, config.blobs).folder])) {
    if (folder !== null && existsSync(folder)) closeToOthers(folder, notice);
  }
  await refuseNewerFolders(folders);
  await viewsAt.refuseNewer?.();
  const opened = await logAt.open({ mode: 'writer', report });
  onStop(() => opened.close());
  const views = await viewsAt.openReader('records');
  onStop(() => views.close());
  const historyViews = viewsAt.sharesReader ? views : await viewsAt.openReader('history');
  if (historyViews !== views) onStop(() => historyViews.close());
  const state = await viewsAt.openState();
  onStop(() => state.close());
  const { storedLog, masks } = await openMasked(config, opened, state);
  const shown = withoutPurged(views, masks);
  const shownHistory = historyViews === views ? shown : withoutPurged(historyViews, masks);
  // By commands and background work of this thread, and by no other.
  const { log, contents } = await openContents(config, { storedLog, state, report }, onStop, {
    forgetsAlone: true,
  });
  return { log, storedLog, views: shown, historyViews: shownHistory, state, contents, masks };
}

/**
 * The bytes of artifacts, and `files` for the routes that serve them, where this server does. Call it after
 * `openForApi`, which locks the folder that holds everything by default.
 */
export async function openBlobs(
  config: Config,
  onStop: OnStop,
  clock: Clock,
): Promise<{ blobs: Blobs; files: BlobFiles | null; filesOrigin: string | null }> {
  const at = locate(blobsAdapters, config.blobs);
  const { log, views } = locationsOf(config);
  const opened = await at.open({
    clock,
    secretKeys: () => secretKeysOf(config),
    // The folder is locked where the log or the views are in it too.
    alone: at.folder !== null && (at.folder === log.folder || at.folder === views.folder),
  });
  onStop(() => opened.blobs.close());
  return { ...opened, filesOrigin: at.origin };
}

/** For the thread that folds the history or fans out. Null without `BUS_URL`. */
export async function openRelay(
  { bus }: Pick<Config, 'bus'>,
  onStop: OnStop,
  options: RelayOptions,
): Promise<Relay | null> {
  if (bus === null) return null;
  const opened = await locate(busAdapters, bus).openRelay(options);
  onStop(() => opened.close());
  return opened;
}

/** For a process that answers HTTP. Null without `BUS_URL`. */
export async function openBroadcast(
  { bus }: Pick<Config, 'bus'>,
  onStop: OnStop,
  options: BroadcastOptions,
): Promise<Broadcast | null> {
  if (bus === null) return null;
  const opened = await locate(busAdapters, bus).openBroadcast(options);
  onStop(() => opened.close());
  return opened;
}

/**
 * For the thread that projects: it reads the log and writes the records. The events come as they are stored:
 * the fold upcasts them, so that an event that it does not know stops one lane and not the feed.
 */
export async function openForProjector(
  config: Config,
  report?: Report,
): Promise<{ storedLog: EventLog; views: ViewWriter; state: State }> {
  const { storedLog, views } = locationsOf(config);
  const state = await views.openState();
  const masked = await openMasked(config, await storedLog.open({ mode: 'reader', report }), state);
  return { storedLog: masked.storedLog, views: await views.openWriter('records'), state };
}

/** For the thread of the past: it only reads the log, with the events as they are stored. */
export async function openForPasts(config: Config): Promise<{ storedLog: EventLog }> {
  const { storedLog, views } = locationsOf(config);
  return openMasked(config, await storedLog.open({ mode: 'reader' }), await views.openState());
}

/** The log without what was redacted in its events. */
async function openMasked(
  config: Config,
  opened: EventLog,
  state: State,
): Promise<{ storedLog: EventLog; masks: Masks }> {
  const masks = openMasks(state, openSealer(await secretKeysOf(config), 'redactions'));
  return { storedLog: maskedLog(opened, masks), masks };
}

/** The contents of the results of a log, and the log with them. */
async function openContents(
  config: Config,
  { storedLog, state, report = () => {} }: { storedLog: EventLog; state: State; report: Report | undefined },
  onStop: OnStop,
  options?: OpenContents,
): Promise<{ log: EventLog; contents: Contents }> {
  const { log: logAt, views: viewsAt } = locationsOf(config);
  const contents = await (logAt.openContents ?? viewsAt.openContents)(options);
  onStop(() => contents.close());
  const hashOf = openContentHash(await secretKeysOf(config));
  const keepsContents = logAt.openContents !== null;
  const lost = keepsContents ? null : visitingLost(state, { clock: () => new Date(), report });
  return { log: upcastLog(contentsLog(storedLog, { contents, hashOf, lost })), contents };
}

/**
 * Empties the write-ahead logs of the files of this server: they may hold what was overwritten. False where somebody reads or
 * writes right now: ask again.
 */
export async function emptyWriteAheadLogs(config: Pick<Config, 'events' | 'views'>): Promise<boolean> {
  const { log, views } = locationsOf(config);
  const folders = new Set([log.folder, views.folder]);
  let areEmpty = true;
  for (const folder of folders) {
    if (folder === null) continue;
    const { emptyLogsIn } = await import('./sqlite/empty-logs.js');
    areEmpty = emptyLogsIn(folder) && areEmpty;
  }
  return areEmpty;
}

/**
 * For the thread of the publisher and the dispatcher. A log with a single writer cannot append here. `storedLog` is the
 * same log, with the events as they are stored, for the projector of the history.
 */
export async function openForWebhooks(
  config: Config,
  report?: Report,
): Promise<{
  log: EventLog;
  storedLog: EventLog;
  writer: ViewWriter;
  reader: ViewReader;
  state: State;
  contents: Contents;
  masks: Masks;
}> {
  const { storedLog: at, views } = locationsOf(config);
  const opened = await at.open({ mode: 'reader', report });
  const writer = await views.openWriter('history');
  const reader = await views.openReader('history');
  const state = await views.openState();
  const { storedLog, masks } = await openMasked(config, opened, state);
  // The thread closes it with the others.
  const { log, contents } = await openContents(config, { storedLog, state, report }, () => {});
  return { log, storedLog, writer, reader: withoutPurged(reader, masks), state, contents, masks };
}

export function openDeliveries({ views }: Pick<Config, 'views'>): Promise<Deliveries> {
  return locate(viewsAdapters, views).openDeliveries();
}

/**
 * Opens the log for a command that appends. Beside running processes on a shared log; on files, only while no server
 * runs. @throws Error that says why it cannot; see `isFolderInUse`.
 */
export async function openLogAlone(config: Config, onStop: OnStop): Promise<EventLog> {
  const { log: at } = locationsOf(config);
  await lockFolders([at.folder], onStop);
  await refuseNewerFolders([at.folder]);
  const log = await at.open({ mode: 'writer' });
  onStop(() => log.close());
  return log;
}

/** Whether an open failed because a server is running on the same folder. */
export function isFolderInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FOLDER_IN_USE';
}

/** For the command line, beside a running server. Null where no server has ever opened the state. */
export async function openExistingState({ views }: Pick<Config, 'views'>): Promise<State | null> {
  const at = locate(viewsAdapters, views);
  return at.hasState() ? at.openState() : null;
}

/** For the command line: reads all stores beside a running server, except contents. Null where no server has ever opened the state. */
export async function openToInspect(config: Config, onStop: OnStop): Promise<Stores | null> {
  const state = await openExistingState(config);
  if (state === null) return null;
  onStop(state.close);
  const { storedLog: logAt, views: viewsAt } = locationsOf(config);
  const storedLog = await logAt.open({ mode: 'reader' });
  onStop(storedLog.close);
  const views = await viewsAt.openReader('records');
  onStop(views.close);
  const historyViews = viewsAt.sharesReader ? views : await viewsAt.openReader('history');
  if (historyViews !== views) onStop(historyViews.close);
  return { log: upcastLog(storedLog), storedLog, views, historyViews, state };
}

/** The location of a log or a store of views, without its password. */
export function describeStore(url: StoreUrl): string {
  return locate<{ shown: string }>([...logAdapters, ...viewsAdapters], url).shown;
}

/** True where this server alone writes the log. */
export function isLogInFiles({ events }: Pick<Config, 'events'>): boolean {
  return locate(logAdapters, events).folder !== null;
}
