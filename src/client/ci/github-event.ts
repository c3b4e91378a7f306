/** Whose code a workflow of GitHub tested, from its event: docs/ci.md, "Where a run comes from". */
import { readFileSync } from 'node:fs';
import { ofFork } from './fork-branch.js';

export type Source = {
  branch?: string | undefined;
  commit?: string | undefined;
  pull_request?: string | undefined;
  /** The branch that a pull request is for, where `env-ci` does not read it. */
  target?: string | undefined;
  /** The event does not say it: branch and commit of the environment are those of the default branch. */
  isUnknown?: boolean;
};

type Env = Readonly<Record<string, string | undefined>>;
type Repository = { full_name?: unknown } | null;
type Event = {
  number?: unknown;
  pull_request?: {
    number?: unknown;
    head?: { ref?: unknown; sha?: unknown; label?: unknown; repo?: Repository };
    base?: { repo?: Repository };
  };
  workflow_run?: {
    head_branch?: unknown;
    head_sha?: unknown;
    head_repository?: Repository;
    pull_requests?: { number?: unknown }[] | null;
  };
  check_suite?: { head_branch?: unknown; head_sha?: unknown };
  check_run?: { check_suite?: Event['check_suite']; head_sha?: unknown };
  sha?: unknown;
  branches?: { name?: unknown; commit?: { sha?: unknown } }[] | null;
  merge_group?: { head_ref?: unknown; head_sha?: unknown };
  issue?: { number?: unknown; pull_request?: unknown };
  repository?: Repository;
};

/**
 * A pull request is built at a merge commit that its author did not push, and an event that follows one (a comment, the
 * end of another workflow) runs on the default branch: the event has the commit and the branch that were proposed.
 */
export function sourceOnGitHub(env: Env): Source {
  const event = eventOf(env['GITHUB_EVENT_PATH']);
  switch (env['GITHUB_EVENT_NAME']) {
    case 'workflow_run':
      return ofWorkflowRun(event);
    case 'check_suite':
      return ofCheck(event.check_suite);
    case 'check_run':
      return ofCheck({ ...event.check_run?.check_suite, head_sha: event.check_run?.head_sha });
    case 'status':
      return ofStatus(event);
    case 'merge_group':
      return ofMergeGroup(event, env);
    case 'issue_comment':
      // A comment on an issue runs on the default branch, and means it.
      return event.issue?.pull_request == null
        ? { isUnknown: event.issue === undefined }
        : { isUnknown: true, pull_request: text(event.issue.number) };
    default:
      return event.pull_request == null && !isOfPullRequest(env) ? ofRef(env) : ofPullRequest(event, env);
  }
}

function isOfPullRequest(env: Env): boolean {
  return Boolean(env['GITHUB_HEAD_REF']) || /^pull_request(?:_|$)/.test(env['GITHUB_EVENT_NAME'] ?? '');
}

function ofRef(env: Env): Source {
  // Of a tag, `env-ci` gives the whole ref: `refs/tags/v1`.
  return env['GITHUB_REF_TYPE'] === 'tag' ? { branch: env['GITHUB_REF_NAME'] } : {};
}

/** Without the event, nothing says whether the branch is that of a fork, nor which commit was merged. */
function ofPullRequest({ pull_request: pull, number }: Event, env: Env): Source {
  if (pull == null) return { isUnknown: true };
  const { head, base } = pull;
  const branch = env['GITHUB_HEAD_REF'] || text(head?.ref);
  return {
    commit: text(head?.sha),
    branch: branch && ofRepository(branch, head?.repo, base?.repo, text(head?.label)?.split(':')[0]),
    pull_request: text(pull.number ?? number),
  };
}

function ofWorkflowRun({ workflow_run: run, repository }: Event): Source {
  const [commit, branch] = [text(run?.head_sha), text(run?.head_branch)];
  if (commit === undefined || branch === undefined) return { isUnknown: true };
  const owner = text(run?.head_repository?.full_name)?.split('/')[0];
  return {
    commit,
    branch: ofRepository(branch, run?.head_repository, repository, owner),
    // It lists those of the own repository alone.
    pull_request: text(run?.pull_requests?.[0]?.number),
  };
}

function ofCheck(suite: Event['check_suite']): Source {
  const [commit, branch] = [text(suite?.head_sha), text(suite?.head_branch)];
  return commit === undefined || branch === undefined ? { isUnknown: true } : { commit, branch };
}

/**
 * Lists the branches that contain the commit, also those into which it was merged: only one that ends with the commit
 * can be meant. It lists none for the commit of a fork.
 */
function ofStatus({ sha, branches }: Event): Source {
  const commit = text(sha);
  const [branch, ...others] = (branches ?? []).filter((each) => text(each.commit?.sha) === commit);
  const name = text(branch?.name);
  return commit === undefined || name === undefined || others.length > 0
    ? { isUnknown: true }
    : { commit, branch: name };
}

/** `refs/heads/gh-readonly-queue/main/pr-7-0123abc` */
function ofMergeGroup({ merge_group: group }: Event, env: Env): Source {
  const branch = (text(group?.head_ref) ?? env['GITHUB_REF'])?.replace(/^refs\/heads\//, '');
  return {
    branch,
    commit: text(group?.head_sha) ?? env['GITHUB_SHA'],
    pull_request: /\/pr-(\d+)-[0-9a-f]+$/.exec(branch ?? '')?.[1],
  };
}

/** With the owner of a fork: its `main` is not that of the project, and no baseline. */
function ofRepository(
  branch: string,
  head: Repository | undefined,
  base: Repository | undefined,
  owner: string | undefined,
): string {
  const target = text(base?.full_name);
  // A fork that was deleted has no repository.
  return target === undefined || text(head?.full_name) === target ? branch : ofFork(owner, branch);
}

function eventOf(path: string | undefined): Event {
  if (!path) return {};
  try {
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof event === 'object' && event !== null ? event : {};
  } catch {
    // The file belongs to the runner and may be missing in a container.
    return {};
  }
}

function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined;
}
