/** `testledger backup`: copies everything that a restore needs into a new folder, while the server runs. */
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openCopiedLog, openBackupSources, type BackupSources } from '../../adapters/open-copies.js';
import type { BlobsCopy } from '../../adapters/files/copy-blobs.js';
import { makeFolder, syncFolder } from '../../adapters/files/durable-files.js';
import { leaveNote } from '../../audit/notes.js';
import { OPERATOR_TEAM } from '../../commands/teams.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { Config } from '../../config.js';
import { parseStreamName } from '../../domain/event.js';
import type { LedgerEvent } from '../../domain/events.js';
import type { BlobPlace } from '../../ports/blobs.js';
import { command } from '../command.js';
import { onStores } from '../on-stores.js';
import { exitCodes } from '../exit-codes.js';
import { inspecting } from '../inspecting.js';

type Print = (line: string) => void;

export const backupCommand = command<{ folder: string }>({
  command: 'backup <folder>',
  describe: 'Copy log, state and files into a new folder, while the server runs',
  flags: (parser) =>
    parser.positional('folder', {
      type: 'string',
      demandOption: true,
      describe: 'An empty folder, or one that does not exist',
    }),
  run: ({ folder }, terminal) =>
    onStores(async (config) => {
      const done = await backup(config, folder, terminal.note);
      const subject = { type: 'server', id: 'server' };
      const note = { act: 'backup_made', subject, of: { team: OPERATOR_TEAM } } as const;
      await inspecting(config, ({ state }) => leaveNote(state, note));
      const named = done.missing.slice(0, 10).join(', ');
      const faults = [
        `${done.missing.length} listed artifacts have no bytes, on the server either: ${named}`,
        `${done.folder} is complete but for them`,
      ];
      terminal.result(done, done.missing.length === 0 ? [`done: ${done.folder}`] : faults);
      return done.missing.length === 0 ? exitCodes.ok : exitCodes.failed;
    }),
});

/** The copies of the databases are here until the backup is complete. A restore finds no log in what was cut off. */
const UNFINISHED = 'unfinished';
const FILES_AT_ONCE = 16;
const EVENTS_PER_PAGE = 1_000;
const PROGRESS_EVERY = 10_000;
/** Each round meets only what was deleted during the short round before it. */
const MOST_ROUNDS = 5;

/** `missing`: the ids of listed artifacts without bytes. */
type Backup = { folder: string; missing: readonly string[] };

/**
 * Backs up state, log, and then the files of artifacts, in this order (docs/operations.md).
 * @throws Error when the folder is not empty, a store is on a server, or a copy fails or is damaged.
 */
async function backup(config: Config, target: string, print: Print): Promise<Backup> {
  const folder = resolve(target);
  const sources = openBackupSources(config);
  await makeEmpty(folder);
  const work = join(folder, UNFINISHED);
  const blobs = await sources.openBlobs(folder);
  if (blobs === null) print(`not in this backup: the files of artifacts, which are in ${sources.blobsShown}`);

  const missing = await copyConsistently(sources, { work, blobs, print });
  await keepSecret(sources, folder, print);
  // The log comes last: with it, the folder is a backup.
  for (const name of ['state.sqlite', 'events.sqlite']) await rename(join(work, name), join(folder, name));
  await rmdir(work);
  await syncFolder(folder);
  return { folder, missing };
}

/** @throws Error when there is something in the folder: an earlier backup must not be mixed with this one. */
async function makeEmpty(folder: string): Promise<void> {
  await makeFolder(folder);
  if ((await readdir(folder)).length > 0) {
    throw new Error(`the folder ${folder} is not empty; name a folder that is empty or does not exist`);
  }
}

type Copying = { work: string; blobs: BlobsCopy | null; print: Print };

/**
 * Copies until every artifact that the copied log lists has its bytes in the copy. An artifact may be deleted between
 * the copy of the log and the copy of its file. Then the log is copied again, and lists it no more. Returns the
 * artifacts that the log still lists although they have no bytes.
 */
async function copyConsistently(sources: BackupSources, copying: Copying): Promise<readonly string[]> {
  const { work, blobs, print } = copying;
  let before: readonly string[] | null = null;
  for (let round = 1; ; round += 1) {
    // SQLite copies into new files only.
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { mode: 0o700 });
    // The order matters: a state that is newer than the log would skip webhooks, and a log that is newer than the files
    // would list artifacts without bytes.
    for (const [name, copy] of [
      ['state.sqlite', sources.copyState],
      ['events.sqlite', sources.copyLog],
    ] as const) {
      print(`${name}: copying`);
      const bytes = await copy(work);
      print(`${name}: ${megabytes(bytes)} copied and checked`);
    }
    if (blobs === null) return [];
    const missing = await takeFiles(work, blobs, print);
    const isLost = before !== null && missing.every((artifact) => before?.includes(artifact));
    if (isLost || missing.length === 0 || round === MOST_ROUNDS) return missing;
    print(
      `blobs: ${missing.length} are missing; copying again, because they may have been deleted meanwhile`,
    );
    before = missing;
  }
}

/** Brings the files of all artifacts that a copied log lists into the copy. Returns the artifacts without a file. */
async function takeFiles(work: string, blobs: BlobsCopy, print: Print): Promise<readonly string[]> {
  const log = await openCopiedLog(work);
  const missing = new Set<string>();
  const counts = { there: 0, linked: 0, copied: 0 };
  let printed = 0;
  try {
    const filter = { types: ['ArtifactConfirmed', 'ArtifactDeleted'] };
    for (let after = ''; ;) {
      const page = await log.readAll({ after, limit: EVENTS_PER_PAGE, filter });
      await forEachConcurrent(lastOfEach(page.events as ArtifactFate[]), FILES_AT_ONCE, take);
      const done = counts.there + counts.linked + counts.copied;
      if (done >= printed + PROGRESS_EVERY) print(`blobs: ${(printed = done)} files so far`);
      if (page.caughtUp) break;
      after = page.position;
    }
  } finally {
    await log.close();
  }
  const { there, linked, copied } = counts;
  print(`blobs: ${linked} files linked, ${copied} copied, ${there} there already`);
  return [...missing];

  async function take(event: ArtifactFate): Promise<void> {
    const { artifact_id: artifact } = event.data;
    const place: BlobPlace = { team: parseStreamName(event.stream).team, artifact };
    if (event.type === 'ArtifactDeleted') {
      missing.delete(artifact);
      return blobs.remove(place);
    }
    const taken = await blobs.take(place, event.data.stored_as);
    if (taken === 'missing') missing.add(artifact);
    else counts[taken] += 1;
  }
}

type ArtifactFate = LedgerEvent<'ArtifactConfirmed' | 'ArtifactDeleted'>;

/** The last event of each artifact, so that the rest can be done in any order. */
function lastOfEach(events: readonly ArtifactFate[]): ArtifactFate[] {
  return [...new Map(events.map((event) => [event.data.artifact_id, event])).values()];
}

async function keepSecret(sources: BackupSources, folder: string, print: Print): Promise<void> {
  const kept = await sources.copySecret(folder);
  print(kept ? 'secret.key: copied' : 'not in this backup: SECRET_KEY, which is in the environment');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
