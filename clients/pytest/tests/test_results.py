"""What becomes of each outcome of pytest."""

from __future__ import annotations

import json
import time
from datetime import datetime

import pytest

from conftest import PROJECT, Ledger


def test_posts_each_outcome_under_its_status(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_passes(): pass
        def test_fails(): assert 1 == 2
        @pytest.mark.skip(reason="not here")
        def test_skipped(): pass
        def test_skips_itself(): pytest.skip("not now")
        @pytest.mark.xfail(reason="bug 7")
        def test_xfails(): assert False
        @pytest.mark.xfail(reason="bug 8")
        def test_xpasses(): pass
        @pytest.mark.xfail(reason="bug 9", strict=True)
        def test_xpasses_strictly(): pass
        """
    )
    pytester.runpytest().assert_outcomes(passed=1, failed=2, skipped=2, xfailed=1, xpassed=1)
    results = ledger.by_name()
    assert {name: result["status"] for name, result in results.items()} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_skipped": "skipped",
        "test_skips_itself": "skipped",
        "test_xfails": "known_fail",
        "test_xpasses": "passed",
        "test_xpasses_strictly": "failed",
    }
    assert results["test_skipped"]["metadata"]["reason"] == "not here"
    assert results["test_skips_itself"]["metadata"]["reason"] == "not now"
    assert results["test_xfails"]["metadata"]["reason"] == "bug 7"
    assert "bug 9" in results["test_xpasses_strictly"]["error_message"]


def test_fails_a_test_whose_set_up_or_tear_down_failed(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def no_set_up(): raise OSError("no disk")
        @pytest.fixture
        def no_tear_down():
            yield
            raise OSError("still open")

        def test_a(no_set_up): pass
        def test_b(no_tear_down): pass
        def test_c(no_tear_down): raise ValueError("first")
        """
    )
    pytester.runpytest().assert_outcomes(passed=1, failed=1, errors=3)
    results = ledger.by_name()
    assert len(ledger.results) == 3
    a, b, c = (results[f"test_{name}"] for name in "abc")
    assert [each["status"] for each in (a, b, c)] == ["failed"] * 3
    assert a["metadata"]["error"]["hook"] == "setup"
    assert b["metadata"]["error"]["hook"] == "teardown"
    assert "hook" not in c["metadata"]["error"]
    assert [each["error_message"] for each in (a, b, c)] == [
        "OSError: no disk",
        "OSError: still open",
        "ValueError: first",
    ]


def test_describes_a_failure_by_type_message_stack_place_and_output(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        test_shop="""
        import sys
        class TestCart:
            def test_pays(self):
                print("to out")
                print("to err", file=sys.stderr)
                raise LookupError("no card")
        """
    )
    pytester.runpytest()
    (result,) = ledger.results
    assert result["name"] == "pytest › test_shop.TestCart › test_pays"
    assert result["error_message"] == "LookupError: no card"
    metadata = result["metadata"]
    assert metadata["file"] == "test_shop.py"
    assert metadata["line"] == 3
    assert metadata["suite"] == "test_shop.TestCart"
    assert metadata["error"]["type"] == "LookupError"
    assert "test_shop.py:6: LookupError" in metadata["error"]["stack"]
    assert metadata["output"] == {"stdout": "to out\n", "stderr": "to err\n"}
    assert result["duration_ms"] >= 0
    assert result["started_at"].endswith("Z")


def test_reports_files_that_cannot_be_collected(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        test_broken="import nothing_of_this_name",
        test_other="import pytest; pytest.skip('not on this machine', allow_module_level=True)",
    )
    pytester.runpytest().assert_outcomes(errors=1, skipped=1)
    results = ledger.by_name()
    assert results["test_broken"]["status"] == "failed"
    assert "nothing_of_this_name" in results["test_broken"]["error_message"]
    assert results["test_other"]["status"] == "skipped"
    assert results["test_other"]["metadata"]["reason"] == "not on this machine"


