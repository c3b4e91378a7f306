/** Imports report files as one run: `testledger import`, and the second half of `testledger run`. */
import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TestledgerError, type Client } from '../../client/index.js';
import { MOST_ATTEMPTS_TRIED, readCiEnvironment } from '../../client/ci/ci-environment.js';
import type { Masker } from '../../client/masking/masker.js';
import { codeOwners } from '../../importers/code-owners.js';
import type { ImportOptions } from '../../importers/entry.js';
import { ImportError } from '../../importers/import-error.js';
import { findReports, type FoundReports } from '../../importers/import-files.js';
import { SpoolFault } from '../../importers/spool.js';
import { limits } from '../../limits.js';
import { limitHeapGrowth } from '../../memory/limit-heap-growth.js';
import { CliError, failWith } from '../errors.js';
import { projectId } from '../api.js';
import { asLogText } from '../../domain/text/harmless.js';
import { describeRun, type RunDescription, type RunFlags } from './describe-run.js';
import { openCalls, type Calls } from './calls.js';
import { sendReports, type Sent } from './send-reports.js';
import { survey, type Survey } from './survey.js';

export type WantedImport = {
  run: RunFlags;
  /** Whether this import is the last one of a run without shards. */
  complete: boolean;
  /** Import the whole results of broken files, and the other files. */
  partial: boolean;
  strict: boolean;
  output: NonNullable<ImportOptions['output']>;
  pathPrefix: string | undefined;
  /** Without it, the CODEOWNERS file of the checkout, if there is one. */
  ownerFile: string | undefined;
  /** Without it, the folder of each report, and no file that a test only named in its output. */
  attachmentsRoot: string | undefined;
  masker: Masker;
};

export type Imported = PreparedImport & {
  /** Null where nothing was sent. */
  sent: (Omit<Sent, 'repeated'> & { url: string }) | null;
  why: 'sent' | 'dry_run' | 'no_results' | 'imported_before';
};

/** The paths and globs as files. @throws CliError `no_reports` where one of them names no file or no report */
export async function reportFiles(patterns: readonly string[]): Promise<FoundReports> {
  // Before all else of an import: the names of 100,000 files are found beside as much garbage.
  limitHeapGrowth();
  try {
    return await findReports(patterns);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    failWith('no_reports', error.message, { cause: error });
  }
}

/** What can be said of an import before anything is sent, and its results. */
export type PreparedImport = {
  survey: Survey;
  /** Of the folders that were named. */
  left: FoundReports['left'];
  description: RunDescription;
  calls: Calls;
  masker: Masker;
};

/**
 * Reads all files once, and keeps their results until the work is done.
 * @throws CliError `report_broken`, `usage`, `file_unreadable`, `command_failed`; what the work throws
 */
export async function withImport<T>(
  found: FoundReports,
  wanted: WantedImport,
  work: (prepared: PreparedImport) => Promise<T>,
): Promise<T> {
  const calls = openCalls();
  try {
    return await work(await prepare(found, wanted, calls));
  } catch (error) {
    if (!(error instanceof SpoolFault)) throw error;
    failWith('command_failed', error.message, { cause: error });
  } finally {
    calls.close();
  }
}

async function prepare(
  { files, left }: FoundReports,
  wanted: WantedImport,
  calls: Calls,
): Promise<PreparedImport> {
  await checkRoot(wanted.attachmentsRoot);
  const ci = readCiEnvironment();
  const importing = await importOptions(wanted, ci.root);
  const found = await survey(files, importing, calls);
  if (found.errors.length > 0 && !wanted.partial) failBroken(found);
  if (found.counts.results > limits.itemsPerRun)
    failWith(
      'usage',
      `a run takes at most ${limits.itemsPerRun} results, and these are ${found.counts.results}`,
    );
  // Two runs without results are two.
  const contentKey = found.counts.results === 0 ? `empty ${randomUUID()}` : calls.contentKey();
  const description = describeRun(wanted.run, ci, found, contentKey);
  return {
    survey: found,
    left,
    description: withoutSecrets(description, wanted.masker),
    calls,
    masker: wanted.masker,
  };
}

/** The run key of a flag or of the build joins this run with others, and the environment tells it from them: no test says them. */
function withoutSecrets({ label, metadata, ...run }: RunDescription, masker: Masker): RunDescription {
  const { environment } = metadata;
  return {
    ...run,
    label: label === null ? null : masker.text(label),
    metadata: { ...masker.metadata(metadata), environment },
  };
}

export type Target = {
  client: Client;
  /** Of the server. */
  url: string;
  /** The id or the name. */
  project: string;
  onSent: (results: number, total: number) => void;
  /** Whether what made the reports broke off, so that results may be missing; false by default. */
  brokeOff?: boolean;
};

