/** `testledger doctor`: checks what the server and its clients need, and says what to do. */
import { readConfig, type Config } from '../../../config.js';
import { reasonOf } from '../../../errors.js';
import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { serverFlags, serverUrl, wantedKey, type ServerFlags } from '../../server.js';
import type { Style, Terminal } from '../../terminal.js';
import { failed, ok, type Finding } from './check.js';
import { checkDisk, checkFolder, checkPort, checkPublicUrl, checkVersions } from './machine.js';
import { checkServer } from './server.js';
import { checkStores, foldersOf } from './stores.js';

export const doctorCommand = command<ServerFlags & { client: boolean }>({
  command: 'doctor',
  describe: 'Check the configuration, the stores, the disk, and the server that TESTLEDGER_URL names',
  flags: (parser) =>
    serverFlags(parser).option('client', {
      type: 'boolean',
      default: false,
      describe: 'Only the server and the key, on a machine that runs no server',
    }),
  run: async ({ client, url, apiKey }, terminal) => {
    const findings = [checkVersions(), ...(client ? [] : await checkMachine())];
    const key = wantedKey({ apiKey });
    const isWanted = client || key !== null || url !== undefined || Boolean(process.env['TESTLEDGER_URL']);
    if (isWanted) findings.push(...(await checkServer(serverUrl({ url }), key)));
    const isSound = findings.every(({ status }) => status !== 'fail');
    terminal.result(
      { ok: isSound, findings },
      findings.flatMap((finding) => linesOf(finding, terminal)),
    );
    return isSound ? exitCodes.ok : exitCodes.failed;
  },
});

async function checkMachine(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    return [failed('configuration', reasonOf(error), 'docs/configuration.md lists the variables.')];
  }
  const findings = [ok('configuration', 'the environment variables are valid')];
  for (const folder of foldersOf(config)) findings.push(await checkFolder(folder), await checkDisk(folder));
  return [...findings, await checkPort(config), checkPublicUrl(config), ...(await checkStores(config))];
}

const styles: Readonly<Record<Finding['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

function linesOf({ check, status, message, advice }: Finding, { styledResult }: Terminal): string[] {
  const line = `${styledResult(styles[status], status.padEnd(4))}  ${check.padEnd(13)}  ${message}`;
  return advice === null ? [line] : [line, `${' '.repeat(21)}${styledResult('dim', advice)}`];
}
