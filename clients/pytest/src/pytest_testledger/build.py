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
    job: tuple[str, ...] = ()
    """What all starts of a job in one build have in common, where a job is started again in the same build."""
    start: str | None = None
    """Which start of the job this is."""


# docs/ci.md has the table.
_SERVICES = (
    _Service(
        "APPVEYOR",
        "appveyor",
        ("APPVEYOR_REPO_NAME",),
        "APPVEYOR_BUILD_ID",
        job=("APPVEYOR_JOB_NUMBER", "APPVEYOR_JOB_NAME"),
        start="APPVEYOR_JOB_ID",
    ),
    _Service(
        "BUILD_BUILDURI",
        "azurePipelines",
        ("BUILD_REPOSITORY_NAME",),
        "BUILD_BUILDID",
        os="AGENT_OS",
        job=("SYSTEM_STAGENAME", "SYSTEM_PHASENAME", "AGENT_JOBNAME"),
        start="SYSTEM_JOBATTEMPT",
    ),
    _Service(
        "BITBUCKET_BUILD_NUMBER",
        "bitbucket",
        ("BITBUCKET_REPO_FULL_NAME",),
        "BITBUCKET_BUILD_NUMBER",
        job=("BITBUCKET_STEP_UUID",),
        start="BITBUCKET_STEP_RUN_NUMBER",
    ),
    _Service(
        "BUILDKITE",
        "buildkite",
        ("BUILDKITE_REPO",),
        "BUILDKITE_BUILD_ID",
        job=("BUILDKITE_STEP_ID", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_LABEL"),
        start="BUILDKITE_RETRY_COUNT",
    ),
    _Service("CIRCLECI", "circleci", ("CIRCLE_PROJECT_USERNAME", "CIRCLE_PROJECT_REPONAME"), "CIRCLE_WORKFLOW_ID"),
    _Service("DRONE", "drone", ("DRONE_REPO_OWNER", "DRONE_REPO_NAME"), "DRONE_BUILD_NUMBER", os="DRONE_STAGE_OS"),
    _Service(
        "GITHUB_ACTIONS",
        "github",
        ("GITHUB_REPOSITORY",),
        "GITHUB_RUN_ID",
        "GITHUB_RUN_ATTEMPT",
        os="RUNNER_OS",
        job=("GITHUB_JOB",),
        start="GITHUB_RUN_ATTEMPT",
    ),
    _Service("GITLAB_CI", "gitlab", ("CI_PROJECT_PATH",), "CI_PIPELINE_ID", job=("CI_JOB_NAME",), start="CI_JOB_ID"),
    _Service("JENKINS_URL", "jenkins", ("JOB_NAME",), "BUILD_NUMBER"),
    _Service(
        "SEMAPHORE",
        "semaphore",
        ("SEMAPHORE_GIT_REPO_SLUG",),
        "SEMAPHORE_WORKFLOW_ID",
        job=("SEMAPHORE_BLOCK_NAME", "SEMAPHORE_JOB_NAME", "SEMAPHORE_JOB_INDEX"),
        start="SEMAPHORE_PIPELINE_ID",
    ),
    _Service("TEAMCITY_VERSION", "teamcity", ("TEAMCITY_PROJECT_NAME",), "BUILD_NUMBER"),
    _Service("TRAVIS", "travis", ("TRAVIS_REPO_SLUG",), "TRAVIS_BUILD_ID", os="TRAVIS_OS_NAME"),
    _Service("CI", "woodpecker", ("CI_REPO_OWNER", "CI_REPO_NAME"), "CI_PIPELINE_NUMBER"),
)


def build_of(env: Env) -> str | None:
    build = env.get("TESTLEDGER_BUILD") or _whole_build(env)
    service = _service_of(env)
    if env.get("TESTLEDGER_BUILD") or build is None or service is None:
        return build
    start = env.get(service.attempt or "")
    return f"{build} attempt {start}" if start else build


def job_of(env: Env) -> dict[str, str]:
    """Tells a job that was started again from another job of the build: by it a gate finds the newest start."""
    service, build = _service_of(env), _whole_build(env)
    # A promotion on Semaphore is another pipeline of the workflow, whose blocks may have the same names.
    if service is None or build is None or env.get("SEMAPHORE_PIPELINE_PROMOTION") == "true":
        return {}
    job = " ".join(env[name] for name in service.job if env.get(name))
    start = env.get(service.start or "")
    return {"job": f"{build} {job}", **({"job_start": start} if start else {})} if job else {}


def _whole_build(env: Env) -> str | None:
    """Without its start."""
    service = _service_of(env)
    if service is None or not env.get(service.number):
        return None
    values = [env.get(name) for name in service.repository]
    repository = "/".join(value for value in values if value) if all(values) else ""
    if service.name == "jenkins":
        # A leg of a matrix project has its axes there.
        repository = re.sub(r"/[^/=]+=[^/]*$", "", repository)
    elif service.name == "buildkite":
        repository = re.sub(r"^\w+://[^/]+/|^[^@/]+@[^:]+:|(\.git)?/?$", "", repository)
    elif service.name == "teamcity":
        repository = f"{repository} {env.get('TEAMCITY_BUILDCONF_NAME', '')}".strip()
    return " ".join(part for part in (service.name, repository, env[service.number]) if part)


def runner_os(env: Env) -> str | None:
    service = _service_of(env)
    return env.get(service.os) if service is not None and service.os else None


def _service_of(env: Env) -> _Service | None:
    for service in _SERVICES:
        value = env.get(service.detect)
        if value and (service.detect != "CI" or value == "woodpecker"):
            return service
    return None
