/** `testledger gate`: the exit code of a build, by what is new in its run, or in all of its runs. */
import { writeFile } from 'node:fs/promises';
import type { ArgumentsCamelCase } from 'yargs';
import type { Client } from '../../client/index.js';
import { readCiEnvironment } from '../../client/ci/ci-environment.js';
import { projectId, withClient } from '../api.js';
import { command } from '../command.js';
import { CliError, failWith } from '../errors.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { awaitBuild } from '../gate/await-build.js';
import { awaitFacts } from '../gate/await-facts.js';
import { buildJson, buildPasses, buildText, type JudgedRun } from '../gate/build-text.js';
import { gateJson, gateText } from '../gate/gate-text.js';
import { endedWell, NEEDS } from '../gate/earlier-starts.js';
import { exitCodeOf, judge } from '../gate/judge.js';
import { positionNow, readReceipt } from '../gate/receipt.js';
import { judgeFlags, settingsOf, type JudgeFlags } from '../gate/judge-flags.js';
import { runFlags, waitMs, wantedRun, type RunFlags } from '../gate/run-flags.js';
import {
  projectFlag,
  serverUrl,
  serverFlags,
  wantedProject,
  type ProjectFlag,
  type ServerFlags,
} from '../server.js';
import type { OwnGate } from '../../domain/gate/settings.js';
import { gateAmounts } from '../summary/read-facts.js';
import type { Terminal } from '../terminal.js';

type BuildFlags = { build: boolean; expect: number | undefined; receipt: string | undefined };
type Flags = ServerFlags & ProjectFlag & RunFlags & JudgeFlags & BuildFlags;

export const gateCommand = command<Flags>({
  command: 'gate',
  describe: 'Exit with 1 if a run has failures that it must not have',
  flags: (parser) =>
    judgeFlags(
      runFlags(projectFlag(serverFlags(parser))),
      'Exit with 3, not with 0, where the server is away',
    )
      .option('build', {
        type: 'boolean',
        default: false,
        describe: 'Judge all runs of the CI build, of all of its jobs',
      })
      .option('expect', {
        type: 'number',
        requiresArg: true,
        describe: 'With --build: also fail if fewer runs came',
      })
      .option('receipt', {
        type: 'string',
        requiresArg: true,
        describe: 'Write what the gate was judged by into this file, for `testledger verify`',
      }),
  run: (flags, terminal) =>
    unlessAway(terminal, flags['require-upload'], () =>
      withClient(flags, (client) =>
        flags.build ? gateOfBuild(client, flags, terminal) : gateOfRun(client, flags, terminal),
      ),
    ),
});

async function gateOfRun(
  client: Client,
  flags: ArgumentsCamelCase<Flags>,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = settingsOf(flags);
  if (flags.expect !== undefined) failWith('usage', '--expect counts the runs of a build: add --build');
  const facts = await awaitFacts(client, await wantedRun(flags, client, terminal), {
    server: serverUrl(flags),
    waitMs: waitMs(flags),
    amounts: gateAmounts,
  });
  const judgement = judge(settings, facts);
  if (flags.receipt !== undefined) await writeReceipt(client, { run: facts.run.id, settings }, flags.receipt);
  terminal.result(gateJson(facts, judgement), gateText(facts, judgement));
  return exitCodeOf(judgement);
}

async function writeReceipt(
  client: Client,
  { run, settings: flags }: { run: string; settings: OwnGate },
  path: string,
): Promise<void> {
  const receipt = await readReceipt(client, { run, position: await positionNow(client, run), flags });
  try {
    await writeFile(path, `${JSON.stringify(receipt, null, 2)}\n`);
  } catch (error) {
    failWith('file_unreadable', `${path}: ${(error as Error).message}`);
  }
}

/** Without it, a job on Linux would be green while Windows is red. */
async function gateOfBuild(
  client: Client,
  flags: ArgumentsCamelCase<Flags>,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = settingsOf(flags);
  const { expect = null, run, 'run-key': key, sharded, receipt } = flags;
  if (receipt !== undefined) failWith('usage', '--receipt is of one run: name it in place of --build');
  if (expect !== null && !(Number.isSafeInteger(expect) && expect >= 1))
    failWith('usage', '--expect must be a number from 1');
  if (run || key || sharded) failWith('usage', '--build judges all runs of the build: name no run beside it');
  const { earlierBuilds, start, metadata } = readCiEnvironment();
  const { build } = metadata;
  if (build === undefined) failWith('usage', 'no CI build was found: name it by TESTLEDGER_BUILD');
  const end = performance.now() + waitMs(flags);
  const project = await projectId(client, wantedProject(flags));
  const ended = endedWell(process.env[NEEDS]);
  // Without a number of runs that must come, nobody asked for those that are missing.
  const starts = start !== null && (expect !== null || ended !== null) ? { ...start, ended } : null;
  const wanted = { project, build, earlierBuilds, starts, expected: expect ?? 1 };
  const { runs: found, outdated, isCurrent } = await awaitBuild(client, wanted, waitMs(flags));
  if (found.length === 0 && outdated === 0 && expect === null && isCurrent)
    failWith('build_unknown', `there is no run of the build "${build}"`);
  const runs: JudgedRun[] = [];
  for (const { id } of found) {
    const facts = await awaitFacts(
      client,
      { id },
      {
        server: serverUrl(flags),
        waitMs: Math.max(end - performance.now(), 0),
        amounts: gateAmounts,
      },
    );
    runs.push({ facts, judgement: judge(settings, facts) });
  }
  const judged = { build, expected: expect, runs, outdated, isCurrent };
  terminal.result(buildJson(judged), buildText(judged));
  return exitCodeOf({ passes: buildPasses(judged) });
}

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
