/** `testledger usage`: how much room the projects of the team take. */
import { unwrap, type components } from '../../client/index.js';
import { bytesText, counted } from '../../domain/text/amounts.js';
import { wholeList, withClient } from '../api.js';
import { command } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { serverFlags, type ServerFlags } from '../server.js';
import { table } from '../table.js';

type Usage = components['schemas']['Usage'];

export const usageCommand = command<ServerFlags>({
  command: 'usage',
  describe: 'Show how much room the projects of the team take, and how much more than 30 days before',
  flags: serverFlags,
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const usage = await wholeList((query) => unwrap(client.GET('/v1/usage', { params: { query } })));
      terminal.note('bytes of verdicts are an estimate from their number; the others are measured');
      terminal.result({ usage }, table(usage.map(rowOf)));
      return exitCodes.ok;
    }),
});

function rowOf({ name, verdicts, contents, artifacts }: Usage): string[] {
  return [
    name,
    `${counted(verdicts.count, 'verdict')} ${roomOf(verdicts)}`,
    `contents ${roomOf(contents)}`,
    `${counted(artifacts.count, 'artifact')} ${roomOf(artifacts)}`,
  ];
}

function roomOf({ bytes, grown }: Pick<Usage['contents'], 'bytes' | 'grown'>): string {
  return `${bytesText(bytes)} (${grown >= 0 ? '+' : ''}${bytesText(grown)})`;
}
