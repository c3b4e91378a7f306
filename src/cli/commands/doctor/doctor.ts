/** `testledger doctor`: checks what the server and its clients need, and says what to do. */
import type { Argv } from 'yargs';
import { command, type Command } from '../../command.js';
import { exitCodes, type ExitCode } from '../../exit-codes.js';
import { serverFlags, serverUrl, wantedKey, type ServerFlags } from '../../server.js';
import type { Style, Terminal } from '../../terminal.js';
import type { Finding } from './check.js';
import { checkServer } from './server.js';
import { checkVersions } from './versions.js';

type CheckMachine = () => Promise<Finding[]>;
type Flags = ServerFlags & { client?: boolean; apiKey?: string | undefined };

/** Without `checkMachine` it checks the server and the key alone: a client has no stores. */
export function doctorCommand(checkMachine?: CheckMachine): Command {
  return command<Flags>({
    command: 'doctor',
    describe:
      checkMachine === undefined
        ? 'Check the server that TESTLEDGER_URL names, and the key'
        : 'Check the configuration, the stores, the disk, and the server that TESTLEDGER_URL names',
    // A client takes the flag too: its name stands in documents, and it does that anyway.
    flags: (parser) => clientFlag(serverFlags(parser)),
    run: (flags, terminal) => check(flags, terminal, checkMachine),
  });
}

function clientFlag<T>(parser: Argv<T>): Argv<T & { client: boolean }> {
  return parser.option('client', {
    type: 'boolean',
    default: false,
    describe: 'Only the server and the key, on a machine that runs no server',
  });
}

async function check(
  { client = false, url, apiKey }: Flags,
  terminal: Terminal,
  checkMachine?: CheckMachine,
): Promise<ExitCode> {
  const isClient = client || checkMachine === undefined;
  const findings = [checkVersions(), ...(isClient ? [] : await checkMachine())];
  const key = wantedKey({ apiKey });
  const isWanted = isClient || key !== null || url !== undefined || Boolean(process.env['TESTLEDGER_URL']);
  if (isWanted) findings.push(...(await checkServer(serverUrl({ url }), key)));
  const isSound = findings.every(({ status }) => status !== 'fail');
  terminal.result(
    { ok: isSound, findings },
    findings.flatMap((finding) => linesOf(finding, terminal)),
  );
  return isSound ? exitCodes.ok : exitCodes.failed;
}

const styles: Readonly<Record<Finding['status'], Style>> = { ok: 'green', warn: 'yellow', fail: 'red' };

function linesOf({ check, status, message, advice }: Finding, { styledResult }: Terminal): string[] {
  const line = `${styledResult(styles[status], status.padEnd(4))}  ${check.padEnd(13)}  ${message}`;
  return advice === null ? [line] : [line, `${' '.repeat(21)}${styledResult('dim', advice)}`];
}
