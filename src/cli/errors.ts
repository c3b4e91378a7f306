/**
 * The one table of errors of the command line. Codes are stable, because scripts branch on them. To add one, add an entry
 * here and run `npm run generate`: `docs/command-line-errors.md` comes from this table.
 */
import { exitCodes, type ExitCode } from './exit-codes.js';

export type CliErrorEntry = {
  title: string;
  exit: ExitCode;
  /** A sentence that says what the person should do. */
  advice: string;
};

const table = {
  usage: {
    title: 'The command line is wrong',
    exit: exitCodes.usage,
    advice: 'Run the command with --help.',
  },
  configuration_invalid: {
    title: 'The configuration of the server is not valid',
    exit: exitCodes.usage,
    advice: 'Correct the environment variables; docs/configuration.md lists them.',
  },
  key_missing: {
    title: 'No API key is set',
    exit: exitCodes.usage,
    advice: 'Set TESTLEDGER_API_KEY. The page Team > API keys makes keys.',
  },
  project_missing: {
    title: 'No project is named',
    exit: exitCodes.usage,
    advice: 'Set TESTLEDGER_PROJECT or --project to the id or the name of a project.',
  },
  project_unknown: {
    title: 'The team has no project with this name',
    exit: exitCodes.refused,
    advice: '`testledger projects list` shows those of the team, and `testledger projects create` makes one.',
  },
  project_ambiguous: {
    title: 'Several projects have this name',
    exit: exitCodes.usage,
    advice: 'Name the project by its id.',
  },
  file_unreadable: {
    title: 'A file cannot be read, opened or used',
    exit: exitCodes.usage,
    advice: 'Check the path and the rights of the file.',
  },
  file_exists: {
    title: 'The file to write has content already',
    exit: exitCodes.usage,
    advice: 'Name another file, or continue this one with --resume.',
  },
  no_reports: {
    title: 'No report with results was found',
    exit: exitCodes.usage,
    advice: 'Check the path or the pattern, in quotes, and that the tests wrote their reports.',
  },
  report_broken: {
    title: 'A report is broken or incomplete',
    exit: exitCodes.failed,
    advice: 'Nothing was sent. With --partial, what is complete is imported.',
  },
  run_unknown: {
    title: 'The run does not exist',
    exit: exitCodes.refused,
    advice: 'Name the run with --run or --run-key, as the output of `testledger import` shows them.',
  },
  build_unknown: {
    title: 'The build has no run',
    exit: exitCodes.refused,
    advice:
      'Let its jobs report first, to the same project. TESTLEDGER_BUILD names another build; docs/ci.md has those of CI services.',
  },
  comment_refused: {
    title: 'The comment on the pull request could not be written, and `--require-comment` is set',
    exit: exitCodes.unavailable,
    advice: 'docs/ci.md has the permissions that a comment needs.',
  },
  status_refused: {
    title: 'The status of the commit could not be set, and `--require-status` is set',
    exit: exitCodes.unavailable,
    advice: 'docs/ci.md has the permissions that a status needs.',
  },
  issues_refused: {
    title: 'The forge refused to list, open or change an issue',
    exit: exitCodes.unavailable,
    advice: 'docs/ci.md has the permissions that issues need. The next call goes on where this one ended.',
  },
  ledger_missing: {
    title: 'The configured stores hold no ledger',
    exit: exitCodes.failed,
    advice: 'Set DATA_DIR, or start the server first.',
  },
  folder_in_use: {
    title: 'A server is running on the folder',
    exit: exitCodes.failed,
    advice: 'Stop the server, run the command again, and start the server.',
  },
  team_unknown: {
    title: 'The log has no such team',
    exit: exitCodes.failed,
    advice: '`GET /v1/me` shows the id of the team of a key.',
  },
  person_unknown: {
    title: 'No account has this e-mail',
    exit: exitCodes.failed,
    advice: 'Check the e-mail, DATA_DIR or VIEWS_URL, and that SECRET_KEY is that of the server.',
  },
  person_in_team: {
    title: 'The person is in a team',
    exit: exitCodes.failed,
    advice: 'An owner of the team forgets them under Team > Members, or the person deletes their account.',
  },
  copy_differs: {
    title: 'The target holds something other than the source',
    exit: exitCodes.failed,
    advice: 'Nothing more was copied. Copy into an empty log, or mend the one that is damaged.',
  },
  command_failed: {
    title: 'The command failed on this machine or on its stores',
    exit: exitCodes.failed,
    advice: 'Remove the cause that the message names, and run the command again.',
  },
  server_unreachable: {
    title: 'The server cannot be reached, or does not answer',
    exit: exitCodes.unavailable,
    advice: 'Check TESTLEDGER_URL, and that the server runs.',
  },
  server_failed: {
    title: 'The server failed, or is too busy',
    exit: exitCodes.unavailable,
    advice: 'Run the command again later. If it fails again, give the operator the request id.',
  },
  not_testledger: {
    title: 'Something other than testledger answered',
    exit: exitCodes.refused,
    advice:
      'Check TESTLEDGER_URL, and whether a proxy in between answers, such as with a page to sign in or with a limit of its own.',
  },
  request_refused: {
    title: 'The server refused the request',
    exit: exitCodes.refused,
    advice: 'The message is that of the server; docs/errors.md explains its codes.',
  },
  internal: {
    title: 'testledger itself has a fault',
    exit: exitCodes.internal,
    advice: 'This is a fault in testledger. Report it with the whole message.',
  },
} satisfies Record<string, CliErrorEntry>;

export type CliErrorCode = keyof typeof table;

export const cliErrors: Readonly<Record<CliErrorCode, CliErrorEntry>> = table;

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode;
  /** What a program can use of the error, for `--json`: the status and code of the server's answer. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly advice: string;

  constructor(code: CliErrorCode, message: string, more: CliErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.advice = more.advice ?? cliErrors[code].advice;
  }
}

export type CliErrorDetails = {
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
  /** In place of that of the table, where it would not help. */
  advice?: string;
};

/** Ends the command. `message` is for the person at the terminal. @throws CliError always. */
export function failWith(code: CliErrorCode, message: string, more?: CliErrorDetails): never {
  throw new CliError(code, message, more);
}
