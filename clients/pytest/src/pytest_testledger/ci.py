"""Branch, commit, build, pull request and actor of the CI, or of the git checkout, as metadata of the run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Optional

from .build import build_of
from .checkout import branch_of, head_of, remotes_of

Env = Mapping[str, str]
Facts = dict[str, Optional[str]]

_EVENT_BYTES = 4 * 1024 * 1024


def run_facts(env: Env, folder: Path) -> dict[str, str]:
    """Only what is known, each of at most 255 characters."""
    facts: Facts = next((read(env, folder) for detect, read in _SERVICES if env.get(detect)), {})
    # Where the event of GitHub does not say whose code it was, the checkout does not either: it is a merge commit, or
    # the default branch.
    if not facts.get("commit") and facts.get("ci") != "github":
        facts = {**head_of(folder), **{name: value for name, value in facts.items() if value}}
    facts = {**facts, "build": build_of(env)}
    return {name: value for name, value in facts.items() if value and len(value) <= 255}


def _github(env: Env, _folder: Path) -> Facts:
    server, repository, run = (env.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    return {
        "ci": "github",
        **_github_source(env),
        "ci_url": f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None,
        "actor": env.get("GITHUB_ACTOR"),
    }


def _github_source(env: Env) -> Facts:
    """Whose code was tested: an event that follows another one runs on the default branch."""
    event = _github_event(env)
    name = env.get("GITHUB_EVENT_NAME")
    if name == "workflow_run":
        run = _object(event, "workflow_run")
        pulls = run.get("pull_requests") or [{}]
        owner = str(_object(run, "head_repository").get("full_name") or "").partition("/")[0]
        is_of_fork = _full_name(run, "head_repository") != _full_name(event, "repository")
        return _source(
            run.get("head_branch"), run.get("head_sha"), pulls[0].get("number"), owner if is_of_fork else None
        )
    if name in ("check_suite", "check_run"):
        run = _object(event, "check_run")
        suite = _object(run, "check_suite") if name == "check_run" else _object(event, "check_suite")
        branch, commit = suite.get("head_branch"), run.get("head_sha") or suite.get("head_sha")
        # A check of a fork names no branch.
        return _source(branch, commit if branch else None, None, None)
    if name == "status":
        return _source(*_github_status(event), None, None)
    if name == "merge_group":
        group = _object(event, "merge_group")
        branch = branch_of(group.get("head_ref") or env.get("GITHUB_REF"))
        pull = re.search(r"/pr-(\d+)-[0-9a-f]+$", branch or "")
        return _source(branch, group.get("head_sha") or env.get("GITHUB_SHA"), pull and pull[1], None)
    issue = _object(event, "issue")
    if name == "issue_comment" and (not issue or "pull_request" in issue):
        return _source(None, None, issue.get("number"), None)
    pull = _object(event, "pull_request")
    number = pull.get("number") or _number_in(env.get("GITHUB_REF", ""))
    if pull or env.get("GITHUB_HEAD_REF") or re.match(r"pull_request(_|$)", name or ""):
        head, base = _object(pull, "head"), _object(pull, "base")
        branch = (env.get("GITHUB_HEAD_REF") or head.get("ref")) if pull else None
        is_of_fork = bool(base) and _full_name(head, "repo") != _full_name(base, "repo")
        owner = str(head.get("label") or "fork").partition(":")[0]
        return _source(branch, head.get("sha"), number, owner if is_of_fork else None)
    named = branch_of(env.get("GITHUB_REF")) or env.get("GITHUB_REF_NAME")
    return _source(named, env.get("GITHUB_SHA"), number, None)


def _github_status(event: Any) -> tuple[Any, Any]:
    """It lists the branches that contain the commit: only one that ends with it can be meant."""
    sha = event.get("sha") if isinstance(event, dict) else None
    listed = (event.get("branches") if sha else None) or []
    names = [each.get("name") for each in listed if _object(each, "commit").get("sha") == sha]
    return (names[0], sha) if len(names) == 1 and names[0] else (None, None)


def _source(branch: Any, commit: Any, pull_request: Any, fork: str | None) -> Facts:
    return {
        "branch": _of_fork(fork, branch) if fork is not None else branch,
        "commit": commit,
        "pull_request": str(pull_request) if pull_request else None,
    }


def _number_in(ref: str) -> str | None:
    match = re.fullmatch(r"refs/pull/(\d+)/.*", ref)
    return match and match[1]


def _object(value: Any, name: str) -> Any:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _full_name(value: Any, name: str) -> Any:
    """Of a repository; a fork that was deleted has none."""
    return _object(value, name).get("full_name")


def _github_event(env: Env) -> Any:
    try:
        with open(env.get("GITHUB_EVENT_PATH", ""), encoding="utf-8") as file:
            return json.loads(file.read(_EVENT_BYTES))
    except (OSError, ValueError):
        return {}


def _of_fork(owner: str | None, branch: str | None) -> str | None:
    """With its owner: the `main` of a fork is not that of the project, and no baseline."""
    return f"{owner or 'fork'}:{branch}" if branch else None


def _gitlab(env: Env, _folder: Path) -> Facts:
    return {
        "ci": "gitlab",
        "branch": _gitlab_head(env) or env.get("CI_COMMIT_REF_NAME"),
        # Set for merged results alone, whose own commit is a merge that nobody wrote.
        "commit": env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or env.get("CI_COMMIT_SHA"),
        "pull_request": env.get("CI_MERGE_REQUEST_IID"),
        "ci_url": env.get("CI_PIPELINE_URL"),
        "actor": env.get("GITLAB_USER_LOGIN"),
    }


def _gitlab_head(env: Env) -> str | None:
    branch = env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
    source, target = env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID"), env.get("CI_MERGE_REQUEST_PROJECT_ID")
    if not source or not target or source == target:
        return _unlike(env.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"), branch)
    return _of_fork(env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH", "").rpartition("/")[0], branch)


def _jenkins(env: Env, folder: Path) -> Facts:
    merge_request = env.get("gitlabMergeRequestId")
    return {
        "ci": "jenkins",
        "branch": _jenkins_pull(env)
        or env.get("BRANCH_NAME")
        or env.get("GIT_LOCAL_BRANCH")
        or _without_remote(env.get("GIT_BRANCH"), folder),
        "commit": env.get("ghprbActualCommit")
        or (env.get("gitlabMergeRequestLastCommit") if merge_request else None)
        or env.get("GIT_COMMIT"),
        "pull_request": env.get("CHANGE_ID")
        or env.get("ghprbPullId")
        or (env.get("gitlabMergeRequestIid") or merge_request),
        "ci_url": env.get("BUILD_URL"),
        "actor": env.get("CHANGE_AUTHOR") or env.get("BUILD_USER_ID"),
    }


def _jenkins_pull(env: Env) -> str | None:
    """The branch of a pull request: each plugin that builds them has variables of its own."""
    change, fork = env.get("CHANGE_BRANCH"), env.get("CHANGE_FORK")
    if change:
        return _of_fork(fork, change) if fork else _unlike(env.get("CHANGE_TARGET"), change)
    if env.get("ghprbPullId"):
        branch, target = env.get("ghprbSourceBranch"), env.get("ghprbTargetBranch")
        owner = _owner_of_url(env.get("ghprbAuthorRepoGitUrl"))
        # It is empty for a fork that was deleted. Members propose branches of the project too, so the author alone
        # says nothing.
        if not owner and branch == target:
            return _of_fork(env.get("ghprbPullAuthorLogin"), branch)
        own = env.get("ghprbGhRepository", "").rpartition("/")[0] or _owner_of_url(env.get("GIT_URL")) or ""
        is_of_fork = owner is not None and owner.lower() != own.lower()
        return _of_fork(owner, branch) if is_of_fork else _unlike(target, branch)
    if env.get("gitlabMergeRequestId"):
        branch = env.get("gitlabSourceBranch")
        # Two namespaces may be displayed by the same name, so the address counts too.
        for what in ("Namespace", "RepoHttpUrl"):
            source, target = env.get(f"gitlabSource{what}"), env.get(f"gitlabTarget{what}")
            if source and target and source != target:
                return _of_fork(env.get("gitlabSourceNamespace"), branch)
        return _unlike(env.get("gitlabTargetBranch"), branch)
    return None


def _without_remote(branch: str | None, folder: Path) -> str | None:
    """`release/main` may be a whole branch. So a remote other than `origin` is taken off only where it is the one of
    the checkout: of two, the other may be a fork."""
    remote, slash, rest = (branch or "").partition("/")
    return rest if slash and (remote == "origin" or remotes_of(folder) == [remote]) else branch


def _owner_of_url(url: str | None) -> str | None:
    match = re.search(r"[:/]([^:/]+)/[^/]+$", url or "")
    return match and match[1]


def _unlike(target: str | None, branch: str | None) -> str | None:
    """Two branches of one repository have two names: a branch into one of its name is that of a fork."""
    return _of_fork(None, branch) if branch == target else branch


def _circleci(env: Env, _folder: Path) -> Facts:
    branch, fork = env.get("CIRCLE_BRANCH"), env.get("CIRCLE_PR_USERNAME")
    return {
        "ci": "circleci",
        "branch": _of_fork(fork, branch) if fork else branch,
        "commit": env.get("CIRCLE_SHA1"),
        "pull_request": (env.get("CIRCLE_PULL_REQUEST") or "").rpartition("/")[2] or None,
        "ci_url": env.get("CIRCLE_BUILD_URL"),
        "actor": env.get("CIRCLE_USERNAME"),
    }


def _azure(env: Env, _folder: Path) -> Facts:
    server, project, build = (
        env.get(name) for name in ("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI", "SYSTEM_TEAMPROJECT", "BUILD_BUILDID")
    )
    source = branch_of(env.get("SYSTEM_PULLREQUEST_SOURCEBRANCH"))
    is_of_fork = env.get("SYSTEM_PULLREQUEST_ISFORK") == "True"
    target = branch_of(env.get("SYSTEM_PULLREQUEST_TARGETBRANCH"))
    head = _of_fork(None, source) if is_of_fork else _unlike(target, source)
    url = f"{server.rstrip('/')}/{project}/_build/results?buildId={build}" if server and project else None
    return {
        "ci": "azurePipelines",
        "branch": head or branch_of(env.get("BUILD_SOURCEBRANCH")),
        "commit": env.get("SYSTEM_PULLREQUEST_SOURCECOMMITID") or env.get("BUILD_SOURCEVERSION"),
        "pull_request": env.get("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER") or env.get("SYSTEM_PULLREQUEST_PULLREQUESTID"),
        "ci_url": url,
        "actor": env.get("BUILD_REQUESTEDFOR"),
    }


# The variable that names the service, and its facts.
_SERVICES: tuple[tuple[str, Callable[[Env, Path], Facts]], ...] = (
    ("GITHUB_ACTIONS", _github),
    ("GITLAB_CI", _gitlab),
    ("JENKINS_URL", _jenkins),
    ("CIRCLECI", _circleci),
    ("BUILD_BUILDURI", _azure),
)
