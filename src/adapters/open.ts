/** Which adapter a configuration asks for. */
import { mkdirSync, realpathSync } from 'node:fs';
import type { Config } from '../config.js';
import type { EventLog, State, ViewReader, ViewWriter } from '../core/ports.js';
import { lockFolder, type FolderLock } from './lock.sqlite.js';
import { openSqliteLog } from './log.sqlite.js';
import { openSqliteState } from './state.sqlite.js';
import { openSqliteViewReader, openSqliteViewWriter } from './views.sqlite.js';

/** Takes what has to be closed, each as soon as it is open: a start that fails half-way closes what it had. */
export type OnStop = (close: () => Promise<void> | void) => void;

type Opened = {
  log: EventLog;
  views: ViewReader;
  state: State;
  /** No other process can have these open: leases and reservations of an earlier start are void. */
  alone: boolean;
};

/** For the thread that answers requests: it writes the log and State, and reads the views. @throws Error why not. */
export async function openForApi(config: Config, onStop: OnStop): Promise<Opened> {
  const locks = foldersOf(config).map((folder) => {
    const lock = lockFolder(folder);
    onStop(() => lock.release());
    return lock;
  });
  const lock = locks[0] as FolderLock;
  const log = await openSqliteLog({ folder: config.eventsFolder, mode: 'writer', lock });
  onStop(() => log.close());
  const views = openSqliteViewReader({ folder: config.viewsFolder });
  onStop(() => views.close());
  const state = openSqliteState({ folder: config.viewsFolder, thread: true });
  onStop(() => state.close());
  return { log, views, state, alone: true };
}

/** For the thread that projects: it reads the log and writes the views. */
export async function openForProjector(
  config: Config,
): Promise<{ log: EventLog; views: ViewWriter; state: State }> {
  return {
    log: await openSqliteLog({ folder: config.eventsFolder, mode: 'reader' }),
    views: openSqliteViewWriter({ folder: config.viewsFolder }),
    state: openSqliteState({ folder: config.viewsFolder, thread: false }),
  };
}

/** That of the log first. One folder by two names is one. */
function foldersOf({ eventsFolder, viewsFolder }: Config): string[] {
  const folders = [eventsFolder, viewsFolder].map((folder) => {
    mkdirSync(folder, { recursive: true });
    return realpathSync(folder);
  });
  return [...new Set(folders)];
}
