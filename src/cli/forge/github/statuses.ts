/** Statuses and checks of a commit on GitHub, by its REST API. */
import { askForSuccess, type Repository } from '../forge-request.js';
import type { Statuses } from '../statuses/statuses.js';

const STATUS_ADVICE =
  'The job needs `permissions: statuses: write`. The token of a pull request from a fork cannot set a status: docs/ci.md has a recipe for that.';
const CHECK_ADVICE =
  'The token must be that of a GitHub App, as `${{ github.token }}` is, and the job needs `permissions: checks: write`.';

type CheckRun = { id: number; external_id: string | null };

export function githubStatuses({ base, headers }: Repository): Statuses {
  return {
    async set({ commit, name, state, description, url }) {
      const content = { state, context: name, description, target_url: url };
      await askForSuccess(
        { method: 'POST', url: `${base}/statuses/${commit}`, headers, content },
        STATUS_ADVICE,
      );
    },
    async check({ commit, name, state, description, url, run, summary, annotations }) {
      const content = {
        name,
        head_sha: commit,
        details_url: url,
        external_id: run,
        ...(state === 'pending' ? { status: 'in_progress' } : { status: 'completed', conclusion: state }),
        output: {
          title: description,
          summary,
          annotations: annotations.map(({ file, line, title, message }) => ({
            path: file,
            start_line: line,
            end_line: line,
            annotation_level: 'failure',
            title,
            message,
          })),
        },
      };
      const open = await openCheck(commit, name, run);
      const request =
        open === null
          ? ({ method: 'POST', url: `${base}/check-runs`, headers, content } as const)
          : ({ method: 'PATCH', url: `${base}/check-runs/${open}`, headers, content } as const);
      await askForSuccess(request, CHECK_ADVICE);
    },
  };

  /**
   * The check that was made while the run was open: it would stay in progress for ever. One that is completed is not changed,
   * because GitHub adds annotations to those that it has; a new one of its name takes its place.
   */
  async function openCheck(commit: string, name: string, run: string): Promise<number | null> {
    const query = new URLSearchParams({ check_name: name, status: 'in_progress' });
    const url = `${base}/commits/${commit}/check-runs?${query}`;
    const answer = (await askForSuccess({ method: 'GET', url, headers }, CHECK_ADVICE)) as {
      check_runs?: CheckRun[];
    };
    return answer.check_runs?.find(({ external_id }) => external_id === run)?.id ?? null;
  }
}
