/** `testledger summary`: a run as Markdown, for the page of a job or as a comment on a pull request. */
import type { ArgumentsCamelCase } from 'yargs';
import { withClient } from '../api.js';
import { command } from '../command.js';
import { failWith } from '../errors.js';
import { exitCodes } from '../exit-codes.js';
import { awaitFacts } from '../gate/await-facts.js';
import { runFlags, waitMs, wantedRun, type RunFlags } from '../gate/run-flags.js';
import { ForgeError } from '../forge/forge-request.js';
import { keepComment, markOf } from '../forge/keep-comment.js';
import { commentsOf, statusesOf } from '../forge/place.js';
import { reportStatus, type Reported } from '../forge/statuses/report-status.js';
import { projectFlag, serverUrl, serverFlags, type ProjectFlag, type ServerFlags } from '../server.js';
import { annotationsOf } from '../summary/annotations.js';
import type { RunFacts } from '../summary/facts.js';
import { summaryFormats, type SummaryFormat } from '../summary/markup.js';
import { summaryAmounts } from '../summary/read-facts.js';
import { SUMMARY_BYTES, summarize } from '../summary/summary.js';
import { failuresOf } from '../../domain/text/verdict.js';
import type { Terminal } from '../terminal.js';

type Flags = ServerFlags &
  ProjectFlag &
  RunFlags & {
    format: SummaryFormat;
    annotations: boolean;
    comment: boolean;
    'comment-key': string;
    'pull-request': string | undefined;
    'require-comment': boolean;
    status: boolean;
    check: boolean;
    'require-status': boolean;
  };

export const summaryCommand = command<Flags>({
  command: 'summary',
  describe: 'Print a run as Markdown: its failures in groups, what is new first',
  flags: (parser) =>
    runFlags(projectFlag(serverFlags(parser)))
      .option('format', {
        choices: summaryFormats,
        default: 'markdown' as const,
        describe: 'Where it is shown',
      })
      .option('annotations', {
        type: 'boolean',
        default: false,
        describe: 'Also print new failures as annotations of GitHub, on stderr: at most 10',
      })
      .option('comment', {
        type: 'boolean',
        default: false,
        describe: 'Also keep one comment on the pull request',
      })
      .option('comment-key', {
        type: 'string',
        default: 'tests',
        requiresArg: true,
        describe: 'Tells the comments of several suites of a project apart',
      })
      .option('pull-request', {
        type: 'string',
        requiresArg: true,
        describe: 'Its number: by default that of the run',
      })
      .option('require-comment', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 3 if the comment is refused',
      })
      .option('status', {
        type: 'boolean',
        default: false,
        describe: 'Also set a status of the commit, by what the gate says',
      })
      .option('check', {
        type: 'boolean',
        default: false,
        describe: 'Also make a check of the commit with annotations, on GitHub; a status where it is refused',
      })
      .option('require-status', {
        type: 'boolean',
        default: false,
        describe: 'Exit with 3 if neither the status nor the check is taken',
      }),
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const facts = await awaitFacts(client, await wantedRun(flags, client, terminal), {
        server: serverUrl(flags),
        waitMs: waitMs(flags),
        amounts: summaryAmounts,
      });
      const text = summarize(facts, flags.format);
      if (flags.annotations) for (const line of annotationsOf(facts.newFailures)) terminal.note(line);
      const comment = flags.comment
        ? await keptComment(flags, facts, facts.run.pull_request, terminal)
        : null;
      const status = flags.status || flags.check ? await shownStatus(flags, facts, terminal) : null;
      terminal.result({ run: { id: facts.run.id }, text, comment, status }, text.trimEnd().split('\n'));
      return exitCodes.ok;
    }),
});

/** Returns what was done; null where the comment could not be kept. */
async function keptComment(
  flags: ArgumentsCamelCase<Flags>,
  facts: RunFacts,
  ofRun: string | null,
  terminal: Terminal,
): Promise<{ did: string; url: string | null } | null> {
  const found = commentsOf(process.env, flags['pull-request'] || ofRun);
  if ('missing' in found) return refused(found.missing);
  const mark = markOf(facts.project.id, flags['comment-key']);
  // Both forges show HTML in Markdown, and GitLab takes more than GitHub.
  const text = summarize(facts, 'github', SUMMARY_BYTES - Buffer.byteLength(mark) - 1);
  const isWorthSaying = failuresOf(facts.comparison.counts) > 0 || facts.run.gate === 'failed';
  try {
    return await keepComment(found.comments, { mark, text, isWorthSaying });
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return refused(error.message);
  }

  function refused(why: string): null {
    if (flags['require-comment']) failWith('comment_refused', `there is no comment: ${why}`);
    terminal.note(`${terminal.styled('yellow', 'warning')}: there is no comment: ${why}`);
    return null;
  }
}

/** Returns what was set; null where nothing could be. */
async function shownStatus(
  flags: ArgumentsCamelCase<Flags>,
  facts: RunFacts,
  terminal: Terminal,
): Promise<Reported | null> {
  const warn = (text: string) => terminal.note(`${terminal.styled('yellow', 'warning')}: ${text}`);
  const refused = (why: string): null => {
    if (flags['require-status']) failWith('status_refused', `there is no status: ${why}`);
    warn(`there is no status: ${why}`);
    return null;
  };
  const found = statusesOf(process.env);
  if ('missing' in found) return refused(found.missing);
  try {
    const { status, check } = flags;
    return await reportStatus(found.statuses, facts, { status, check, warn });
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    return refused(error.message);
  }
}
