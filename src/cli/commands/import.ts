/** `testledger import`: report files become a run. */
import { withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes, type ExitCode } from '../exit-codes.js';
import { importFlags, wantedImport, type ImportFlags } from '../import/flags.js';
import { reportFiles, sendImport, withImport, type Imported } from '../import/import-reports.js';
import { explanation, importJson, importText, warningLines } from '../import/import-text.js';
import { openProgress } from '../progress.js';
import { serverUrl, wantedProject } from '../server.js';
import type { Terminal } from '../terminal.js';

type Flags = ImportFlags & {
  files: string[];
  'fail-on-empty': boolean;
  'dry-run': boolean;
  explain: boolean;
};

export const importCommand = command<Flags>({
  command: 'import <files..>',
  describe:
    'Import reports of test tools (JUnit, CTRF, Playwright, TRX, NUnit, xUnit, Allure, go test, Cucumber, Robot) as one run',
  flags: (parser) =>
    importFlags(parser)
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: "Files, folders and patterns in quotes, such as 'reports/**/*.xml'",
      })
      .option('fail-on-empty', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 1 where no result was found',
      })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Read the files, print the counts, send nothing',
      })
      .option('explain', {
        type: 'boolean',
        default: false,
        describe: 'Print what each file was read as, and why attempts are joined',
      }),
  async run(flags, terminal) {
    const wanted = wantedImport(flags, terminal);
    // The parser takes a `-` for no argument.
    if (flags.files.length === 0)
      failWith('usage', 'name the files of the reports: standard input is not read');
    const found = await reportFiles(flags.files);
    const imported = await withImport(found, wanted, async (prepared): Promise<Imported> => {
      if (flags['dry-run']) return { ...prepared, sent: null, why: 'dry_run' };
      return withClient(flags, async (client) => {
        const progress = openProgress(terminal, 'import');
        const url = serverUrl(flags);
        const onSent = (sent: number, total: number) =>
          progress.at(sent, total, `${sent} of ${total} results`);
        const project = wantedProject(flags);
        return sendImport(prepared, wanted, { client, url, project, onSent }).finally(progress.end);
      });
    });
    showImport(imported, flags.explain, terminal);
    return exitCodeOf(imported, flags['fail-on-empty']);
  },
});

function showImport(imported: Imported, explain: boolean, terminal: Terminal): void {
  for (const line of warningLines(imported))
    terminal.note(`${terminal.styled('yellow', 'warning')}: ${line}`);
  terminal.result(importJson(imported), [...(explain ? explanation(imported) : []), ...importText(imported)]);
}

/** With --partial, files that could not be read at all are still a fault. */
function exitCodeOf({ survey }: Imported, failOnEmpty: boolean): ExitCode {
  if (survey.errors.length > 0) return exitCodes.failed;
  return failOnEmpty && survey.counts.results === 0 ? exitCodes.failed : exitCodes.ok;
}
