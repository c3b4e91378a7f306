/** A server with only the routes of files, on a folder of its own. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { openAdmission } from '../../../src/admission/admission.js';
import { openFolderBlobs } from '../../../src/adapters/files/blobs.js';
import { blobUrls } from '../../../src/artifacts/blob-urls.js';
import type { BlobFiles } from '../../../src/artifacts/blob-files.js';
import { systemClock, type Clock } from '../../../src/clock.js';
import { deriveKey } from '../../../src/secret-key/derive-key.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import { createApp } from '../../../src/http/app.js';
import { blobRoutes } from '../../../src/http/blobs/routes.js';
import type { UploadPace } from '../../../src/http/blobs/upload.js';
import { openUnmaskedFiles } from '../../../src/redaction/unmasked-files.js';
import { listen } from '../../../src/http/server.js';
import { idleMetrics } from '../monitoring/idle-metrics.js';

export type BlobServer = {
  url: string;
  folder: string;
  blobs: Blobs;
  files: BlobFiles;
  /** The paths of all files below the folder, unfinished ones too. */
  filesThere(): Promise<string[]>;
  stop(): Promise<void>;
};

export type BlobServerOptions = {
  clock?: Clock;
  pace?: UploadPace;
  admitted?: Parameters<typeof openAdmission>[0];
  withinMs?: number;
  apartAt?: string;
  /** The texts that are searched for. */
  unmasked?: (team: string) => readonly string[];
  logger?: Logger;
};

const NOTHING_HIDDEN = { generation: 0, all: [], of: () => [], purged: new Set<string>() };

export async function startBlobServer(options: BlobServerOptions = {}): Promise<BlobServer> {
  const {
    clock = systemClock,
    pace,
    admitted,
    withinMs,
    apartAt,
    unmasked = () => [],
    logger = pino({ level: 'silent' }),
  } = options;
  const folder = await mkdtemp(join(tmpdir(), 'testledger-blobs-'));
  const urls = blobUrls([deriveKey('of the suites alone', 'blob-urls')], clock);
  const { blobs, files } = await openFolderBlobs({ folder, urls, clock, alone: true });
  const { koa } = createApp({
    surfaces: [],
    open: blobRoutes({
      files,
      clock,
      ...(pace && { pace }),
      admission: openAdmission(admitted),
      mayGive: openUnmaskedFiles({ current: () => ({ ...NOTHING_HIDDEN, unmasked }) }, blobs),
      ...(apartAt !== undefined && { apart: { origin: apartAt, onLoopback: false } }),
    }),
    metrics: idleMetrics(),
    logger,
  });
  const listening = await listen(koa, { host: '127.0.0.1', port: 0, ...(withinMs && { withinMs }) });
  return {
    url: listening.url,
    folder,
    blobs,
    files,
    async filesThere() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    },
    async stop() {
      await listening.stop(0);
      await rm(folder, { recursive: true });
    },
  };
}
