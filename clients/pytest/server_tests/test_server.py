"""Whole sessions against a real server: the run that is read back agrees with what pytest printed."""

from __future__ import annotations

from collections import Counter

import pytest

from conftest import Project

SUITE = """
import pytest

@pytest.mark.parametrize("n", range(300))
def test_many(n):
    if n % 50 == 0:
        raise ValueError(f"bad {n}")

class TestKinds:
    def test_skips(self): pytest.skip("not now")
    @pytest.mark.xfail(reason="bug 7")
    def test_xfails(self): assert 0
    @pytest.mark.xfail
    def test_xpasses(self): pass
    def test_errs(self, broken): pass

@pytest.fixture
def broken(): raise OSError("no disk")
"""


def expect_as_printed(project: Project, result: pytest.RunResult) -> None:
    printed = result.parseoutcomes()
    run = project.run()
    assert Counter(each["status"] for each in run["standing"]) == Counter(
        {
            "passed": printed.get("passed", 0) + printed.get("xpassed", 0),
            "failed": printed.get("failed", 0) + printed.get("errors", 0),
            "skipped": printed.get("skipped", 0),
            "known_fail": printed.get("xfailed", 0),
        }
    )
    assert len(run["superseded"]) == printed.get("rerun", 0)
    assert run["status"] == "completed"
    failed = printed.get("failed", 0) + printed.get("errors", 0)
    assert run["outcome"] == ("failed" if failed else "passed")


@pytest.mark.parametrize("args", [[], ["-n2"]], ids=["alone", "xdist"])
def test_the_run_has_the_counts_that_pytest_printed(
    pytester: pytest.Pytester, project: Project, args: list[str]
) -> None:
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess(*args)
    result.assert_outcomes(passed=294, failed=6, skipped=1, xfailed=1, xpassed=1, errors=1)
    expect_as_printed(project, result)
    assert "warning" not in result.stdout.str()


def test_a_repeat_of_a_shard_counts_each_test_once(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(SUITE)
    args = ["--testledger-run-key=build 7", "--testledger-shard=1/1"]
    first = pytester.runpytest_subprocess(*args)
    expect_as_printed(project, first)
    again = pytester.runpytest_subprocess(*args, "--testledger-shard-attempt=2")
    again.assert_outcomes(passed=294, failed=6, skipped=1, xfailed=1, xpassed=1, errors=1)
    run = project.run()
    assert Counter(each["status"] for each in run["standing"])["failed"] == 7
    assert run["test_count"] == len(run["standing"]) == 304
    assert len(run["superseded"]) == 304


def test_two_sessions_with_a_run_key_are_one_run(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(test_a="def test_a(): pass", test_b="def test_b(): assert 0")
    pytester.runpytest_subprocess("test_a.py", "--testledger-run-key=build 7", "--testledger-no-complete")
    assert project.run()["status"] == "running"
    pytester.runpytest_subprocess("test_b.py", "--testledger-run-key=build 7")
    run = project.run()
    assert (run["status"], run["outcome"], run["test_count"]) == ("completed", "failed", 2)


def test_the_last_shard_completes_the_run(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(test_a="def test_a(): pass", test_b="def test_b(): pass")
    pytester.runpytest_subprocess("test_a.py", "--testledger-run-key=build 7", "--testledger-shard=1/2")
    assert project.run()["status"] == "running"
    pytester.runpytest_subprocess("test_b.py", "--testledger-run-key=build 7", "--testledger-shard=2/2")
    run = project.run()
    assert (run["status"], run["test_count"]) == ("completed", 2)


def test_a_shard_without_tests_completes_the_run(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile("def test_a(): pass")
    pytester.runpytest_subprocess("--testledger-run-key=build 7", "--testledger-shard=1/2")
    pytester.runpytest_subprocess("--testledger-run-key=build 7", "--testledger-shard=2/2", "-k", "none")
    run = project.run()
    assert (run["status"], run["outcome"], run["test_count"]) == ("completed", "passed", 1)


def test_reruns_are_attempts_and_the_test_is_flaky(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(
        """
        seen = []
        def test_flaky():
            seen.append(1)
            assert len(seen) == 3
        """
    )
    result = pytester.runpytest_subprocess("--reruns=5")
    result.assert_outcomes(passed=1)
    expect_as_printed(project, result)
    assert [each["attempt"] for each in project.run()["superseded"]] == [1, 2]
    (test,) = project.api.call("GET", f"/v1/projects/{project.id}/tests")["data"]
    assert test["state"] == "flaky"


def test_failures_have_groups_with_type_and_stack(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(SUITE)
    pytester.runpytest_subprocess()
    run = project.run()
    failed = next(each for each in run["standing"] if each["name"].endswith("test_many[50]"))
    assert failed["error"]["type"] == "ValueError"
    assert failed["error"]["message"] == "ValueError: bad 50"
    assert failed["line"] == 3
    assert failed["file"].endswith(".py")
    groups = project.api.call("GET", f"/v1/test-runs/{run['id']}/failures")["data"]
    assert {group["kind"] for group in groups} == {"frame", "hook"}


def test_an_attachment_can_be_downloaded_from_its_result(pytester: pytest.Pytester, project: Project) -> None:
    pytester.makepyfile(
        """
        def test_other(): pass
        def test_it(testledger_attach):
            testledger_attach(b"pixels", "screen.png")
        """
    )
    result = pytester.runpytest_subprocess()
    assert "warning" not in result.stdout.str()
    (owner,) = (each for each in project.run()["standing"] if each["name"].endswith("test_it"))
    call = project.api.call
    (artifact,) = call("GET", f"/v1/test/artifact/?test_result_id={owner['id']}")["items"]
    assert (artifact["label"], artifact["kind"], artifact["content_type"]) == ("screen.png", "Image", "image/png")
    url = call("GET", f"/v1/test/artifact/{artifact['artifact_id']}/download")["download_url"]
    assert project.api.read("GET", url, key=False) == b"pixels"


def test_the_server_takes_the_longest_texts_and_strangest_characters(
    pytester: pytest.Pytester, project: Project
) -> None:
    pytester.makepyfile(
        r"""
        import pytest, sys

        @pytest.mark.parametrize("text", ["\x01", "\ud800", "\0", "é", "x" * 300, "\\"])
        def test_it(text, record_property):
            for n in range(300):
                record_property(f"p{n}", text * 1000)
            print("\x01" * 1_000_000)
            print("\x01" * 1_000_000, file=sys.stderr)
            raise ValueError("begin" + text * 300_000 + "end")
        """
    )
    result = pytester.runpytest_subprocess("-q")
    result.assert_outcomes(failed=6)
    expect_as_printed(project, result)
