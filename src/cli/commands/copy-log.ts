/** `testledger copy-log`: copies a log into another one, of any adapter, and verifies the copy. */
import { isFolderInUse } from '../../adapters/open.js';
import { openLogCopy, type CopiedContents } from '../../adapters/open-copies.js';
import { reasonOf } from '../../errors.js';
import { copyContents } from '../../log/copy-contents.js';
import { copyLog, type CopyPhase, type Difference } from '../../log/copy-log.js';
import { openStopList } from '../../stop-list.js';
import { command } from '../command.js';
import { CliError, failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { openProgress, type Progress } from '../progress.js';
import type { Terminal } from '../terminal.js';

type Flags = { from: string; to: string; views: string | undefined };

export const copyLogCommand = command<Flags>({
  command: 'copy-log',
  describe: 'Copy a log into an empty one, or complete a copy, and verify it',
  flags: (parser) =>
    parser
      .option('from', { type: 'string', demandOption: true, describe: 'The source, written as EVENTS_URL' })
      .option('to', { type: 'string', demandOption: true, describe: 'The target, written as EVENTS_URL' })
      .option('views', {
        type: 'string',
        describe: 'VIEWS_URL of the server whose log is on a server: its contents are there',
      }),
  run: async ({ from, to, views = process.env['VIEWS_URL'] ?? null }, terminal) => {
    const { end, contents } = await copied({ from, to, views }, terminal);
    if (end.status === 'differs') {
      const details = { difference: end.difference };
      failWith('copy_differs', sentenceOf(end.difference), { details });
    }
    const { events, copied: now } = end;
    terminal.result({ events, copied: now, verified: true, source_position: end.end, contents }, [
      `done: ${events} events are equal in both logs; ${now} of them were copied now`,
      contentsLine(contents),
    ]);
    return exitCodes.ok;
  },
});

type Copied = number | Exclude<CopiedContents, object>;

function contentsLine(contents: Copied): string {
  if (contents === 'beside') return 'contents: they stay beside the state';
  if (contents === 'unknown')
    return 'contents: NOT copied, because they are beside the state of a server: name it with --views';
  return `contents: ${contents} are in both`;
}

async function copied(urls: Parameters<typeof openLogCopy>[0], terminal: Terminal) {
  const { onStop, stop } = openStopList();
  const progress = phases(terminal);
  try {
    const { source, target, contents } = await openLogCopy(urls, onStop);
    const end = await copyLog(source, target, (phase, { position, end, events }) => {
      progress.of(phase).at(Number(position), Number(end), `${events} events`);
    });
    if (end.status === 'differs' || typeof contents === 'string')
      return { end, contents: contents as Copied };
    return { end, contents: await copyContents(contents.from, contents.to) };
  } catch (error) {
    if (error instanceof CliError) throw error;
    if (isFolderInUse(error))
      failWith('folder_in_use', `a server is running on the target: ${reasonOf(error)}`);
    failWith('command_failed', reasonOf(error), { cause: error });
  } finally {
    progress.end();
    await stop();
  }
}

/** One bar for each phase, one after the other. */
function phases(terminal: Terminal): { of(phase: CopyPhase): Progress; end(): void } {
  let current: { phase: CopyPhase; progress: Progress } | null = null;
  return {
    of(phase) {
      if (current?.phase === phase) return current.progress;
      current?.progress.end();
      current = { phase, progress: openProgress(terminal, phase) };
      return current.progress;
    },
    end: () => current?.progress.end(),
  };
}

function sentenceOf({ equal, source, target, field }: Difference): string {
  const place = `after ${equal} equal events, `;
  if (source === null) return `${place}the target has the event ${target?.id}, and the source has no more`;
  if (target === null) return `${place}the target does not have the event ${source.id} (${source.type})`;
  const event = `${source.id} (${source.type} in ${source.stream}, position ${source.position})`;
  return `${place}the event ${event} has another ${field} in the target, at position ${target.position}`;
}
