/**
 * SQLite files in a folder, `file:<folder>`: the log, the read models, the state and the deliveries of one server process.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Adapter, LogLocation, ViewsLocation, ViewsPart } from '../adapter.js';
import { folderOf } from '../shared/urls.js';

const files = { records: 'records.sqlite', history: 'history.sqlite' } as const satisfies Record<
  ViewsPart,
  string
>;

export const sqliteLog: Adapter<LogLocation> = {
  schemes: ['file'],
  form: 'file:<folder>',
  parse(url) {
    const folder = folderOf(url);
    return {
      shown: folder,
      folder,
      copyTo: async (to) => {
        const { LOG_MIGRATIONS, logFile } = await import('./log/file.js');
        const { copyDatabase } = await import('./copy-database.js');
        return copyDatabase(logFile(folder), logFile(to), LOG_MIGRATIONS);
      },
      open: async ({ mode }) => (await import('./log/log.js')).openSqliteLog({ folder, mode }),
      openContents: async (options) => {
        const { logFile, logStore } = await import('./log/file.js');
        return (await import('./contents/contents.js')).openSqliteContents(
          logStore(logFile(folder)),
          options,
        );
      },
      exists: () => isThere(join(folder, 'events.sqlite')),
      openTarget: async () => (await import('./log/target.js')).openSqliteLogTarget(folder),
    };
  },
};

export const sqliteViews: Adapter<ViewsLocation> = {
  schemes: ['file'],
  form: 'file:<folder>',
  parse(url) {
    const folder = folderOf(url);
    return {
      shown: folder,
      folder,
      sharesReader: false,
      copyStateTo: async (to) => {
        const { stateStore } = await import('./state/store.js');
        const { copyDatabase } = await import('./copy-database.js');
        const { file, migrations } = stateStore(folder);
        return copyDatabase(file, stateStore(to).file, migrations);
      },
      openReader: async (part) =>
        (await import('./views/reader.js')).openSqliteViewReader({ folder, file: files[part] }),
      openWriter: async (part) =>
        (await import('./views/writer.js')).openSqliteViewWriter({ folder, file: files[part] }),
      openState: async () => (await import('./state/state.js')).openSqliteState({ folder }),
      openContents: async (options) => {
        const { stateStore } = await import('./state/store.js');
        return (await import('./contents/contents.js')).openSqliteContents(stateStore(folder), options);
      },
      openDeliveries: async () => (await import('./deliveries/deliveries.js')).openSqliteDeliveries(folder),
      hasState: () => isThere(join(folder, 'state.sqlite')),
    };
  },
};

/** @throws Error where this user may not look: a file that cannot be seen is not a file that is missing. */
function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
