"""A session without a stored key gets one for the token of its CI service."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from conftest import PROJECT, Call, Ledger

ONE_TEST = "def test_one(): pass\n"


@pytest.fixture
def unkeyed(ledger: Ledger, clean_env: pytest.MonkeyPatch) -> Ledger:
    clean_env.delenv("TESTLEDGER_API_KEY")
    clean_env.setenv("TESTLEDGER_PROJECT", PROJECT)
    for name in ("URL", "TOKEN"):
        clean_env.delenv(f"ACTIONS_ID_TOKEN_REQUEST_{name}", raising=False)

    def answer(call: Call) -> tuple[int, Any] | None:
        if call.path.startswith("/token"):
            return 200, {"value": "of the build"}
        if call.path == "/v1/ci-token":
            return 200, {"data": {"key": "tl_of_the_build"}}
        return None

    ledger.refuse = answer
    return ledger


def test_asks_github_for_a_token_and_posts_with_the_key_for_it(
    pytester: pytest.Pytester, unkeyed: Ledger, clean_env: pytest.MonkeyPatch
) -> None:
    clean_env.setenv("ACTIONS_ID_TOKEN_REQUEST_URL", f"{unkeyed.url}/token?api-version=2")
    clean_env.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "of the job")
    pytester.makepyfile(ONE_TEST)
    pytester.runpytest().assert_outcomes(passed=1)
    asked, exchanged, posted = unkeyed.calls[:3]
    assert asked.path == f"/token?api-version=2&audience={quote(unkeyed.url, safe='')}"
    assert asked.headers["Authorization"] == "Bearer of the job"
    assert exchanged.json == {"token": "of the build", "project_id": PROJECT, "ttl": "PT6H"}
    assert "Authorization" not in exchanged.headers
    assert posted.headers["Authorization"] == "Bearer tl_of_the_build"
    assert len(unkeyed.results) == 1


def test_takes_the_token_that_gitlab_sets(
    pytester: pytest.Pytester, unkeyed: Ledger, clean_env: pytest.MonkeyPatch
) -> None:
    clean_env.setenv("TESTLEDGER_ID_TOKEN", "set")
    pytester.makepyfile(ONE_TEST)
    pytester.runpytest().assert_outcomes(passed=1)
    assert unkeyed.calls[0].json["token"] == "set"
    assert len(unkeyed.results) == 1


def test_says_that_a_build_names_its_project_by_its_id(
    pytester: pytest.Pytester, unkeyed: Ledger, clean_env: pytest.MonkeyPatch
) -> None:
    clean_env.setenv("TESTLEDGER_ID_TOKEN", "set")
    clean_env.setenv("TESTLEDGER_PROJECT", "shop")
    pytester.makepyfile(ONE_TEST)
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["testledger: off (*names its project by its id*"])
    assert unkeyed.calls == []
