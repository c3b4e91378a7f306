/** Opens the stores that the command line copies: for a backup, and from one log into another. */
import { existsSync, realpathSync } from 'node:fs';
import type { Config } from '../config.js';
import type { Contents } from '../ports/contents.js';
import type { EventLog } from '../ports/event-log.js';
import type { LogTarget } from '../ports/log-target.js';
import type { CopyTo, LogLocation } from './adapter.js';
import type { BlobsCopy } from './files/copy-blobs.js';
import { copySecret } from './files/secret-key.js';
import { blobsAdapters, locate, logAdapters, viewsAdapters } from './registry.js';
import type { OnStop } from './adapter.js';
import { locationsOf } from './locations.js';
import { lockFolders, refuseNewerFolders } from './lock-folders.js';

/** The stores that a backup copies, beside a running server. */
export type BackupSources = {
  /** All copy into a folder, and return the bytes of the copy. */
  copyState: NonNullable<CopyTo>;
  copyLog: NonNullable<CopyTo>;
  /** Null where a server holds the files. */
  openBlobs(to: string): Promise<BlobsCopy | null>;
  /** The URL or the folder of the files, without a password. */
  blobsShown: string;
  /** False where the secret is in the configuration, and not in a file. */
  copySecret(to: string): Promise<boolean>;
};

/** For the command line. Opens nothing. @throws Error where the log or the state is on a server. */
export function openBackupSources(config: Config): BackupSources {
  const { log, views } = locationsOf(config);
  const blobs = locate(blobsAdapters, config.blobs);
  if (log.copyTo === null || views.copyStateTo === null) {
    const shown = log.copyTo === null ? log.shown : views.shown;
    throw new Error(`${shown} is on a server: back it up with the tools of that server (docs/operations.md)`);
  }
  return {
    copyState: views.copyStateTo,
    copyLog: log.copyTo,
    openBlobs: async (to) => (await blobs.openCopy?.(to)) ?? null,
    blobsShown: blobs.shown,
    copySecret: async (to) => {
      if (config.secretKey !== null) return false;
      await copySecret(config.dataDir, to);
      return true;
    },
  };
}

/** The log of a backup, for reading. */
export function openCopiedLog(folder: string): Promise<EventLog> {
  return locationsOf({ events: `file:${folder}`, views: `file:${folder}` }).log.open({ mode: 'reader' });
}

/**
 * Opens two logs, to copy one into the other. The source may have a running server, the target may not. Events come as they
 * are stored. @throws Error for a wrong URL, for a source without a log, and for two names of one log.
 */
export async function openLogCopy(
  urls: { from: string; to: string; views: string | null },
  onStop: OnStop,
): Promise<{ source: EventLog; target: LogTarget; contents: CopiedContents }> {
  const [from, to] = [locate(logAdapters, urls.from), locate(logAdapters, urls.to)];
  if (!from.exists()) throw new Error(`there is no log in ${from.shown}`);
  const [one, other] = [from, to].map(({ folder, shown }) =>
    folder !== null && existsSync(folder) ? realpathSync(folder) : shown,
  );
  if (one === other) throw new Error(`${from.shown} and ${to.shown} are the same log`);
  await lockFolders([to.folder], onStop);
  await refuseNewerFolders([from.folder, to.folder]);
  const source = await from.open({ mode: 'reader' });
  onStop(() => source.close());
  const target = await to.openTarget();
  onStop(() => target.close());
  return { source, target, contents: await openCopiedContents({ from, to }, urls.views, onStop) };
}

/** `beside`: both logs are on servers, and their contents stay where they are, beside the state. */
export type CopiedContents = { from: Contents; to: Contents } | 'beside' | 'unknown';

/** Those of a log on a server are beside the state at `views`; `unknown` without it. */
async function openCopiedContents(
  { from, to }: { from: LogLocation; to: LogLocation },
  views: string | null,
  onStop: OnStop,
): Promise<CopiedContents> {
  if (from.openContents === null && to.openContents === null) return 'beside';
  const isInBoth = from.openContents !== null && to.openContents !== null;
  if (views === null && !isInBoth) return 'unknown';
  const opened = async ({ openContents }: LogLocation) => {
    if (openContents !== null) return openContents();
    const at = locate(viewsAdapters, views!);
    await (await at.openState()).close();
    return at.openContents();
  };
  const source = await opened(from);
  onStop(() => source.close());
  const target = await opened(to);
  onStop(() => target.close());
  return { from: source, to: target };
}
