/** `testledger run -- <command>`: runs tests, imports their reports, and lets pass what the gate lets pass. */
import { stat } from 'node:fs/promises';
import type { ArgumentsCamelCase } from 'yargs';
import type { Client } from '../../../client/index.js';
import { withClient } from '../../api.js';
import { command } from '../../command.js';
import { reasonOf } from '../../../errors.js';
import { CliError, failWith } from '../../errors.js';
import type { OwnGate } from '../../../domain/gate/settings.js';
import { exitCodes, type ExitCode } from '../../exit-codes.js';
import { awaitFacts } from '../../gate/await-facts.js';
import { gateJson, gateText } from '../../gate/gate-text.js';
import { judge, judgePart } from '../../gate/judge.js';
import { judgeFlags, settingsOf, type JudgeFlags } from '../../gate/judge-flags.js';
import { importFlags, wantedImport, type ImportFlags } from '../../import/flags.js';
import { reportFiles, sendImport, withImport, type Imported } from '../../import/import-reports.js';
import { importJson, importText, warningLines } from '../../import/import-text.js';
import { serverAddress, wantedProject } from '../../server.js';
import { gateAmounts } from '../../summary/read-facts.js';
import { asLogText } from '../../../domain/text/harmless.js';
import type { Terminal } from '../../terminal.js';
import { runChild } from '../../wrapped/child.js';
import { exitCodeOf } from '../../wrapped/exit-code.js';

type Flags = ImportFlags & JudgeFlags & { reports: string[] };

/** The comparison of a run of 50,000 results is there within seconds. */
const WAIT_MS = 60_000;
/** A clock of a file system may be coarse. */
const MARGIN_MS = 2_000;

export const wrapCommand = command<Flags>({
  command: '$0',
  describe: 'Run a test command (after --), import its reports, and apply the gate',
  flags: (parser) =>
    judgeFlags(importFlags(parser), 'Exit with 3 where the reports could not be imported').option('reports', {
      type: 'string',
      array: true,
      default: [] as string[],
      requiresArg: true,
      describe: 'Paths and patterns of the reports that the command writes',
    }),
  async run(flags, terminal) {
    const [program, ...args] = ((flags as { '--'?: unknown[] })['--'] ?? []).map(String);
    if (program === undefined)
      failWith('usage', 'the test command is missing: testledger run --reports … -- npm test');
    if (flags.reports.length === 0)
      failWith('usage', '--reports is missing: it names the reports of the test command');
    const settings = settingsOf(flags);
    const began = Date.now();
    const child = await runChild([program, ...args]);
    try {
      const gated = await importAndJudge(flags, {
        settings,
        terminal,
        since: began - MARGIN_MS,
        code: child.code,
      });
      return exitCodeOf(child, gated) as ExitCode;
    } catch (error) {
      // What went wrong here says nothing of the tests: a fault of ours too must not hide how they ended.
      const code = error instanceof CliError ? error.code : 'internal';
      const message = asLogText(reasonOf(error), 2_000);
      terminal.note(`${terminal.styled('yellow', 'warning')}: the gate was not asked (${code}): ${message}`);
      terminal.result({ passed: null, command_code: child.code, warning: message }, []);
      return (flags['require-upload'] ? exitCodes.unavailable : child.code) as ExitCode;
    }
  },
});

/** @throws CliError */
async function importAndJudge(
  flags: ArgumentsCamelCase<Flags>,
  { settings, terminal, since, code }: { settings: OwnGate; terminal: Terminal; since: number; code: number },
) {
  const wanted = wantedImport(flags);
  const files = await writtenSince(flags.reports, since, terminal);
  // A command that failed says itself that its tests did not run.
  if (files.length === 0 && code !== 0) failWith('no_reports', 'the command wrote no report');
  return withImport(files, wanted, (prepared) =>
    withClient(flags, async (client) => {
      const { url } = serverAddress(flags);
      const project = wantedProject(flags);
      // Without a result, the run is empty: it fails the gate, and nobody takes the silence for a success.
      const target = { client, url, project, onSent: () => undefined, sendsEmpty: true };
      const imported = await sendImport(prepared, wanted, target);
      for (const line of warningLines(imported))
        terminal.note(`${terminal.styled('yellow', 'warning')}: ${line}`);
      const { sent, survey } = imported;
      if (sent === null) failWith('no_reports', 'the reports have no result, and others are to follow');
      const passes = await judgeRun(client, sent.run.id, { flags, settings, imported, url, terminal });
      const isWhole =
        survey.errors.length === 0 && survey.warnings.every(({ code }) => code !== 'incomplete');
      return { passes, failed: survey.counts.failing, isWhole };
    }),
  );
}

type Judged = {
  flags: ArgumentsCamelCase<Flags>;
  settings: OwnGate;
  imported: Imported;
  url: string;
  terminal: Terminal;
};

/** Of a run with shards, what has come so far is judged: the other shards have jobs of their own. */
async function judgeRun(
  client: Client,
  id: string,
  { flags, settings, imported, url, terminal }: Judged,
): Promise<boolean> {
  const isPart = imported.description.shard !== null || !flags.complete;
  const state = isPart ? 'current' : 'completed';
  const facts = await awaitFacts(
    client,
    { id },
    { server: url, waitMs: WAIT_MS, amounts: gateAmounts, state },
  );
  const judgement = isPart
    ? judgePart(settings, facts, imported.survey.counts.failing > 0)
    : judge(settings, facts);
  terminal.result({ import: importJson(imported), gate: gateJson(facts, judgement) }, [
    ...importText(imported),
    ...gateText(facts, judgement),
  ]);
  return judgement.passes;
}

/** Reports of an earlier command are left out: its failures are not those of this one. */
async function writtenSince(
  patterns: readonly string[],
  since: number,
  terminal: Terminal,
): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of patterns) {
    try {
      files.push(...(await reportFiles([pattern])));
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'no_reports')) throw error;
      terminal.note(`${terminal.styled('yellow', 'warning')}: ${error.message}`);
    }
  }
  const fresh: string[] = [];
  for (const file of files) if ((await stat(file)).mtimeMs >= since) fresh.push(file);
  const old = files.length - fresh.length;
  if (old > 0) terminal.note(`${old} of ${files.length} reports are older than the command, and left out`);
  if (fresh.length === 0)
    terminal.note(`${terminal.styled('yellow', 'warning')}: the command wrote no report`);
  return [...new Set(fresh)];
}
