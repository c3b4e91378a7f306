/** Statuses of a commit on GitLab, by its REST API. It has no checks. */
import { ask, refusalOf, type Repository } from '../forge-request.js';
import type { CommitStatus, Statuses } from '../statuses/statuses.js';

const ADVICE =
  'The token needs the scope `api` and the role Developer or above; on a protected branch, the right to push to it. The token of a CI job cannot set a status.';

const states: Record<CommitStatus['state'], string> = {
  pending: 'running',
  success: 'success',
  failure: 'failed',
};

/** The pipeline of the job, and the commit that it is of. */
export type Pipeline = { pipeline: string | undefined; commit: string | undefined };

export function gitlabStatuses({ base, headers }: Repository, { pipeline, commit: own }: Pipeline): Statuses {
  return {
    async set({ commit, name, state, description, url }) {
      // Without it, GitLab takes the newest pipeline of the commit, which may be another one than that of the merge request.
      const isOwn = pipeline !== undefined && commit === own;
      const content = {
        state: states[state],
        name,
        description,
        target_url: url,
        ...(isOwn && { pipeline_id: Number(pipeline) }),
      };
      const request = { method: 'POST', url: `${base}/statuses/${commit}`, headers, content } as const;
      const answer = await ask(request);
      const isSuccess = answer.status >= 200 && answer.status < 300;
      // The status has this state already: some versions of GitLab call that a fault.
      if (!isSuccess && !isRepeated(answer)) throw refusalOf(request, answer, ADVICE);
    },
    check: null,
  };
}

function isRepeated({ status, body }: { status: number; body: unknown }): boolean {
  const { message } = (body ?? {}) as { message?: unknown };
  return status === 400 && /cannot transition status/iu.test(JSON.stringify(message ?? ''));
}
