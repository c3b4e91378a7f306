/** `testledger restore`: forgets in a restored backup what was forgotten after it was made. */
import { readFile } from 'node:fs/promises';
import { describeStore, isFolderInUse, openExistingState } from '../../adapters/open.js';
import { counted } from '../../domain/text/amounts.js';
import { reasonOf } from '../../errors.js';
import { restore, type Forgotten } from '../../roles/restore.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { onStores } from '../on-stores.js';

export const restoreCommand = command<{ forgotten: string[] }>({
  command: 'restore',
  describe:
    'Forget in a restored backup what was redacted or deleted after it was made, before a server starts',
  flags: (parser) =>
    parser.option('forgotten', {
      type: 'string',
      array: true,
      demandOption: true,
      requiresArg: true,
      describe: 'What GET /v1/audit/forgotten answered, a file for each team',
    }),
  run: ({ forgotten: files }, terminal) =>
    onStores(async (config) => {
      const all = (await Promise.all(files.map(linesOf))).flat();
      const state = await openExistingState(config);
      await state?.close();
      if (state === null) failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
      try {
        const again = await restore(config, all);
        const text = `${counted(again, 'thing')} forgotten again, of ${all.length}: the backup had forgotten the others`;
        terminal.result({ forgotten: again, listed: all.length }, [
          text,
          'Start the server now: it takes their bytes away within a minute',
        ]);
        return exitCodes.ok;
      } catch (error) {
        if (isFolderInUse(error)) failWith('folder_in_use', 'Stop the server first: files have one writer.');
        throw error;
      }
    }),
});

const TEXTS = ['team', 'event', 'position', 'what', 'type', 'id'] as const;

/** @throws CliError `usage` for a file that is none of `GET /v1/audit/forgotten` */
async function linesOf(file: string): Promise<Forgotten[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return failWith('usage', `${file}: ${reasonOf(error)}`);
  }
  return text
    .split('\n')
    .flatMap((line, n) => (line.trim() === '' ? [] : [parsed(line, `${file}:${n + 1}`)]));
}

function parsed(line: string, at: string): Forgotten {
  try {
    const one = JSON.parse(line) as Forgotten;
    if (TEXTS.every((name) => typeof one[name] === 'string') && Array.isArray(one.fields)) return one;
  } catch {
    // Said below.
  }
  return failWith('usage', `${at} is no line of GET /v1/audit/forgotten`);
}
