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
import {
  reportFiles,
  sendPrepared,
  withImport,
  type Imported,
  type WantedImport,
} from '../../import/import-reports.js';
import type { FoundReports } from '../../../importers/import-files.js';
import { importJson, importText, warningLines } from '../../import/import-text.js';
import { serverUrl, wantedProject } from '../../server.js';
import { gateAmounts } from '../../summary/read-facts.js';
import { asLogText } from '../../../domain/text/harmless.js';
import type { Terminal } from '../../terminal.js';
import { runChild, type ChildEnd } from '../../wrapped/child.js';
import { brokeOff, exitCodeOf } from '../../wrapped/exit-code.js';

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
      describe: 'Files, folders and patterns of the reports that the command writes',
    }),
  async run(flags, terminal) {
    const [program, ...args] = ((flags as { '--'?: unknown[] })['--'] ?? []).map(String);
    if (program === undefined)
      failWith('usage', 'the test command is missing: testledger run --reports … -- npm test');
    if (flags.reports.length === 0)
      failWith('usage', '--reports is missing: it names the reports of the test command');
    const wanted = wantedImport(flags, terminal);
    const settings = settingsOf(flags);
    const since = Date.now() - MARGIN_MS;
    const child = await runChild([program, ...args]);
    try {
      const gated = await importAndJudge(flags, terminal, { wanted, settings, child, since });
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

type Ended = { wanted: WantedImport; settings: OwnGate; child: ChildEnd; since: number };

/** Tests that did not run become an empty run, which fails: its job would be green. @throws CliError */
async function importAndJudge(
  flags: ArgumentsCamelCase<Flags>,
  terminal: Terminal,
  { wanted, settings, child, since }: Ended,
) {
  const there = await reportsThere(flags.reports);
  const files = await writtenSince(there.files, since, terminal);
  // It did not come to its tests, and its job fails by itself.
  if (files.length === 0 && there.files.length > 0 && child.code !== 0)
    failWith('no_reports', 'the command wrote no report');
  // What is whole must not be lost with a file that broke off; the run is then incomplete, and its gate fails.
  return withImport({ files, left: there.left }, { ...wanted, partial: true }, (prepared) =>
    withClient(flags, async (client) => {
      const { counts } = prepared.survey;
      const isEmpty = counts.results === 0;
      // A shard that broke off must stay missing, or the other ones would be the whole run.
      if (isEmpty && prepared.description.shard !== null && (files.length === 0 || child.code !== 0))
        failWith('no_reports', 'the shard has no result');
      const url = serverUrl(flags);
      const isCutOff = brokeOff(child, counts.failing);
      if (isCutOff && !isEmpty)
        terminal.note(
          `${terminal.styled('yellow', 'warning')}: the command ended with ${child.code}, which no failure explains: the run is incomplete`,
        );
      const target = {
        client,
        url,
        project: wantedProject(flags),
        onSent: () => undefined,
        brokeOff: isCutOff,
      };
      const imported = await sendPrepared(prepared, wanted, target);
      for (const line of warningLines(imported))
        terminal.note(`${terminal.styled('yellow', 'warning')}: ${line}`);
      const { sent, survey } = imported;
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
  const { counts } = imported.survey;
  const judged = isPart ? judgePart(settings, facts, counts.failing > 0) : judge(settings, facts);
  // Another command of the job may have tests in this run. A shard may have none.
  const isEmpty = counts.results === 0 && imported.description.shard === null;
  const judgement = isEmpty ? { ...judged, passes: false, reasons: ['the command made no result'] } : judged;
  terminal.result({ import: importJson(imported), gate: gateJson(facts, judgement) }, [
    ...importText(imported),
    ...gateText(facts, judgement),
  ]);
  return judgement.passes;
}

/** None where the command wrote none of its reports. @throws CliError `no_reports` where some of them are missing */
async function reportsThere(patterns: readonly string[]): Promise<FoundReports> {
  try {
    return await reportFiles(patterns);
  } catch (error) {
    const each = await Promise.allSettled(patterns.map((pattern) => reportFiles([pattern])));
    if (each.some(({ status }) => status === 'fulfilled')) throw error;
    return { files: [], left: [] };
  }
}

/** Reports of an earlier command are left out: its failures are not those of this one. */
async function writtenSince(files: readonly string[], since: number, terminal: Terminal): Promise<string[]> {
  const fresh: string[] = [];
  for (const file of files) if ((await stat(file)).mtimeMs >= since) fresh.push(file);
  const old = files.length - fresh.length;
  if (old > 0) terminal.note(`${old} of ${files.length} reports are older than the command, and left out`);
  if (fresh.length === 0)
    terminal.note(`${terminal.styled('yellow', 'warning')}: the command wrote no report`);
  return fresh;
}
