/** `testledger keys generate`: a key for BOOTSTRAP_API_KEY. */
import { newApiKey } from '../../../domain/teams/api-key.js';
import { command, noFlags } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';

export const generateKeyCommand = command({
  command: 'generate',
  describe: 'Make a key for BOOTSTRAP_API_KEY; no ledger knows it yet',
  flags: noFlags,
  run: (_, terminal) => {
    const key = newApiKey();
    terminal.result({ key }, [key]);
    return Promise.resolve(exitCodes.ok);
  },
});
