/** The thread that writes the commits of read models into one file. */
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import type { SqliteFile } from '../errors.js';
import { serveWrites } from '../writer/serve-writes.js';
import { commitsOn, openForCommits } from './commits.js';
import { openAnnouncer } from './position-waits.js';

const store = workerData as SqliteFile;
serveWrites({
  open: openForCommits,
  writesOn: commitsOn(store, openAnnouncer(dirname(store.file)).announce),
});
