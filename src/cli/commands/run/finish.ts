/** `testledger run finish`: completes a run. */
import { unwrap } from '../../../client/index.js';
import { withClient } from '../../api.js';
import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';

export const finishRunCommand = command<ServerFlags & { run: string }>({
  command: 'finish <run>',
  describe: 'Complete a run, and show its counts',
  flags: (parser) =>
    serverFlags(parser).positional('run', {
      type: 'string',
      demandOption: true,
      describe: 'The id of the run',
    }),
  run: ({ run: id, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const params = { path: { test_run_id: id } };
      const path = '/v1/test/run/{test_run_id}';
      await unwrap(client.POST(path, { params, body: { status: 'Completed' } }));
      const run = await unwrap<{ counts: Record<string, number> }>(client.GET(path, { params }));
      const counts = Object.entries(run.counts).filter(([, count]) => count > 0);
      terminal.result({ run }, [
        `completed ${id}: ${counts.map(([status, count]) => `${count} ${status}`).join(', ') || 'no results'}`,
      ]);
      return exitCodes.ok;
    }),
});
