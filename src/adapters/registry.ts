/**
 * The adapters of each port. A configured URL finds its adapter by its scheme, so an adapter is one folder and one line
 * here for each port that it serves.
 */
import type { Adapter, BlobsLocation, BusLocation, LogLocation, ViewsLocation } from './adapter.js';
import { eventStoreDbLog } from './eventstoredb/adapter.js';
import { folderBlobs } from './files/adapter.js';
import { mongoDbViews } from './mongodb/adapter.js';
import { natsBus } from './nats/adapter.js';
import { s3Blobs } from './s3/adapter.js';
import { sqliteLog, sqliteViews } from './sqlite/adapter.js';

export const logAdapters: readonly Adapter<LogLocation>[] = [sqliteLog, eventStoreDbLog];
export const viewsAdapters: readonly Adapter<ViewsLocation>[] = [sqliteViews, mongoDbViews];
export const blobsAdapters: readonly Adapter<BlobsLocation>[] = [folderBlobs, s3Blobs];
export const busAdapters: readonly Adapter<BusLocation>[] = [natsBus];

/**
 * Finds the adapter for a URL and parses the URL with it. Loads no client and connects to nothing.
 * @throws Error that says what is wrong with the URL, without its password.
 */
export function locate<Location>(adapters: readonly Adapter<Location>[], url: string): Location {
  const [scheme = ''] = url.split(':', 1);
  const adapter = adapters.find(({ schemes }) => schemes.includes(scheme));
  if (adapter === undefined) throw new Error(`must be ${adapters.map(({ form }) => form).join(' or ')}`);
  return adapter.parse(url);
}
