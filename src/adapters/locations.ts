/** Where a configuration says that the stores are. */
import type { Config } from '../config.js';
import { chunkedLog } from '../log/chunked-log.js';
import { upcastLog } from '../log/upcast-log.js';
import type { LogLocation } from './adapter.js';
import { locate, logAdapters, viewsAdapters } from './registry.js';

export function locationsOf({ events, views }: Pick<Config, 'events' | 'views'>) {
  const log = locate(logAdapters, events);
  const open: LogLocation['open'] = async (options) => chunkedLog(await log.open(options));
  return {
    storedLog: { ...log, open } satisfies LogLocation,
    // Upcasting is here, where every log is opened: only a fold sees an event of an older version.
    log: { ...log, open: async (options) => upcastLog(await open(options)) } satisfies LogLocation,
    views: locate(viewsAdapters, views),
  };
}
