/** `testledger purge`: deletes a run or a project for good. */
import { unwrap } from '../../client/index.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { serverFlags, type ServerFlags } from '../server.js';

type Flags = ServerFlags & { what: 'run' | 'project'; id: string; confirm: string };

export const purgeCommand = command<Flags>({
  command: 'purge <what> <id>',
  describe: 'Delete a run or a project for good, with all that is in it. Nobody can bring it back',
  flags: (parser) =>
    serverFlags(parser)
      .positional('what', {
        choices: ['run', 'project'] as const,
        demandOption: true,
        describe: 'What it is',
      })
      .positional('id', {
        type: 'string',
        demandOption: true,
        describe: 'The id of the run; the id or the name of the project',
      })
      .option('confirm', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'Once more: the id of the run, or the name of the project',
      }),
  run: ({ what, id: named, confirm, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const id = what === 'run' ? named : await projectId(client, named);
      const params = { path: { id }, query: { confirm } };
      await (what === 'run'
        ? unwrap(client.DELETE('/v1/test-runs/{id}', { params }))
        : unwrap(client.DELETE('/v1/projects/{id}', { params })));
      terminal.result({ id }, [`${id}: deleted. Its bytes go in the background`]);
      return exitCodes.ok;
    }),
});
