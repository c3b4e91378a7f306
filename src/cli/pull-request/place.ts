/** Which pull request the job is for, by the variables of its CI server. */
import type { Comments } from './comment.js';
import { githubComments } from './github.js';
import { gitlabNotes } from './gitlab.js';

type Env = Readonly<Record<string, string | undefined>>;

export type Found = { comments: Comments } | { missing: string };

/**
 * Returns the comments of the pull request, or says what is missing for a person. `pullRequest` is its number where the
 * caller knows it, as from a flag or the run itself.
 */
export function commentsOf(env: Env, pullRequest: string | null): Found {
  if (env['GITHUB_REPOSITORY']) return onGitHub(env, env['GITHUB_REPOSITORY'], pullRequest);
  if (env['CI_API_V4_URL']) return onGitLab(env, env['CI_API_V4_URL'], pullRequest);
  return { missing: 'the environment is that of neither GitHub nor GitLab' };
}

function onGitHub(env: Env, repository: string, pullRequest: string | null): Found {
  const { GITHUB_TOKEN: token, GITHUB_API_URL: api = 'https://api.github.com' } = env;
  if (!token) return { missing: 'GITHUB_TOKEN is not set: a step must set it to `${{ github.token }}`' };
  if (!isNumber(pullRequest)) return { missing: 'the job is not for a pull request' };
  return { comments: githubComments({ api, repository, pullRequest, token }) };
}

function onGitLab(env: Env, api: string, pullRequest: string | null): Found {
  const { CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: ofJob } = env;
  const token = env['TESTLEDGER_GITLAB_TOKEN'] ?? env['GITLAB_TOKEN'];
  if (!token)
    return {
      missing: 'TESTLEDGER_GITLAB_TOKEN is not set: it is a project access token with the scope `api`',
    };
  const mergeRequest = pullRequest ?? ofJob ?? null;
  if (!isNumber(mergeRequest) || !project) return { missing: 'the pipeline is not for a merge request' };
  return { comments: gitlabNotes({ api, project, mergeRequest, token }) };
}

/** It becomes a part of a path. */
function isNumber(text: string | null): text is string {
  return text !== null && /^\d{1,18}$/u.test(text);
}