/** Sends what was prepared, if that is anything. @throws CliError; TestledgerError */
export async function sendImport(
  prepared: PreparedImport,
  wanted: WantedImport,
  target: Target,
): Promise<Imported> {
  if (prepared.survey.counts.results === 0) return { ...prepared, sent: null, why: 'no_results' };
  return sendPrepared(prepared, wanted, target);
}

/** Sends what was prepared, also a run without results. @throws CliError; TestledgerError */
export async function sendPrepared(
  prepared: PreparedImport,
  wanted: WantedImport,
  target: Target,
): Promise<Imported & { sent: object }> {
  const { client, url, onSent } = target;
  const project = await projectId(client, target.project);
  let { description } = prepared;
  for (;;) {
    try {
      const { repeated, ...sent } = await sendReports({
        ...prepared,
        description,
        client,
        project,
        complete: wanted.complete,
        brokeOff: target.brokeOff ?? false,
        attachmentsRoot: wanted.attachmentsRoot,
        onSent: (results) => onSent(results, prepared.survey.counts.results),
      });
      return { ...prepared, description, sent: { ...sent, url }, why: repeated ? 'imported_before' : 'sent' };
    } catch (error) {
      description = nextAttempt(description, error);
    }
  }
}

/**
 * GitLab and others do not number the starts of a job: a shard that is there with other results was started again. The tries
 * begin with the first attempt, so that the same files again find the one that they were sent as. @throws the error otherwise
 */
function nextAttempt(description: RunDescription, error: unknown): RunDescription {
  const { shard, isAttemptKnown } = description;
  const isThere = error instanceof TestledgerError && error.code === 'shard_exists';
  if (!isThere || shard === null || isAttemptKnown || shard.attempt >= MOST_ATTEMPTS_TRIED) throw error;
  return { ...description, shard: { ...shard, attempt: shard.attempt + 1 } };
}

/** Before anything is sent: a wrong folder would be found only by the first file of a result. */
async function checkRoot(root: string | undefined): Promise<void> {
  if (root === undefined) return;
  const facts = await stat(root).catch((error: Error) =>
    failWith('file_unreadable', `--attachments-root: ${error.message}`, { cause: error }),
  );
  if (!facts.isDirectory()) failWith('file_unreadable', `--attachments-root: ${root} is no folder`);
}

/** A wrong glob may name thousands of files that are no reports. */
const MOST_ERRORS = 20;

function failBroken({ errors, files }: Survey): never {
  // A name of a file may have line breaks, and a CI server would run a command at the beginning of a line.
  const shown = errors.slice(0, MOST_ERRORS).map(({ message }) => asLogText(message, 600));
  if (errors.length > MOST_ERRORS) shown.push(`and ${errors.length - MOST_ERRORS} more`);
  const details = errors
    .slice(0, MOST_ERRORS)
    .map(({ code, file, importer, place, detail }) => ({ code, file, importer, place, detail }));
  const advice = errors.every(({ code }) => code === 'cannot_read')
    ? adviceOnUnread(files.length)
    : undefined;
  failWith('report_broken', shown.join('\n'), { details: { files: details }, ...(advice && { advice }) });
}

/** Of a file that cannot be read at all, such as a pipe, nothing is complete. */
function adviceOnUnread(others: number): string {
  return `Nothing was sent.${others > 0 ? ' With --partial, the other files are imported.' : ''}`;
}

async function importOptions(
  { partial, strict, output, pathPrefix, ownerFile, attachmentsRoot, masker }: WantedImport,
  checkout: string | null,
): Promise<ImportOptions> {
  const root = checkout ?? process.cwd();
  const owners = await ownersText(root, ownerFile);
  return {
    partial,
    strict,
    output,
    checkout: root,
    attachmentsInOutput: attachmentsRoot !== undefined,
    masker,
    ...(pathPrefix !== undefined && { pathPrefix }),
    ...(owners !== null && { ownerOf: codeOwners(owners) }),
  };
}

/** Where GitHub, GitLab and Bitbucket look for it. */
const OWNER_FILES = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
  '.bitbucket/CODEOWNERS',
];
/** GitHub takes 3 MB. */
const OWNER_BYTES = 3 * 1024 * 1024;

async function ownersText(root: string, given: string | undefined): Promise<string | null> {
  for (const path of given === undefined ? OWNER_FILES.map((name) => join(root, name)) : [given]) {
    try {
      const facts = await stat(path);
      const { size } = facts;
      // A checkout may have a link to a device in its place, which never ends.
      if (!facts.isFile()) throw new Error(`${path} is no file`);
      if (size > OWNER_BYTES) failWith('usage', `${path} has more than ${OWNER_BYTES} bytes`);
      return await readFile(path, 'utf8');
    } catch (error) {
      if (error instanceof CliError) throw error;
      const { message } = error as NodeJS.ErrnoException;
      if (given !== undefined) failWith('file_unreadable', message, { cause: error });
      // Not at this place.
    }
  }
  return null;
}
