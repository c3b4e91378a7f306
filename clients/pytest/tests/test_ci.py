"""Branch, commit, build, pull request, actor and environment of a run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pytest_testledger.ci import run_facts

COMMIT = "0123456789abcdef0123456789abcdef01234567"

SERVICES = {
    "github": (
        {
            "GITHUB_ACTIONS": "true",
            "GITHUB_SHA": COMMIT,
            "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_HEAD_REF": "guests",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": "shop/shop",
            "GITHUB_RUN_ID": "99",
            "GITHUB_ACTOR": "ada",
        },
        "https://github.com/shop/shop/actions/runs/99",
    ),
    "gitlab": (
        {
            "GITLAB_CI": "true",
            "CI_COMMIT_SHA": COMMIT,
            "CI_COMMIT_REF_NAME": "refs/merge-requests/7/head",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "guests",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_PIPELINE_ID": "99",
            "CI_PIPELINE_URL": "https://gitlab.com/shop/shop/-/pipelines/99",
            "GITLAB_USER_LOGIN": "ada",
        },
        "https://gitlab.com/shop/shop/-/pipelines/99",
    ),
    "jenkins": (
        {
            "JENKINS_URL": "https://ci",
            "GIT_COMMIT": COMMIT,
            "BRANCH_NAME": "PR-7",
            "CHANGE_BRANCH": "guests",
            "CHANGE_ID": "7",
            "CHANGE_AUTHOR": "ada",
            "BUILD_NUMBER": "99",
            "BUILD_URL": "https://ci/job/shop/99/",
        },
        "https://ci/job/shop/99/",
    ),
    "circleci": (
        {
            "CIRCLECI": "true",
            "CIRCLE_SHA1": COMMIT,
            "CIRCLE_BRANCH": "guests",
            "CIRCLE_PULL_REQUEST": "https://github.com/shop/shop/pull/7",
            "CIRCLE_WORKFLOW_ID": "99",
            "CIRCLE_BUILD_URL": "https://circleci.com/gh/shop/shop/99",
            "CIRCLE_USERNAME": "ada",
        },
        "https://circleci.com/gh/shop/shop/99",
    ),
    "azurePipelines": (
        {
            "BUILD_BUILDURI": "vstfs:///Build/Build/99",
            "BUILD_BUILDID": "99",
            "BUILD_SOURCEVERSION": "f" * 40,
            "SYSTEM_PULLREQUEST_SOURCECOMMITID": COMMIT,
            "BUILD_SOURCEBRANCH": "refs/pull/7/merge",
            "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/guests",
            "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER": "7",
            "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI": "https://dev.azure.com/shop/",
            "SYSTEM_TEAMPROJECT": "shop",
            "BUILD_BUILDNUMBER": "99",
            "BUILD_REQUESTEDFOR": "ada",
        },
        "https://dev.azure.com/shop/shop/_build/results?buildId=99",
    ),
}


@pytest.mark.parametrize("service", SERVICES)
def test_knows_the_pull_request_of_each_service(service: str, tmp_path: Path) -> None:
    env, url = SERVICES[service]
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"ref": "guests", "sha": COMMIT}}}))
    assert run_facts({**env, "GITHUB_EVENT_PATH": str(event)}, tmp_path) == {
        "ci": service,
        "branch": "guests",
        "commit": COMMIT,
        "pull_request": "7",
        "ci_url": url,
        "build": f"{service} 99" if service != "github" else "github shop/shop 99",
        "actor": "ada",
    }


def test_never_takes_the_branch_of_a_fork_for_one_of_the_project(tmp_path: Path) -> None:
    event = tmp_path / "event.json"

    def on_github(head: object) -> str:
        base = {"repo": {"full_name": "shop/shop"}}
        event.write_text(json.dumps({"pull_request": {"number": 7, "base": base, "head": head}}))
        env = {**SERVICES["github"][0], "GITHUB_HEAD_REF": "main", "GITHUB_EVENT_PATH": str(event)}
        return run_facts(env, tmp_path)["branch"]

    assert on_github({"repo": {"full_name": "eve/shop"}, "label": "eve:main"}) == "eve:main"
    assert on_github({"repo": None, "label": "eve:main"}) == "eve:main"
    assert on_github({"repo": {"full_name": "shop/shop"}, "label": "shop:main"}) == "main"
    gitlab = {
        **SERVICES["gitlab"][0],
        "CI_MERGE_REQUEST_PROJECT_ID": "4",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "5",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "eve/tools/shop",
    }
    assert run_facts(gitlab, tmp_path)["branch"] == "eve/tools:guests"
    azure = {**SERVICES["azurePipelines"][0], "SYSTEM_PULLREQUEST_ISFORK": "True"}
    assert run_facts(azure, tmp_path)["branch"] == "fork:guests"
    circleci = {**SERVICES["circleci"][0], "CIRCLE_BRANCH": "pull/7", "CIRCLE_PR_USERNAME": "eve"}
    assert run_facts(circleci, tmp_path)["branch"] == "eve:pull/7"
    # Two branches of one repository have two names.
    assert run_facts({**azure, "SYSTEM_PULLREQUEST_ISFORK": "False"}, tmp_path)["branch"] == "guests"
    target = {"SYSTEM_PULLREQUEST_ISFORK": "False", "SYSTEM_PULLREQUEST_TARGETBRANCH": "guests"}
    assert run_facts({**azure, **target}, tmp_path)["branch"] == "fork:guests"


_JENKINS = {"JENKINS_URL": "https://ci", "GIT_COMMIT": COMMIT, "GIT_BRANCH": "origin/main"}
_MULTIBRANCH = {"CHANGE_ID": "7", "CHANGE_BRANCH": "main", "CHANGE_TARGET": "main"}
_BUILDER = {
    "ghprbPullId": "7",
    "ghprbSourceBranch": "main",
    "ghprbTargetBranch": "main",
    "ghprbGhRepository": "shop/shop",
    "ghprbPullAuthorLogin": "eve",
}
_MERGE_REQUEST = {
    "gitlabMergeRequestId": "99123",
    "gitlabMergeRequestIid": "7",
    "gitlabMergeRequestLastCommit": COMMIT,
    "gitlabSourceBranch": "main",
    "gitlabTargetBranch": "main",
    "gitlabSourceNamespace": "shop",
    "gitlabTargetNamespace": "shop",
    "GIT_COMMIT": "f" * 40,
}


@pytest.mark.parametrize(
    ("env", "branch"),
    [
        (_MULTIBRANCH, "fork:main"),
        ({**_MULTIBRANCH, "CHANGE_FORK": "eve"}, "eve:main"),
        ({**_MULTIBRANCH, "CHANGE_TARGET": "next"}, "main"),
        (_BUILDER, "eve:main"),
        ({**_BUILDER, "ghprbAuthorRepoGitUrl": "https://github.com/eve/shop.git"}, "eve:main"),
        (
            {
                **_BUILDER,
                "ghprbSourceBranch": "guests",
                "ghprbAuthorRepoGitUrl": "https://github.com/Shop/shop.git",
            },
            "guests",
        ),
        (_MERGE_REQUEST, "fork:main"),
        ({**_MERGE_REQUEST, "gitlabSourceNamespace": "eve"}, "eve:main"),
        ({**_MERGE_REQUEST, "gitlabTargetBranch": "next"}, "main"),
    ],
)
def test_names_the_fork_for_each_plugin_of_jenkins(tmp_path: Path, env: dict[str, str], branch: str) -> None:
    facts = run_facts({**_JENKINS, **env}, tmp_path)
    assert facts == {"ci": "jenkins", "branch": branch, "commit": COMMIT, "pull_request": "7"}


def test_takes_off_the_one_remote_of_the_checkout_on_jenkins(checkout: Path) -> None:
    def branch(name: str) -> str:
        return run_facts({**_JENKINS, "GIT_BRANCH": name}, checkout)["branch"]

    assert [branch("origin/main"), branch("upstream/main")] == ["main", "upstream/main"]
    git(checkout, "remote", "add", "upstream", "https://github.com/shop/shop.git")
    assert [branch("upstream/main"), branch("a/b"), branch("main")] == ["main", "a/b", "main"]
    # Another remote may be that of a fork.
    git(checkout, "remote", "add", "eve", "https://github.com/eve/shop.git")
    assert [branch("upstream/main"), branch("eve/main")] == ["upstream/main", "eve/main"]


def test_names_no_branch_where_the_event_of_a_pull_request_cannot_be_read(checkout: Path) -> None:
    env = {**SERVICES["github"][0], "GITHUB_EVENT_PATH": str(checkout / "none.json")}
    facts = run_facts(env, checkout)
    assert facts["pull_request"] == "7"
    assert "branch" not in facts
    assert "commit" not in facts


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("how", ["plain", "packed", "detached", "worktree", "below"])
def test_knows_branch_and_commit_of_a_checkout(checkout: Path, tmp_path: Path, how: str) -> None:
    commit = git(checkout, "rev-parse", "HEAD")
    folder, branch = checkout, "main"
    if how == "packed":
        git(checkout, "pack-refs", "--all")
    elif how == "detached":
        git(checkout, "checkout", "-q", "--detach")
    elif how == "worktree":
        folder, branch = tmp_path / "tree", "topic"
        git(checkout, "worktree", "add", "-q", "-b", "topic", str(folder))
    elif how == "below":
        folder = checkout / "a" / "b"
        folder.mkdir(parents=True)
    expected = {"commit": commit} if how == "detached" else {"commit": commit, "branch": branch}
    assert run_facts({}, folder) == expected


def test_knows_nothing_without_a_service_and_a_checkout(tmp_path: Path) -> None:
    assert run_facts({}, tmp_path) == {}


_HEAD = {"ref": "guests", "sha": "bbbb", "label": "stranger:guests", "repo": {"full_name": "acme/shop"}}
_PULL = {"number": 12, "head": _HEAD, "base": {"repo": {"full_name": "acme/shop"}}}
_RUN = {
    "head_branch": "guests",
    "head_sha": "bbbb",
    "head_repository": {"full_name": "stranger/shop"},
    "pull_requests": [],
}
_GUESTS = {"name": "guests", "commit": {"sha": "bbbb"}}
_MAIN = {"name": "main", "commit": {"sha": "aaaa"}}
_QUEUE = "gh-readonly-queue/main/pr-12-0123abc"


@pytest.mark.parametrize(
    ("name", "event", "facts"),
    [
        ("pull_request", {"pull_request": _PULL}, {"branch": "guests", "commit": "bbbb", "pull_request": "12"}),
        ("pull_request_review", {"pull_request": _PULL}, {"branch": "guests", "commit": "bbbb", "pull_request": "12"}),
        (
            "workflow_run",
            {"workflow_run": _RUN, "repository": {"full_name": "acme/shop"}},
            {"branch": "stranger:guests", "commit": "bbbb"},
        ),
        (
            "merge_group",
            {"merge_group": {"head_ref": f"refs/heads/{_QUEUE}", "head_sha": "cccc"}},
            {"branch": _QUEUE, "commit": "cccc", "pull_request": "12"},
        ),
        ("issue_comment", {"issue": {"number": 12, "pull_request": {}}}, {"pull_request": "12"}),
        ("issue_comment", {"issue": {"number": 12}}, {"branch": "main", "commit": "aaaa"}),
        ("issue_comment", {}, {}),
        ("pull_request_target", {"pull_request": _PULL}, {"branch": "guests", "commit": "bbbb", "pull_request": "12"}),
        ("check_suite", {"check_suite": _RUN}, {"branch": "guests", "commit": "bbbb"}),
        (
            "check_run",
            {"check_run": {"head_sha": "bbbb", "check_suite": {"head_branch": "guests", "head_sha": "cccc"}}},
            {"branch": "guests", "commit": "bbbb"},
        ),
        ("status", {"sha": "bbbb", "branches": [_GUESTS, _MAIN]}, {"branch": "guests", "commit": "bbbb"}),
        ("status", {"sha": "cccc", "branches": [_GUESTS]}, {}),
        ("status", {"sha": "bbbb", "branches": [_GUESTS, {**_GUESTS, "name": "main"}]}, {}),
        ("status", {}, {}),
        ("workflow_run", {}, {}),
        ("schedule", {}, {"branch": "main", "commit": "aaaa"}),
    ],
)
def test_names_what_was_tested_on_github_for_the_event(
    tmp_path: Path, name: str, event: dict[str, object], facts: dict[str, str]
) -> None:
    file = tmp_path / "event.json"
    file.write_text(json.dumps(event))
    env = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": name,
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_SHA": "aaaa",
        "GITHUB_EVENT_PATH": str(file),
    }
    assert run_facts(env, tmp_path) == {"ci": "github", **facts}
