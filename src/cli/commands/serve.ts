/** `testledger serve`: the server, by the environment. */
import { runProcess } from '../../process.js';
import { command, noFlags } from '../command.js';
import { exitCodes } from '../exit-codes.js';

export const serveCommand = command({
  command: 'serve',
  describe: 'Start the server, configured by environment variables',
  flags: noFlags,
  run: async () => {
    // It handles its signals and ends the process by itself.
    await runProcess((await import('../../main.js')).startProgram);
    return exitCodes.ok;
  },
});
