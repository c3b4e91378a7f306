/** `testledger verify`: whether the receipt of a gate still follows from what the server has recorded up to its position. */
import { readFile } from 'node:fs/promises';
import { withClient } from '../api.js';
import { command } from '../command.js';
import { parsed } from '../../client/read-body.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { checkReceipt, type Receipt } from '../gate/receipt.js';
import { serverFlags, type ServerFlags } from '../server.js';

type Flags = ServerFlags & { file: string };

export const verifyCommand = command<Flags>({
  command: 'verify <file>',
  describe: 'Check that the receipt of a gate follows from what the server has recorded',
  flags: (parser) =>
    serverFlags(parser).positional('file', {
      type: 'string',
      demandOption: true,
      describe: 'What `testledger gate --receipt` wrote',
    }),
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const kept = await readKept(flags.file);
      const { run, position } = kept;
      const differences = await checkReceipt(client, kept);
      const follows = differences.length === 0;
      const at = `position ${position.replace(/^0+(?=\d)/u, '')}`;
      terminal.result({ follows, position, run: run.id, passed: kept.passed, differences }, [
        follows
          ? `the receipt follows: the gate ${kept.passed ? 'passed' : 'failed'} as of ${at}`
          : `the receipt does not follow as of ${at}:`,
        ...differences.map((each) => `- ${each}`),
      ]);
      return follows ? exitCodes.ok : exitCodes.failed;
    }),
});

async function readKept(path: string): Promise<Receipt> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    return failWith('file_unreadable', `${path}: ${(error as Error).message}`);
  }
  const receipt = parsed(text);
  const { version, position, run, flags } = (receipt ?? {}) as Partial<Receipt>;
  const isReceipt =
    version === 1 && typeof position === 'string' && typeof run?.id === 'string' && typeof flags === 'object';
  return isReceipt ? (receipt as Receipt) : failWith('file_unreadable', `${path} is no receipt of a gate`);
}
