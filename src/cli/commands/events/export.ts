/** `testledger events export`: writes all events up to the present, as NDJSON. */
import { open, type FileHandle } from 'node:fs/promises';
import { reasonOf } from '../../../errors.js';
import { withClient } from '../../api.js';
import { command } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { openProgress } from '../../progress.js';
import type { Terminal } from '../../terminal.js';
import { feedFlags, queryOf, readPage, type FeedEvent, type FeedFlags } from './feed.js';

type Flags = FeedFlags & { out: string | undefined; resume: boolean };

/** An export takes long, and a server may restart meanwhile. */
const REPEAT_FOR_MS = 60_000;

export const exportCommand = command<Flags>({
  command: 'export',
  describe: 'Write all events up to the present as NDJSON, to stdout or a file',
  flags: (parser) =>
    feedFlags(parser).option('out', { type: 'string', describe: 'The file to write' }).option('resume', {
      type: 'boolean',
      default: false,
      describe: 'Continue the file behind its last whole event',
    }),
  run: async ({ after, types, project, out, resume, ...flags }, terminal) => {
    if (resume && out === undefined) failWith('usage', '--resume needs --out');
    if (resume && after !== undefined)
      failWith('usage', '--resume continues where the file ends, without --after');
    const target = out === undefined ? toStdout(terminal) : await toFile(out, resume);
    const from = target.after ?? after ?? null;
    const progress = openProgress(terminal, 'events');
    let [count, position] = [0, from];
    try {
      await withClient(
        flags,
        async (client) => {
          const query = await queryOf(client, { types, project });
          let began: number | null = null;
          for (let isAtPresent = false; !isAtPresent;) {
            const { data, next, caught_up } = await readPage(client, position, query);
            await target.write(data);
            count += data.length;
            position = next || position;
            isAtPresent = caught_up;
            // The log does not say how many events follow. Their times do, from the first one to now.
            const at = data.length === 0 ? null : Date.parse(data.at(-1)!.time);
            if (at === null) continue;
            began ??= Date.parse(data[0]!.time);
            progress.at(at - began, Math.max(Date.now() - began, 1), `${count} events`);
          }
        },
        { repeatForMs: REPEAT_FOR_MS },
      );
    } finally {
      progress.end();
      await target.close();
    }
    const where = out === undefined ? '' : ` to ${out}`;
    terminal.note(`exported ${count} events${where}`);
    if (out !== undefined) terminal.result({ events: count, file: out, position }, []);
    return exitCodes.ok;
  },
});

type Target = {
  /** The position that the file ends with; null for a new one. */
  after: string | null;
  write(events: readonly FeedEvent[]): Promise<void>;
  close(): Promise<void>;
};

function toStdout(terminal: Terminal): Target {
  return {
    after: null,
    async write(events) {
      for (const event of events) await terminal.row(event);
    },
    close: () => Promise.resolve(),
  };
}

/** @throws CliError `file_exists` for a file with content and without `resume`; `file_unreadable` */
async function toFile(path: string, resume: boolean): Promise<Target> {
  const file = await open(path, 'a+').catch((error: unknown) => failWith('file_unreadable', reasonOf(error)));
  try {
    const { size } = await file.stat();
    if (size > 0 && !resume) failWith('file_exists', `${path} is there already`);
    const after = size === 0 ? null : await cutToLastEvent(file, size, path);
    return {
      after,
      write: async (events) => {
        const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('');
        // A full disk.
        await file
          .appendFile(lines)
          .catch((error: unknown) => failWith('command_failed', `${path}: ${reasonOf(error)}`));
      },
      async close() {
        await file.sync();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** An event has at most its metadata and a long error message, each character of them escaped. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Cuts off what a kill left of an event, and returns the position of the last whole one; null where there is none.
 * @throws CliError `file_unreadable` for a file that is not an export
 */
async function cutToLastEvent(file: FileHandle, size: number, path: string): Promise<string | null> {
  const length = Math.min(size, 2 * LONGEST_LINE_BYTES);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const end = buffer.lastIndexOf('\n') + 1;
  const start = end < 2 ? 0 : buffer.lastIndexOf('\n', end - 2) + 1;
  const last = end === 0 ? null : positionIn(buffer.toString('utf8', start, end));
  // Before anything is cut: a person may have named another file by mistake.
  if (last === undefined || (end === 0 && buffer[0] !== OPENING_BRACE)) {
    failWith('file_unreadable', `the last line of ${path} is not an event`);
  }
  await file.truncate(size - length + end);
  return last;
}

const OPENING_BRACE = 0x7b;

function positionIn(line: string): string | undefined {
  try {
    const { position } = JSON.parse(line) as Partial<FeedEvent>;
    return typeof position === 'string' ? position : undefined;
  } catch {
    return undefined;
  }
}
