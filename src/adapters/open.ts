/** Which adapter a configuration asks for. Heavy clients are imported only where they are used. */
import type { Config } from '../config.js';
import type { EventLog, State, ViewReader, ViewWriter } from '../core/ports.js';
import { lockFolder, type FolderLock } from './lock.sqlite.js';
import { openSqliteLog } from './log.sqlite.js';
import { openSqliteState } from './state.sqlite.js';
import { openSqliteViewReader, openSqliteViewWriter } from './views.sqlite.js';

/** Holds the folders of the embedded adapters for this process. @throws Error when another server has one. */
export function holdFolders(config: Config): FolderLock[] {
  return [...new Set([config.eventsFolder, config.viewsFolder])].map(lockFolder);
}

/** For the thread that answers requests: it writes the log and State, and reads the views. */
export async function openForApi(
  config: Config,
  locks: readonly FolderLock[],
): Promise<{ log: EventLog; views: ViewReader; state: State }> {
  const lock = locks.find(({ folder }) => folder === config.eventsFolder) ?? locks[0]!;
  return {
    log: await openSqliteLog({ folder: config.eventsFolder, mode: 'writer', lock }),
    views: openSqliteViewReader({ folder: config.viewsFolder }),
    state: openSqliteState({ folder: config.viewsFolder, thread: true }),
  };
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
