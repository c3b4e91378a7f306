"""Where the tests run, and in which build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Ledger
from pytest_testledger.build import build_of, job_of
from pytest_testledger.environment import operating_system, read_environment

# The command line is tested with the same file: a gate compares the texts of both.
_BUILDS = Path(__file__).parents[3] / "test" / "client" / "ci-builds.json"
BUILDS = json.loads(_BUILDS.read_text("utf-8"))


@pytest.mark.parametrize("row", BUILDS, ids=[row["service"] for row in BUILDS])
def test_names_one_build_for_all_jobs_of_it(row: dict[str, Any]) -> None:
    env = row["env"]
    assert build_of(env) == row["build"]
    assert build_of({**env, **row["job"]}) == row["build"]
    assert build_of({**env, **row["other"]}) not in (None, row["build"])
    assert build_of({**env, "TESTLEDGER_BUILD": "chain 7"}) == "chain 7"
    if "os" in row:
        assert operating_system(env) == row["os"]


@pytest.mark.parametrize("row", BUILDS, ids=[row["service"] for row in BUILDS])
def test_names_one_job_for_all_starts_of_it(row: dict[str, Any]) -> None:
    env, starts = row["env"], row["starts"]
    if starts is None:
        assert job_of(env) == {}
        return
    first, again = job_of({**env, **starts["first"]}), job_of({**env, **starts["first"], **starts["again"]})
    assert first["job"] == again["job"] == starts["job"]
    assert first["job_start"] != again["job_start"]
    assert job_of({**env, **starts["first"], **starts["other"]})["job"] != starts["job"]


def test_knows_no_build_outside_of_a_service() -> None:
    assert build_of({"CI": "true"}) is None
    assert build_of({"TESTLEDGER_BUILD": "7"}) == "7"


@pytest.mark.parametrize(
    ("texts", "pairs"),
    [
        (["os=windows, Node=22"], {"os": "windows", "node": "22"}),
        (
            ['{"os": "windows", "node": 22, "on": true, "none": null}'],
            {"os": "windows", "node": "22", "on": "true"},
        ),
        (["null", "", "a=1", "b=2"], {"a": "1"}),
        (["null"], {"os": "windows"}),
        (["node="], {"os": "windows"}),
    ],
)
def test_reads_pairs_and_json_and_else_the_operating_system(texts: list[str], pairs: dict[str, str]) -> None:
    env = {"GITHUB_ACTIONS": "true", "RUNNER_OS": "Windows"}
    assert read_environment(texts, env) == (pairs, ())


def test_leaves_out_what_the_server_does_not_understand() -> None:
    text = json.dumps({"os": "linux", "nested": {"a": 1}, "a b": 1, "list": "a,b", "long": "x" * 256})
    pairs, warnings = read_environment([text], {})
    assert pairs == {"os": "linux"}
    assert len(warnings) == 4


@pytest.mark.parametrize("text", ["windows", "os=a,b", '{"os":', "[1]", ",".join(f"n{n}=1" for n in range(11))])
def test_refuses_what_is_no_environment(text: str) -> None:
    with pytest.raises(ValueError, match="environment"):
        read_environment([text], {})


def test_sends_it_with_each_call(pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch) -> None:
    clean_env.setenv("TESTLEDGER_ENVIRONMENT", "node=20")
    pytester.makepyfile(
        "import pytest\n@pytest.mark.parametrize('n', range(40))\ndef test_it(n): assert 0, 'x' * 60_000\n"
    )
    result = pytester.runpytest("--testledger-environment", '{"node": 22, "tools": []}', "-q")
    assert len(ledger.posts) > 1
    for post in ledger.posts:
        assert post.json["metadata"]["environment"] == {"node": "22"}
    said = [line for line in result.outlines if line.startswith("testledger: warning")]
    assert said == ['testledger: warning: "tools" is left out of the environment: it is nested']


def test_is_off_where_it_is_wrong(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest("--testledger-environment=windows")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["testledger: off (an environment is like os=windows,node=22*"])
    assert ledger.calls == []
