/** Whose code a build of Jenkins tested: each plugin that builds pull requests has variables of its own. */
import { execFileSync } from 'node:child_process';
import { ofFork, ofOther, ownerOf, ownerOfUrl } from './fork-branch.js';
import type { Source } from './github-event.js';

type Env = Readonly<Record<string, string | undefined>>;

export function sourceOnJenkins(env: Env, cwd: string): Source {
  if (env['CHANGE_BRANCH']) return ofMultibranch(env, env['CHANGE_BRANCH']);
  if (env['ghprbPullId']) return ofPullRequestBuilder(env);
  if (env['gitlabMergeRequestId']) return ofMergeRequest(env);
  return { branch: env['BRANCH_NAME'] || env['GIT_LOCAL_BRANCH'] || withoutRemote(env['GIT_BRANCH'], cwd) };
}

/** A multibranch job names a pull request by its number only: `PR-12`. */
function ofMultibranch({ CHANGE_FORK: fork, CHANGE_TARGET: target }: Env, change: string): Source {
  return { branch: fork ? ofFork(fork, change) : change, target };
}

/** The GitHub Pull Request Builder. */
function ofPullRequestBuilder(env: Env): Source {
  const [branch, target] = [env['ghprbSourceBranch'], env['ghprbTargetBranch']];
  const owner = ownerOfUrl(env['ghprbAuthorRepoGitUrl']);
  // It is empty for a fork that was deleted. The author alone says nothing: members propose branches of the project too.
  if (branch && !owner && branch === target) return { branch: ofFork(env['ghprbPullAuthorLogin'], branch) };
  return { branch: ofOther(branch, owner, ownerOf(env['ghprbGhRepository']) ?? ownerOfUrl(env['GIT_URL'])) };
}

/** The GitLab plugin. It sets most variables for a push too, where the commit is that of `GIT_COMMIT`. */
function ofMergeRequest(env: Env): Source {
  const differs = (what: string) => {
    const [source, target] = [env[`gitlabSource${what}`], env[`gitlabTarget${what}`]];
    return Boolean(source && target) && source !== target;
  };
  const branch = env['gitlabSourceBranch'];
  // Two namespaces may be displayed by the same name, so the address counts too.
  const isOfFork = differs('Namespace') || differs('RepoHttpUrl');
  return {
    branch: branch && isOfFork ? ofFork(env['gitlabSourceNamespace'], branch) : branch,
    commit: env['gitlabMergeRequestLastCommit'],
    pull_request: env['gitlabMergeRequestIid'],
  };
}

/**
 * A job that is not multibranch names the remote too: `origin/main`. No variable says what the remote is called, and
 * `release/main` may be a whole branch, which must not become `main`. So a name other than `origin` is taken off only
 * where it is that of the one remote of the checkout: of two, the other may be a fork.
 */
function withoutRemote(branch: string | undefined, cwd: string): string | undefined {
  const [remote, ...rest] = branch?.split('/') ?? [];
  if (!remote || rest.length === 0) return branch;
  const isRemote = remote === 'origin' || remotesOf(cwd) === remote;
  return isRemote ? rest.join('/') : branch;
}

/** The names of the remotes, each on a line. */
function remotesOf(cwd: string): string {
  try {
    return execFileSync('git', ['remote'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    // There is no git, or no checkout.
    return '';
  }
}
