"""The build of the CI service, as the same text that the command line makes: by it a gate finds all runs of a build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

Env = Mapping[str, str]


class _Service(NamedTuple):
    detect: str
    name: str
    repository: tuple[str, ...]
    """Variables whose values are joined by a slash."""
    number: str
    attempt: str | None = None
    """Where the service counts the starts of the whole build, and not those of each job."""
    os: str | None = None
    """The operating system of the runner."""


# docs/ci.md has the table.
_SERVICES = (
    _Service("APPVEYOR", "appveyor", ("APPVEYOR_REPO_NAME",), "APPVEYOR_BUILD_ID"),
    _Service("BUILD_BUILDURI", "azurePipelines", ("BUILD_REPOSITORY_NAME",), "BUILD_BUILDID", os="AGENT_OS"),
    _Service("BITBUCKET_BUILD_NUMBER", "bitbucket", ("BITBUCKET_REPO_FULL_NAME",), "BITBUCKET_BUILD_NUMBER"),
    _Service("BUILDKITE", "buildkite", ("BUILDKITE_REPO",), "BUILDKITE_BUILD_ID"),
    _Service("CIRCLECI", "circleci", ("CIRCLE_PROJECT_USERNAME", "CIRCLE_PROJECT_REPONAME"), "CIRCLE_WORKFLOW_ID"),
    _Service("DRONE", "drone", ("DRONE_REPO_OWNER", "DRONE_REPO_NAME"), "DRONE_BUILD_NUMBER", os="DRONE_STAGE_OS"),
    _Service("GITHUB_ACTIONS", "github", ("GITHUB_REPOSITORY",), "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", os="RUNNER_OS"),
    _Service("GITLAB_CI", "gitlab", ("CI_PROJECT_PATH",), "CI_PIPELINE_ID"),
    _Service("JENKINS_URL", "jenkins", ("JOB_NAME",), "BUILD_NUMBER"),
    _Service("SEMAPHORE", "semaphore", ("SEMAPHORE_GIT_REPO_SLUG",), "SEMAPHORE_WORKFLOW_ID"),
    _Service("TEAMCITY_VERSION", "teamcity", ("TEAMCITY_PROJECT_NAME",), "BUILD_NUMBER"),
    _Service("TRAVIS", "travis", ("TRAVIS_REPO_SLUG",), "TRAVIS_BUILD_ID", os="TRAVIS_OS_NAME"),
    _Service("CI", "woodpecker", ("CI_REPO_OWNER", "CI_REPO_NAME"), "CI_PIPELINE_NUMBER"),
)


def build_of(env: Env) -> str | None:
    own = env.get("TESTLEDGER_BUILD")
    service = _service_of(env)
    if own or service is None or not env.get(service.number):
        return own or None
    values = [env.get(name) for name in service.repository]
    repository = "/".join(value for value in values if value) if all(values) else ""
    if service.name == "jenkins":
        # A leg of a matrix project has its axes there.
        repository = re.sub(r"/[^/=]+=[^/]*$", "", repository)
    elif service.name == "buildkite":
        repository = re.sub(r"^\w+://[^/]+/|^[^@/]+@[^:]+:|(\.git)?/?$", "", repository)
    elif service.name == "teamcity":
        repository = f"{repository} {env.get('TEAMCITY_BUILDCONF_NAME', '')}".strip()
    start = env.get(service.attempt or "")
    parts = (service.name, repository, env[service.number], f"attempt {start}" if start else "")
    return " ".join(part for part in parts if part)


def runner_os(env: Env) -> str | None:
    service = _service_of(env)
    return env.get(service.os) if service is not None and service.os else None


def _service_of(env: Env) -> _Service | None:
    for service in _SERVICES:
        value = env.get(service.detect)
        if value and (service.detect != "CI" or value == "woodpecker"):
            return service
    return None
