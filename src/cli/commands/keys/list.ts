/** `testledger keys list` and `testledger keys revoke`. */
import { unwrap, type components } from '../../../client/index.js';
import { wholeList, withClient } from '../../api.js';
import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, type ServerFlags } from '../../server.js';
import { table } from '../../table.js';

type Key = components['schemas']['Key'];

export const listKeysCommand = command<ServerFlags>({
  command: 'list',
  describe: 'List the keys of the team, never with their secret part',
  flags: serverFlags,
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const keys = await wholeList((query) => unwrap(client.GET('/v1/keys', { params: { query } })));
      terminal.result({ keys }, table(keys.map(rowOf)));
      return exitCodes.ok;
    }),
});

export const revokeKeyCommand = command<ServerFlags & { key: string }>({
  command: 'revoke <key>',
  describe: 'Revoke a key; every server refuses it within a second',
  flags: (parser) =>
    serverFlags(parser).positional('key', {
      type: 'string',
      demandOption: true,
      describe: 'The id of the key, as `keys list` shows it',
    }),
  run: ({ key, ...flags }, terminal) =>
    withClient(flags, async (client) => {
      await unwrap(client.DELETE('/v1/keys/{id}', { params: { path: { id: key } } }));
      terminal.result({ revoked: key }, [`revoked ${key}`]);
      return exitCodes.ok;
    }),
});

function rowOf({ id, name, role, prefix, last_used_at, revoked_at }: Key): string[] {
  const use = revoked_at !== null ? `revoked ${revoked_at}` : `last used ${last_used_at ?? 'never'}`;
  return [id, role, `${prefix}…`, use, name];
}
