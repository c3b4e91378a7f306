/** `testledger gate`: the exit code of a build, by what is new in its run. */
import { withClient } from '../api.js';
import { command } from '../command.js';
import { CliError } from '../errors.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { awaitFacts } from '../gate/await-facts.js';
import { gateJson, gateText } from '../gate/gate-text.js';
import { exitCodeOf, judge } from '../gate/judge.js';
import { judgeFlags, settingsOf, type JudgeFlags } from '../gate/judge-flags.js';
import { runFlags, waitMs, wantedRun, type RunFlags } from '../gate/run-flags.js';
import { projectFlag, serverAddress, serverFlags, type ProjectFlag, type ServerFlags } from '../server.js';
import { gateAmounts } from '../summary/read-facts.js';
import type { Terminal } from '../terminal.js';

type Flags = ServerFlags & ProjectFlag & RunFlags & JudgeFlags;

export const gateCommand = command<Flags>({
  command: 'gate',
  describe: 'Exit with 1 if a run has failures that it must not have',
  flags: (parser) =>
    judgeFlags(
      runFlags(projectFlag(serverFlags(parser))),
      'Exit with 3, not with 0, where the server is away',
    ),
  run: (flags, terminal) =>
    unlessAway(terminal, flags['require-upload'], () =>
      withClient(flags, async (client) => {
        const settings = settingsOf(flags);
        const facts = await awaitFacts(client, await wantedRun(flags, client), {
          server: serverAddress(flags).url,
          waitMs: waitMs(flags),
          amounts: gateAmounts,
        });
        const judgement = judge(settings, facts);
        terminal.result(gateJson(facts, judgement), gateText(facts, judgement));
        return exitCodeOf(judgement);
      }),
    ),
});

/** A build must not fail because the server is away: it is no judge of the tests. */
async function unlessAway(
  terminal: Terminal,
  required: boolean,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (required || !isAway(error)) throw error;
    terminal.note(`${terminal.styled('yellow', 'warning')}: the gate was not asked: ${error.message}`);
    terminal.result({ passed: null, warning: error.message }, []);
    return exitCodes.ok;
  }
}

/** A repeat may succeed later. */
function isAway(error: unknown): error is CliError {
  return error instanceof CliError && (error.code === 'server_unreachable' || error.code === 'server_failed');
}
