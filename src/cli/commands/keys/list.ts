/** `testledger keys list` and `testledger keys revoke`. */
import { instant, systemClock } from '../../../clock.js';
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

function rowOf(key: Key): string[] {
  const { id, name, role, prefix, project_ids } = key;
  const projects = project_ids === null ? 'all projects' : project_ids.join(' ');
  return [id, role, `${prefix}…`, useOf(key), projects, name];
}

function useOf({ last_used_at, expires_at, revoked_at }: Key): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  if (expires_at !== null && expires_at <= instant(systemClock)) return `expired ${expires_at}`;
  const end = expires_at === null ? '' : `, ends ${expires_at}`;
  return `last used ${last_used_at ?? 'never'}${end}`;
}
