/** Which forge, and which pull request, the job is for, by the variables of its CI server. */
import type { Repository } from './forge-request.js';
import { githubComments } from './github/comments.js';
import { githubIssues } from './github/issues.js';
import { githubRepository } from './github/repository.js';
import { githubStatuses } from './github/statuses.js';
import { gitlabNotes } from './gitlab/comments.js';
import { gitlabIssues } from './gitlab/issues.js';
import { gitlabProject } from './gitlab/project.js';
import { gitlabStatuses } from './gitlab/statuses.js';
import type { Issues } from './issues/issues.js';
import type { Comments } from './keep-comment.js';
import type { Statuses } from './statuses/statuses.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What is missing, for a person. */
type Missing = { missing: string };

export type Found = { comments: Comments } | Missing;

/**
 * Returns the comments of the pull request, or says what is missing for a person. `pullRequest` is its number where the
 * caller knows it, as from a flag or the run itself.
 */
export function commentsOf(env: Env, pullRequest: string | null): Found {
  const found = forgeOf(env);
  if ('missing' in found) return found;
  const { forge, repository } = found;
  switch (forge) {
    case 'github':
      if (!isNumber(pullRequest)) return { missing: 'the job is not for a pull request' };
      return { comments: githubComments(repository, pullRequest) };
    case 'gitlab': {
      const mergeRequest = pullRequest ?? env['CI_MERGE_REQUEST_IID'] ?? null;
      if (!isNumber(mergeRequest)) return { missing: 'the pipeline is not for a merge request' };
      return { comments: gitlabNotes(repository, mergeRequest) };
    }
  }
}

export function statusesOf(env: Env): { statuses: Statuses } | Missing {
  const found = forgeOf(env);
  if ('missing' in found) return found;
  const { forge, repository } = found;
  switch (forge) {
    case 'github':
      return { statuses: githubStatuses(repository) };
    case 'gitlab': {
      const { CI_PIPELINE_ID: pipeline, CI_COMMIT_SHA: commit } = env;
      return { statuses: gitlabStatuses(repository, { pipeline, commit }) };
    }
  }
}

export function issuesOf(env: Env): { issues: Issues } | Missing {
  const found = forgeOf(env);
  if ('missing' in found) return found;
  const { forge, repository } = found;
  switch (forge) {
    case 'github':
      return { issues: githubIssues(repository) };
    case 'gitlab':
      return { issues: gitlabIssues(repository) };
  }
}

function forgeOf(env: Env): { forge: 'github' | 'gitlab'; repository: Repository } | Missing {
  const { GITHUB_REPOSITORY: repository, CI_API_V4_URL: gitlab, CI_PROJECT_ID: project } = env;
  if (repository) {
    const { GITHUB_TOKEN: token, GITHUB_API_URL: api = 'https://api.github.com' } = env;
    if (!token) return { missing: 'GITHUB_TOKEN is not set: a step must set it to `${{ github.token }}`' };
    return { forge: 'github', repository: githubRepository({ api, repository, token }) };
  }
  if (!gitlab)
    return {
      missing:
        'the environment is that of neither GitHub nor GitLab: GITHUB_REPOSITORY or CI_API_V4_URL is not set',
    };
  const token = env['TESTLEDGER_GITLAB_TOKEN'] ?? env['GITLAB_TOKEN'];
  if (!token)
    return {
      missing: 'TESTLEDGER_GITLAB_TOKEN is not set: it is a project access token with the scope `api`',
    };
  if (!project) return { missing: 'CI_PROJECT_ID is not set' };
  return { forge: 'gitlab', repository: gitlabProject({ api: gitlab, project, token }) };
}

/** It becomes a part of a path. */
function isNumber(text: string | null): text is string {
  return text !== null && /^\d{1,18}$/u.test(text);
}
