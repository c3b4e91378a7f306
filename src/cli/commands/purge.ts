/** `testledger purge`: deletes a run, a project or all projects of a team for good. */
import { unwrap } from '../../client/index.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { serverFlags, type ServerFlags } from '../server.js';

type Flags = ServerFlags & { what: 'run' | 'project' | 'team'; id: string; confirm: string };

export const purgeCommand = command<Flags>({
  command: 'purge <what> <id>',
  describe:
    'Delete a run, a project or all projects of the team for good, with all that is in them. Nobody can bring them back',
  flags: (parser) =>
    serverFlags(parser)
      .positional('what', {
        choices: ['run', 'project', 'team'] as const,
        demandOption: true,
        describe: 'What it is',
      })
      .positional('id', {
        type: 'string',
        demandOption: true,
        describe: 'The id of the run; the id or the name of the project; the id of the team',
      })
      .option('confirm', {
        type: 'string',
        demandOption: true,
        requiresArg: true,
        describe: 'Once more: the id of the run, or the name of the project or team',
      }),
  run: ({ what, id: named, confirm, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      const query = { confirm };
      if (what === 'team') {
        // The key decides whose projects go: not those of a team that was not meant.
        const { data } = await unwrap(client.GET('/v1/team'));
        if (data.id !== named) failWith('usage', `the key is of the team ${data.id}`);
        await unwrap(client.DELETE('/v1/team', { params: { query } }));
        terminal.result({ id: named }, ['All projects are deleted. Their bytes go in the background']);
        return exitCodes.ok;
      }
      const id = what === 'run' ? named : await projectId(client, named);
      const params = { path: { id }, query };
      await (what === 'run'
        ? unwrap(client.DELETE('/v1/test-runs/{id}', { params }))
        : unwrap(client.DELETE('/v1/projects/{id}', { params })));
      terminal.result({ id }, [`${id}: deleted. Its bytes go in the background`]);
      return exitCodes.ok;
    }),
});
