/** The flags of commands that import reports: `import`, and `run -- <command>`. */
import type { ArgumentsCamelCase, Argv } from 'yargs';
import { environmentFlag, wantedEnvironment, type EnvironmentFlag } from '../environment-flag.js';
import { noMasker, openMasker } from '../../client/masking/masker.js';
import { projectFlag, serverFlags, type ProjectFlag, type ServerFlags } from '../server.js';
import type { Terminal } from '../terminal.js';
import type { WantedImport } from './import-reports.js';

export type ImportFlags = ServerFlags & ProjectFlag & EnvironmentFlag & ReportFlags;

/** Of the reports, and of the run that they become. */
type ReportFlags = {
  'run-key': string | undefined;
  shard: string | undefined;
  attempt: number | undefined;
  complete: boolean;
  label: string | undefined;
  tool: string | undefined;
  branch: string | undefined;
  commit: string | undefined;
  'pull-request': string | undefined;
  'ci-url': string | undefined;
  actor: string | undefined;
  'owner-file': string | undefined;
  'path-prefix': string | undefined;
  'attachments-root': string | undefined;
  output: 'failed' | 'all' | 'none';
  mask: boolean;
  partial: boolean;
  strict: boolean;
};

export function importFlags<T>(parser: Argv<T>): Argv<T & ImportFlags> {
  const text = (describe: string) => ({ type: 'string', describe, requiresArg: true }) as const;
  const off = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;
  return environmentFlag(projectFlag(serverFlags(parser)))
    .option('run-key', text('Joins calls to one run: in CI that of the job, else one of the contents'))
    .option('shard', text('Which part of the run this is, such as 2/4; the last one completes it'))
    .option('attempt', {
      type: 'number',
      requiresArg: true,
      describe: 'How often this shard ran, from 1: that of the CI job',
    })
    .option('complete', {
      type: 'boolean',
      default: true,
      describe: 'With --no-complete, other imports of the run follow',
    })
    .option('label', text('A name of the run for people'))
    .option('tool', text('The test framework: runs of one tool are compared'))
    .option('branch', text('The branch: that of the CI build, or of git'))
    .option('commit', text('The commit: that of the CI build, or of git'))
    .option('pull-request', text('The number of the pull request'))
    .option('ci-url', text('The address of the CI job'))
    .option('actor', text('Who started the build'))
    .option('owner-file', text('A CODEOWNERS file: by default that of the checkout'))
    .option('path-prefix', text('The folder of a package of a monorepo, for paths that are relative to it'))
    .option(
      'attachments-root',
      text(
        'Files that reports name are uploaded from inside of it: by default the folder of the report. With it, also those that tests print as [[ATTACHMENT|path]]',
      ),
    )
    .option('output', {
      choices: ['failed', 'all', 'none'] as const,
      default: 'failed' as const,
      describe: 'Whose output becomes a file of the result',
    })
    .option('mask', maskOption)
    .option('partial', off('Import what is complete of broken files, and the other files'))
    .option('strict', off('Refuse CTRF reports with fields that are not of the specification'));
}

/** Of every command that sends texts or files. */
export const maskOption = {
  type: 'boolean',
  default: true,
  describe: 'With --no-mask, secrets are sent as they are',
} as const;

/** @throws CliError `usage` */
export function wantedImport(
  flags: ArgumentsCamelCase<EnvironmentFlag & ReportFlags>,
  terminal: Terminal,
): WantedImport {
  const { shard, attempt, label, tool, branch, commit, actor } = flags;
  return {
    run: {
      ...given({
        shard,
        attempt,
        label,
        tool,
        branch,
        commit,
        actor,
        runKey: flags['run-key'],
        pull_request: flags['pull-request'],
        ci_url: flags['ci-url'],
      }),
      environment: wantedEnvironment(flags, terminal),
    },
    complete: flags.complete,
    partial: flags.partial,
    strict: flags.strict,
    output: flags.output,
    pathPrefix: flags['path-prefix'],
    ownerFile: flags['owner-file'],
    attachmentsRoot: flags['attachments-root'],
    masker: flags.mask ? openMasker() : noMasker,
  };
}

/** A CI service passes a variable that is not set as an empty text. */
function given<T extends Record<string, string | number | undefined>>(fields: T) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
