"""Where the results go, from flags, environment and ini file, in that order."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from .build import job_of
from .build_key import TokenOffer, offered_token
from .environment import Environment, read_environment
from .masking import Masker

PROJECT_ID = re.compile(r"project_[0-9a-z]{26}")


class Shard(NamedTuple):
    number: int
    total: int
    attempt: int


class Settings(NamedTuple):
    url: str
    api_key: str
    project: str
    run_key: str
    label: str | None
    environment: Environment
    shard: Shard | None
    complete: bool
    job: dict[str, str]
    """The job that made the run; empty where the user gave the key, by which several jobs may join one run."""
    offer: TokenOffer | None = None
    """The token that the server gives a key for. Where it is there, `api_key` is empty."""
    masker: Masker | None = None


class Off(NamedTuple):
    """Why nothing is posted."""

    reason: str


# The API key is no option: flags show in the list of processes, and ini files are committed.
_OPTIONS = {
    "url": "the address of the server",
    "project": "the id or the name of the project",
    "run_key": "joins several sessions to one run of the project",
    "label": "the label of the run",
    "environment": "os=windows,node=22 or a JSON object: where the tests run; default: the operating system",
    "shard": "i/n: this session is shard i of n; its results are posted at the end, in one call",
    "shard_attempt": "a higher attempt of a shard replaces its results, test by test",
}


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("testledger", "testledger: post the results to a server")
    for name, meaning in _OPTIONS.items():
        flag = "--testledger-" + name.replace("_", "-")
        group.addoption(flag, dest="testledger_" + name, default=None, help=meaning)
        parser.addini("testledger_" + name, meaning, default="")
    group.addoption(
        "--testledger-no-complete",
        dest="testledger_no_complete",
        action="store_true",
        default=False,
        help="leave the run open at the end, for other sessions with its run key",
    )
    group.addoption(
        "--testledger-no-mask",
        dest="testledger_no_mask",
        action="store_true",
        default=False,
        help="send secrets as they are",
    )
    group.addoption(
        "--no-testledger",
        dest="testledger_off",
        action="store_true",
        default=False,
        help="post nothing",
    )


def read_settings(config: pytest.Config, env: Mapping[str, str] = os.environ) -> Settings | Off:
    if config.getoption("testledger_off"):
        return Off("--no-testledger")
    values = {name: _value(config, env, name) for name in _OPTIONS}
    # A secret that was set from a file ends with a line feed.
    api_key = env.get("TESTLEDGER_API_KEY", "").strip()
    offer = None if api_key else offered_token(env)
    missing = [
        name
        for name, value in (
            ("TESTLEDGER_URL", values["url"]),
            ("TESTLEDGER_API_KEY", api_key or offer),
            ("TESTLEDGER_PROJECT", values["project"]),
        )
        if not value
    ]
    if missing:
        return Off(f"{' and '.join(missing)} not set")
    problem = _problem(values["url"], api_key or None)
    if problem is not None:
        return Off(problem)
    if offer is not None and PROJECT_ID.fullmatch(values["project"]) is None:
        return Off("without an API key, a build names its project by its id, which stands on the page of its settings")
    try:
        environment = read_environment(_texts(config, env, "environment"), env)
        shard = _shard(values["shard"], values["shard_attempt"] or env.get("GITHUB_RUN_ATTEMPT") or "1")
    except ValueError as error:
        return Off(str(error))
    if shard is not None and not values["run_key"]:
        return Off("a shard needs a run key that all shards know")
    no_mask = config.getoption("testledger_no_mask") or env.get("TESTLEDGER_MASK") == "false"
    return Settings(
        url=values["url"].rstrip("/"),
        api_key=api_key,
        project=values["project"],
        # Without a key of the user each session is a run of its own.
        run_key=values["run_key"] or f"pytest {uuid.uuid4()}",
        label=values["label"] or None,
        environment=environment,
        shard=shard,
        job={} if values["run_key"] else job_of(env),
        complete=not config.getoption("testledger_no_complete"),
        offer=offer,
        masker=None if no_mask else Masker(env),
    )


def _value(config: pytest.Config, env: Mapping[str, str], name: str) -> str:
    return next((text for text in _texts(config, env, name) if text), "")


def _texts(config: pytest.Config, env: Mapping[str, str], name: str) -> list[str]:
    """Of the flag, the variable and the ini file."""
    flag, ini = config.getoption("testledger_" + name), config.getini("testledger_" + name)
    return [str(text or "").strip() for text in (flag, env.get("TESTLEDGER_" + name.upper()), ini)]


def _problem(url: str, api_key: str | None) -> str | None:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        return "TESTLEDGER_URL is no http or https URL"
    # A line break in a header would make every request fail.
    if api_key is not None and re.fullmatch(r"[\x21-\x7e]+", api_key) is None:
        return "TESTLEDGER_API_KEY has characters that no key has"
    return None


def _shard(text: str, attempt: str) -> Shard | None:
    if not text:
        return None
    match = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]) <= 1000:
        raise ValueError(f"the shard {text!r} is not i/n with 1 <= i <= n <= 1000")
    if re.fullmatch(r"\d{1,4}", attempt) is None or not 1 <= int(attempt) <= 1000:
        raise ValueError(f"the attempt {attempt!r} of the shard is not 1 to 1000")
    return Shard(int(match[1]), int(match[2]), int(attempt))
