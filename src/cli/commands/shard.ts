/** `testledger shard`: the tests of one shard, chosen from a list by a plan. */
import { text } from 'node:stream/consumers';
import { shardFrom, MOST_SHARDS, type Shard } from '../../client/shard.js';
import { shardOfList } from '../../client/shard-list.js';
import { readShardPlan, type ShardPlan } from '../../client/shard-plan.js';
import { reasonOf } from '../../errors.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { printed } from '../shard-plan/print.js';
import { entriesOf, partsOf, printings, type Printing } from '../shard-plan/runner-list.js';

type Flags = { plan: string; index: number; total: number; print: string };

export const shardCommand = command<Flags>({
  command: 'shard',
  describe: 'Print the tests of a shard, from a list (after --, or on standard input), by a shard plan',
  flags: (parser) =>
    parser
      .option('plan', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'The file that `testledger shard-plan` saved, the same for every shard',
      })
      .option('index', {
        type: 'number',
        demandOption: true,
        requiresArg: true,
        describe: 'The shard, from 1',
      })
      .option('total', {
        type: 'number',
        demandOption: true,
        requiresArg: true,
        describe: 'How many there are',
      })
      .option('print', {
        type: 'string',
        choices: printings,
        default: 'lines',
        describe: 'Arguments of a runner, as one line for a shell, or one entry on each line',
      }),
  run: async (flags, terminal) => {
    const { plan: path, index, total, print } = flags;
    const shard: Shard =
      shardFrom({ index, total }) ??
      failWith('usage', `--index must be 1 to --total, and --total 1 to ${MOST_SHARDS}`);
    const plan = planIn(path);
    const after = (flags as { '--'?: unknown[] })['--'];
    const lines = after === undefined ? (await text(process.stdin)).split(/\r?\n/) : after.map(String);
    const list = entriesOf(
      lines.filter((line) => line.trim() !== ''),
      print as Printing,
    );
    if (list.length === 0)
      failWith('usage', 'there is no list: give it after --, or on standard input, one entry on each line');
    const entries = shardOfList(list, plan, shard, partsOf(list, print as Printing));
    terminal.note(`shard ${index}/${total}: ${entries.length} of ${new Set(list).size}`);
    terminal.result({ index, total, entries }, printed(entries, print as Printing, list));
    return exitCodes.ok;
  },
});

/** @throws CliError `file_unreadable` */
function planIn(path: string): ShardPlan {
  try {
    return readShardPlan(path);
  } catch (error) {
    failWith('file_unreadable', reasonOf(error), { cause: error });
  }
}
