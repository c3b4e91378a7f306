/** `testledger issues sync`: one issue on GitHub or GitLab for each cause that fails on the default branch. */
import { unwrap } from '../../../client/index.js';
import { asLogText } from '../../../domain/text/harmless.js';
import { counted } from '../../../domain/text/amounts.js';
import { projectId, withClient } from '../../api.js';
import { command } from '../../command.js';
import { failWith } from '../../errors.js';
import { exitCodes } from '../../exit-codes.js';
import { ForgeError } from '../../forge/forge-request.js';
import { issueText } from '../../forge/issues/issue-text.js';
import { causesOf } from '../../forge/issues/read-causes.js';
import { syncIssues, type Done } from '../../forge/issues/sync.js';
import { issuesOf } from '../../forge/place.js';
import {
  projectFlag,
  serverFlags,
  serverUrl,
  wantedProject,
  type ProjectFlag,
  type ServerFlags,
} from '../../server.js';

type Flags = ServerFlags &
  ProjectFlag & { most: number; label: string | string[] | undefined; 'dry-run': boolean };

/** A forge slows down who writes more in a moment. */
const MOST = 100;

export const syncCommand = command<Flags>({
  command: 'sync',
  describe: 'Open, update and close issues on GitHub or GitLab, one for each cause of the default branch',
  flags: (parser) =>
    projectFlag(serverFlags(parser))
      .option('most', {
        type: 'number',
        default: 20,
        requiresArg: true,
        describe: `The most issues to change, 1 to ${MOST}: the next call goes on`,
      })
      .option('label', {
        type: 'string',
        requiresArg: true,
        describe: 'A further label of new issues; several times for several',
      })
      .option('dry-run', {
        type: 'boolean',
        default: false,
        describe: 'Say what would be done, and change nothing',
      }),
  run: (flags, terminal) =>
    withClient(flags, async (client) => {
      const { most, 'dry-run': isDryRun } = flags;
      if (!(Number.isSafeInteger(most) && most >= 1 && most <= MOST))
        failWith('usage', `--most must be a number from 1 to ${MOST}`);
      const labels = [flags.label ?? []].flat();
      // GitLab reads a list from one text.
      if (labels.some((label) => label.trim() === '' || label.includes(',')))
        failWith('usage', '--label takes one label, without a comma');
      const found = issuesOf(process.env);
      if ('missing' in found) failWith('usage', `there is no place for issues: ${found.missing}`);
      const id = await projectId(client, wantedProject(flags));
      const { data: project } = await unwrap(client.GET('/v1/projects/{id}', { params: { path: { id } } }));
      const { data: me } = await unwrap(client.GET('/v1/me'));
      const place = { server: serverUrl(flags), project, team: me.team.id };
      const done: Done[] = [];
      try {
        const { left } = await syncIssues(
          found.issues,
          causesOf(client, project),
          { project: id, textOf: (cause) => issueText(cause, place), labels, most, isDryRun },
          (each) => void done.push(each),
        );
        const rest =
          left === 0
            ? []
            : [`${counted(left, 'more change')} ${left === 1 ? 'is' : 'are'} left for the next call`];
        const lines = done.map((each) => lineOf(each, isDryRun));
        terminal.result(
          { dry_run: isDryRun, changes: done, left },
          lines.length + rest.length === 0 ? ['nothing to do'] : [...lines, ...rest],
        );
        return exitCodes.ok;
      } catch (error) {
        if (!(error instanceof ForgeError)) throw error;
        for (const each of done) terminal.note(lineOf(each, isDryRun));
        return failWith('issues_refused', error.message, { details: { changes: done } });
      }
    }),
});

/** No line begins with a text of a report: a CI server would run a command in it. */
function lineOf({ did, title, url }: Done, isDryRun: boolean): string {
  return `- ${isDryRun ? 'would be ' : ''}${did}: ${asLogText(title)}${url === null ? '' : ` ${asLogText(url)}`}`;
}