def test_keeps_reruns_as_attempts_of_one_call(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        import pytest
        seen = []
        @pytest.mark.flaky(reruns=3)
        def test_flaky():
            seen.append(1)
            assert len(seen) == 3
        @pytest.mark.flaky(reruns=1)
        def test_broken(broken): pass
        @pytest.fixture
        def broken(): raise OSError("no disk")
        """
    )
    pytester.runpytest().assert_outcomes(passed=1, errors=1)
    flaky = [result for result in ledger.results if "test_flaky" in result["name"]]
    assert [(result.get("attempt", 1), result["status"]) for result in flaky] == [
        (1, "failed"),
        (2, "failed"),
        (3, "passed"),
    ]
    broken = [result for result in ledger.results if "test_broken" in result["name"]]
    assert [result.get("attempt", 1) for result in broken] == [1, 2]
    assert all(result["metadata"]["error"]["hook"] == "setup" for result in broken)


def test_counts_failed_subtests_as_pytest_does(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytest.importorskip("_pytest.subtests")
    pytester.makepyfile(
        """
        def test_all(subtests):
            for n in range(4):
                with subtests.test("part", n=n):
                    assert n % 2 == 0
        """
    )
    pytester.runpytest().assert_outcomes(failed=3)
    assert [(result["name"].split(" › ")[-1], result["status"]) for result in ledger.results] == [
        ("test_all [part] (n=1)", "failed"),
        ("test_all [part] (n=3)", "failed"),
        ("test_all", "failed"),
    ]


def test_posts_doctests_with_their_failures(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(shop='def price():\n    """\n    >>> price()\n    2\n    """\n    return 1\n')
    pytester.runpytest("--doctest-modules").assert_outcomes(failed=1)
    (result,) = ledger.results
    assert result["name"] == "pytest › shop.price"
    assert "Expected:" in result["error_message"]


@pytest.mark.parametrize("dist", [["-n2"], ["-n2", "--dist=loadscope"]])
def test_posts_once_under_xdist(pytester: pytest.Pytester, ledger: Ledger, dist: list[str]) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.parametrize("n", range(20))
        def test_many(n, record_property):
            record_property("n", n)
            assert n != 7
        """
    )
    pytester.runpytest_subprocess(*dist).assert_outcomes(passed=19, failed=1)
    assert len(ledger.results) == 20
    assert {result["metadata"]["properties"]["n"] for result in ledger.results} == set(range(20))
    assert ledger.by_name()["test_many[7]"]["metadata"]["error"]["type"] == "AssertionError"
    assert [call.json.get("complete", False) for call in ledger.posts].count(True) == 1


def test_posts_the_test_in_which_a_worker_died(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile("import os\ndef test_dies(): os._exit(3)\ndef test_lives(): pass\n")
    pytester.runpytest_subprocess("-n1").assert_outcomes(passed=1, failed=1)
    results = ledger.by_name()
    assert results["test_dies"]["status"] == "failed"
    assert "crashed" in results["test_dies"]["error_message"]


def test_describes_the_run_once(pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch) -> None:
    clean_env.setenv("GITLAB_CI", "true")
    clean_env.setenv("CI_COMMIT_SHA", "c" * 40)
    clean_env.setenv("CI_COMMIT_REF_NAME", "main")
    pytester.makepyfile("def test_one(): pass")
    pytester.runpytest("--testledger-run-key=build 7", "--testledger-label=nightly")
    (post,) = (call for call in ledger.posts if "commit" in call.json["metadata"])
    body = post.json
    assert body["project_id"] == PROJECT
    assert body["run_key"] == "build 7"
    assert body["label"] == "nightly"
    assert ledger.posts[-1].json["complete"] is True
    assert body["metadata"]["commit"] == "c" * 40
    assert body["metadata"]["branch"] == "main"
    assert body["metadata"]["tool"] == "pytest"
    assert post.headers["Authorization"] == "Bearer tl_key"
    assert post.headers["Idempotency-Key"].startswith("pytest-")


def test_keeps_properties_within_bounds(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        r"""
        def test_it(record_property):
            record_property("owner", "team-pay")
            record_property("n", float("nan"))
            record_property("twice", 1)
            record_property("twice", 2)
            record_property("text", "a\0b\ud800")
            for n in range(1000):
                record_property(f"p{n}", "x" * 100)
        """
    )
    pytester.runpytest().assert_outcomes(passed=1)
    (result,) = ledger.results
    metadata = result["metadata"]
    assert metadata["owner"] == "team-pay"
    assert metadata["properties"]["n"] == "nan"
    assert metadata["properties"]["twice"] == [1, 2]
    assert metadata["properties"]["text"] == "a\ufffdb\ufffd"
    assert metadata["properties_left_out"] > 900


def test_cuts_long_texts_to_what_metadata_may_have(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        r"""
        def test_it(record_property):
            record_property("p", "\x01" * 100_000)
            print("\x01" * 1_000_000)
            raise ValueError("begin" + "\x01" * 1_000_000 + "end")
        """
    )
    pytester.runpytest("-q").assert_outcomes(failed=1)
    (result,) = ledger.results
    assert len(json.dumps(result["metadata"], ensure_ascii=False).encode()) <= 65_536
    assert len(json.dumps(result["error_message"]).encode()) <= 256 * 1024
    assert result["error_message"].startswith("ValueError: begin")
    assert result["error_message"].endswith("end")
    assert "characters left out" in result["error_message"]


def test_tells_when_a_test_began_although_tests_replace_the_clock(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.fixture(scope="module", autouse=True)
        def in_2099():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("_pytest.timing.time", lambda: 4_070_908_800.0)
                yield
        def test_passes(): pass
        def test_fails(): assert 0
        """
    )
    began = time.time()
    pytester.runpytest().assert_outcomes(passed=1, failed=1)
    for result in ledger.by_name().values():
        started = datetime.fromisoformat(result["started_at"].replace("Z", "+00:00")).timestamp()
        assert began - 1 < started < time.time()
