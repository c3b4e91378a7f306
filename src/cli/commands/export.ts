/** `testledger export`: results or runs as a table, in a file or in a folder that later exports add to. */
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ArgumentsCamelCase } from 'yargs';
import { backOffMs } from '../../concurrency/back-off.js';
import { sleep } from '../../concurrency/sleep.js';
import { reasonOf } from '../../errors.js';
import { limitHeapGrowth } from '../../memory/limit-heap-growth.js';
import { columnsOf, type TableName } from '../../queries/tables/columns.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { CliError, failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { readCsv } from '../export/csv-rows.js';
import { requestTable } from '../export/request-table.js';
import { openTableFolder, readFolderState, type FolderState, type Format } from '../export/table-folder.js';
import { projectFlag, serverFlags, type ProjectFlag, type ServerFlags } from '../server.js';

type Flags = ServerFlags &
  ProjectFlag & {
    table: TableName;
    format: Format;
    to: string;
    from: string | undefined;
    'to-position': string | undefined;
    contents: boolean;
    resume: boolean;
  };

export const exportCommand = command<Flags>({
  command: 'export <table>',
  describe: 'Write results or runs as a table for analysts, as they are at a position',
  flags: (parser) =>
    projectFlag(serverFlags(parser))
      .positional('table', {
        choices: ['results', 'runs'] as const,
        demandOption: true,
        describe: 'The table',
      })
      .option('format', {
        choices: ['parquet', 'csv'] as const,
        default: 'parquet' as const,
        describe: 'The form',
      })
      .option('to', {
        type: 'string',
        demandOption: true,
        describe: 'A folder, which gets files by month; or a file that ends with .parquet or .csv',
      })
      .option('from', { type: 'string', describe: 'Only what changed behind this position' })
      .option('to-position', {
        type: 'string',
        describe: 'As it was at this position; the newest without it',
      })
      .option('contents', {
        type: 'boolean',
        default: false,
        describe: 'Add messages and metadata of results',
      })
      .option('resume', {
        type: 'boolean',
        default: false,
        describe: 'Go on in the folder: finish what was cut off, else add what is new',
      }),
  run: async (flags, terminal) => {
    const { table, to, resume, from } = flags;
    const isFile = /\.(csv|parquet)$/.test(to);
    if (resume && isFile) failWith('usage', '--resume needs a folder');
    if (resume && from !== undefined)
      failWith('usage', '--resume goes on where the folder ends, without --from');
    const done = isFile ? await toFile(flags) : await toFolder(flags);
    terminal.note(`exported ${table} up to ${done.position} to ${to}`);
    terminal.result({ ...done, to }, []);
    return exitCodes.ok;
  },
});

type Given = ArgumentsCamelCase<Flags>;

async function toFile(flags: Given): Promise<{ position: string }> {
  const { table, to, contents, from = '', toPosition = null } = flags;
  const format = to.endsWith('.csv') ? 'csv' : 'parquet';
  const project = await projectOf(flags);
  const { position, bytes } = await requestTable(flags, {
    table,
    format,
    after: from,
    until: toPosition,
    project,
    contents,
  });
  // A cut leaves no file that looks whole.
  await pipeline(bytes, createWriteStream(`${to}.part`, { flush: true })).catch((error: unknown) =>
    failWith('server_failed', `the answer broke off: ${reasonOf(error)}`, { cause: error }),
  );
  await rename(`${to}.part`, to);
  return { position };
}

async function toFolder(flags: Given): Promise<{ position: string; rows: number }> {
  limitHeapGrowth();
  let state = await stateOf(flags);
  let [rows, failures] = [0, 0];
  for (;;) {
    try {
      for await (const step of writeRest(flags, state)) {
        state = step.state;
        rows += step.rows;
        failures = 0;
      }
      return { position: state.after, rows };
    } catch (error) {
      failures += 1;
      // What is in the folder stays: the next request goes on behind it.
      if (failures === MOST_FAILURES || !mayHelp(error)) throw error;
      await sleep(backOffMs(failures, BACK_OFF), new AbortController().signal);
    }
  }
}

/** In a row: about a minute, in which a server may restart. */
const MOST_FAILURES = 8;
const BACK_OFF = { firstMs: 500, longestMs: 15_000 };

function mayHelp(error: unknown): boolean {
  return (
    !(error instanceof CliError) || error.code === 'server_unreachable' || error.code === 'server_failed'
  );
}

/** @throws CliError `file_exists` for a folder that has a table, without --resume; `usage` for one that has another table */
async function stateOf({ to, resume, from = '', toPosition, ...flags }: Given): Promise<FolderState> {
  const { table, format, contents } = flags;
  const project = await projectOf(flags);
  const found = await readFolderState(to).catch((error: unknown) =>
    failWith('file_unreadable', reasonOf(error)),
  );
  const wanted = { table, format, project, contents };
  if (found === null) return { ...wanted, after: from, until: toPosition ?? null };
  if (!resume) failWith('file_exists', `${to} has a table already`);
  const { after, until, ...had } = found;
  if (JSON.stringify(had) !== JSON.stringify(wanted))
    failWith('usage', `${to} has another table: ${JSON.stringify(had)}`);
  // One that was cut off ends at its own position first.
  return { ...had, after, until: until !== null && until > after ? until : (toPosition ?? null) };
}

/** So many rows are in memory at most as the files of a step have, already compressed. */
const STEP_ROWS = 100_000;

/** Writes the rows that the folder lacks, in steps that survive a kill. */
async function* writeRest(
  flags: Given,
  state: FolderState,
): AsyncGenerator<{ state: FolderState; rows: number }, void> {
  const { position: until, bytes } = await requestTable(flags, {
    ...state,
    table: flags.table,
    format: 'csv',
  });
  const types = new Map(columnsOf(flags.table, flags.contents).map(({ name, type }) => [name, type]));
  const { columns, rows } = await readCsv(bytes, (name) => types.get(name) ?? 'text');
  const at = columns.findIndex(({ name }) => name === 'position');
  const folder = openTableFolder(flags.to, state.format, columns);
  let after = state.after;
  for await (const some of rows) {
    for (const row of some) {
      // Rows of one position stay together: an export goes on behind a position.
      if (folder.unsaved() >= STEP_ROWS && row[at] !== after) {
        const step = { state: { ...state, after, until }, rows: folder.unsaved() };
        await folder.save(step.state);
        yield step;
      }
      folder.add(row);
      after = String(row[at]);
    }
  }
  const last = { state: { ...state, after: until, until }, rows: folder.unsaved() };
  await folder.save(last.state);
  yield last;
}

/** The project restricts only where the flag names it, as for events. */
async function projectOf({
  project,
  ...flags
}: Pick<Given, 'project' | 'url' | 'apiKey'>): Promise<string | null> {
  return project === undefined ? null : withClient(flags, (client) => projectId(client, project));
}
