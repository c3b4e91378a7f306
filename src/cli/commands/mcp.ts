/** `testledger mcp`: the tools of a server for an agent on this machine, on stdin and stdout. */
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { fetchOfProcess } from '../fetch.js';
import { serverFlags, serverUrl, wantedKey, type ServerFlags } from '../server.js';

export const mcpCommand = command<ServerFlags>({
  command: 'mcp',
  describe: 'Give an agent the tools of the server: the Model Context Protocol on stdin and stdout',
  flags: serverFlags,
  async run(flags) {
    const url = `${serverUrl(flags)}/mcp`;
    const key = wantedKey(flags) ?? failWith('key_missing', 'there is no API key');
    const { bridge } = await import('../mcp-bridge.js');
    await bridge({ url, key, fetch: await fetchOfProcess() });
    return exitCodes.ok;
  },
});
