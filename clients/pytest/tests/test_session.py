"""The session around the results: what it says, how it ends, and what it does when the server does not answer."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import pytest

from conftest import PROJECT, Call, Ledger

PASSING = "import pytest\n@pytest.mark.parametrize('n', range(30))\ndef test_it(n): pass\n"


def warnings_in(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("testledger: warning")]


@pytest.mark.parametrize("missing", ["URL", "API_KEY", "PROJECT"])
def test_is_off_and_says_so_in_one_line_without_configuration(
    pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch, missing: str
) -> None:
    clean_env.delenv(f"TESTLEDGER_{missing}")
    pytester.makepyfile("def test_it(testledger_attach): testledger_attach(b'bytes', 'a.txt')")
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    said = [line for line in result.outlines if line.startswith("testledger")]
    assert said == [f"testledger: off (TESTLEDGER_{missing} not set)"]
    assert ledger.calls == []


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("--no-testledger", "off (--no-testledger)"),
        ("--testledger-url=ftp://host", "off (TESTLEDGER_URL is no http or https URL)"),
        ("--testledger-shard=3/2", "off (the shard '3/2' is not i/n with 1 <= i <= n <= 1000)"),
        ("--testledger-shard=1/2", "off (a shard needs a run key that all shards know)"),
    ],
)
def test_is_off_with_the_reason_for_wrong_options(
    pytester: pytest.Pytester, ledger: Ledger, flag: str, said: str
) -> None:
    pytester.makepyfile(PASSING)
    result = pytester.runpytest(flag)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"testledger: {said}".replace("[", "[[]")])
    assert ledger.calls == []


def test_prefers_flags_to_the_environment_and_that_to_the_ini_file(
    pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\ntestledger_label = ini label\ntestledger_run_key = ini key\ntestledger_project = x\n")
    clean_env.setenv("TESTLEDGER_RUN_KEY", "env key")
    clean_env.setenv("TESTLEDGER_PROJECT", "env project")
    pytester.makepyfile(PASSING)
    pytester.runpytest(f"--testledger-project={PROJECT}")
    body = ledger.posts[0].json
    assert (body["label"], body["run_key"], body["project_id"]) == ("ini label", "env key", PROJECT)


def test_does_not_show_the_key(pytester: pytest.Pytester, ledger: Ledger) -> None:
    ledger.refuse = lambda _: (401, {"error": {"code": "unauthorized", "message": "no such key"}})
    pytester.makepyfile(PASSING)
    result = pytester.runpytest("-vv")
    assert "tl_key" not in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    "test",
    ["def test_it(): pass", "def test_it(): assert 0", "import nothing_of_this_name", ""],
    ids=["passed", "failed", "broken", "none"],
)
def test_warns_once_and_keeps_the_exit_code_when_the_server_is_dead(
    pytester: pytest.Pytester, clean_env: pytest.MonkeyPatch, test: str
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        clean_env.setenv("TESTLEDGER_URL", f"http://127.0.0.1:{taken.getsockname()[1]}")
        clean_env.setenv("TESTLEDGER_API_KEY", "tl_key")
        clean_env.setenv("TESTLEDGER_PROJECT", "shop")
        pytester.makepyfile(test)
        without = pytester.runpytest("--no-testledger").ret
        began = time.monotonic()
        result = pytester.runpytest()
        assert time.monotonic() - began < 4
    assert result.ret == without
    expected = 0 if not test else 1
    assert len(warnings_in(result)) == expected
    assert "refused" in result.stdout.str() or not test


def test_ends_within_five_seconds_when_the_server_hangs(pytester: pytest.Pytester, ledger: Ledger) -> None:
    ledger.hangs = True
    pytester.makepyfile(PASSING)
    began = time.monotonic()
    result = pytester.runpytest_subprocess()
    took = time.monotonic() - began
    assert result.ret == 0
    assert took < 9, f"5 s, and the start of pytest, but took {took}"
    (warning,) = warnings_in(result)
    assert "30 of 30 results not sent" in warning


def test_ends_when_the_answer_never_ends(pytester: pytest.Pytester, clean_env: pytest.MonkeyPatch) -> None:
    """A byte now and then keeps a time limit for each read from ever passing."""
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def trickle() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not stop.wait(0.2):
                try:
                    connection.sendall(b"X: 1\r\n")
                except OSError:
                    return

    thread = threading.Thread(target=trickle, daemon=True)
    thread.start()
    clean_env.setenv("TESTLEDGER_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
    clean_env.setenv("TESTLEDGER_API_KEY", "tl_key")
    clean_env.setenv("TESTLEDGER_PROJECT", "shop")
    pytester.makepyfile(PASSING)
    began = time.monotonic()
    result = pytester.runpytest_subprocess()
    took = time.monotonic() - began
    stop.set()
    listener.close()
    assert result.ret == 0
    assert took < 9
    assert len(warnings_in(result)) == 1


def test_repeats_a_refused_call_with_the_same_key_and_body(pytester: pytest.Pytester, ledger: Ledger) -> None:
    def busy_at_first(call: Call) -> tuple[int, Any] | None:
        if call.path == "/v1/test-runs" and len(ledger.posts) < 3:
            return 503, {"error": {"code": "unavailable", "message": "busy"}}
        return None

    ledger.refuse = busy_at_first
    pytester.makepyfile(PASSING)
    result = pytester.runpytest()
    assert warnings_in(result) == []
    posts = ledger.posts[:3]
    assert len(posts) == 3
    assert len({call.headers["Idempotency-Key"] for call in posts}) == 1
    assert len({call.body for call in posts}) == 1


@pytest.mark.parametrize(
    ("status", "code"), [(401, "unauthorized"), (403, "forbidden"), (409, "conflict"), (400, "invalid_request")]
)
def test_names_the_refusal_and_does_not_repeat_it(
    pytester: pytest.Pytester, ledger: Ledger, status: int, code: str
) -> None:
    answer = {"error": {"code": code, "message": "because"}}
    ledger.refuse = lambda call: (status, answer) if call.path == "/v1/test-runs" else None
    pytester.makepyfile(PASSING)
    result = pytester.runpytest()
    assert result.ret == 0
    assert warnings_in(result) == [f"testledger: warning: 30 of 30 results not sent ({status} {code}: because)"]
    assert len(ledger.posts) == len({call.headers["Idempotency-Key"] for call in ledger.posts})


def test_leaves_out_the_results_that_the_server_refuses_and_posts_the_others_of_their_call(
    pytester: pytest.Pytester, ledger: Ledger
) -> None:
    def refuse_two(call: Call) -> tuple[int, Any] | None:
        results = call.json["results"] if call.path == "/v1/test-runs" else []
        wrong = [n for n, result in enumerate(results) if result["name"].endswith(("[3]", "[29]"))]
        errors = [{"pointer": f"/results/{n}/started_at", "code": "too_late"} for n in wrong]
        details = {"reason": "validation_failed", "errors": errors}
        return (
            (400, {"error": {"code": "invalid_request", "message": "because", "details": details}}) if wrong else None
        )

    ledger.refuse = refuse_two
    pytester.makepyfile(PASSING)
    result = pytester.runpytest()
    assert result.ret == 0
    assert warnings_in(result) == ["testledger: warning: 2 of 30 results not sent (400 validation_failed: because)"]
    accepted = [post.json for post in ledger.posts if refuse_two(post) is None]
    assert sum(len(post["results"]) for post in accepted) == 28
    assert accepted[-1]["complete"] is True
    assert accepted[-1]["metadata"]["results_left_out"] == 2


def test_makes_no_run_where_every_result_is_refused(pytester: pytest.Pytester, ledger: Ledger) -> None:
    def refuse_all(call: Call) -> tuple[int, Any] | None:
        if call.path != "/v1/test-runs" or not call.json["results"]:
            return None
        errors = [{"pointer": f"/results/{n}/started_at"} for n in range(len(call.json["results"]))]
        return (400, {"error": {"code": "invalid_request", "message": "because", "details": {"errors": errors}}})

    ledger.refuse = refuse_all
    pytester.makepyfile(PASSING)
    result = pytester.runpytest()
    assert warnings_in(result) == ["testledger: warning: 30 of 30 results not sent (400 invalid_request: because)"]
    assert [post for post in ledger.posts if refuse_all(post) is None] == []


def test_names_a_project_that_is_not_there(
    pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch
) -> None:
    clean_env.setenv("TESTLEDGER_PROJECT", "other")
    pytester.makepyfile(PASSING)
    (warning,) = warnings_in(pytester.runpytest())
    assert "there is no project 'other'" in warning
    assert ledger.posts == []


def test_sends_a_shard_in_one_call(pytester: pytest.Pytester, ledger: Ledger, clean_env: pytest.MonkeyPatch) -> None:
    clean_env.setenv("GITHUB_RUN_ATTEMPT", "3")
    pytester.makepyfile(PASSING)
    pytester.runpytest("--testledger-run-key=build 7", "--testledger-shard=2/4")
    (post,) = ledger.posts
    assert post.json["shard"] == {"index": 2, "total": 4, "attempt": 3}
    assert "complete" not in post.json
    assert len(post.json["results"]) == 30


def test_posts_a_shard_without_tests(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile("")
    pytester.runpytest("--testledger-run-key=build 7", "--testledger-shard=2/4")
    (post,) = ledger.posts
    assert post.json["shard"] == {"index": 2, "total": 4, "attempt": 1}
    assert post.json["results"] == []


def test_leaves_the_run_open_on_request(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(PASSING)
    pytester.runpytest("--testledger-no-complete", "--testledger-run-key=build 7")
    assert all("complete" not in call.json for call in ledger.posts)


def test_posts_while_the_tests_run(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        f"""
        import time, urllib.request
        def test_first(): pass
        def test_waits():
            # The second test ends when the first one was posted.
            until = time.monotonic() + 30
            while time.monotonic() < until:
                with urllib.request.urlopen("{ledger.url}/seen") as answer:
                    if answer.read() == b"true":
                        return
                time.sleep(0.05)
            assert False
        """
    )
    ledger.refuse = lambda call: (200, len(ledger.posts) > 0) if call.path == "/seen" else None
    pytester.runpytest().assert_outcomes(passed=2)
    assert len(ledger.posts) >= 2


def test_posts_although_tests_replace_the_http_client(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        import http.client, socket, time
        def test_it(monkeypatch):
            monkeypatch.setattr(http.client, "HTTPConnection", None)
            def no_socket(*args, **kwargs): raise RuntimeError("sockets are blocked")
            monkeypatch.setattr(socket, "socket", no_socket)
            time.sleep(2.5)
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert warnings_in(result) == []
    assert len(ledger.results) == 1


def test_posts_while_the_tests_run_although_one_replaces_the_clock(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        f"""
        import sys, threading, time, urllib.request
        real = time.monotonic
        def names():
            for module in [each for name, each in sys.modules.items() if name.startswith("pytest_testledger")]:
                for name, value in list(vars(module).items()):
                    if value is real:
                        yield module, name
        def ask(what):
            until = real() + 30
            while real() < until:
                with urllib.request.urlopen("{ledger.url}/" + what) as answer:
                    if answer.read() == b"true":
                        return
                threading.Event().wait(0.05)
            assert False
        def test_freezes_the_clock(monkeypatch):
            # As freezegun does it.
            for module, name in list(names()):
                monkeypatch.setattr(module, name, lambda: 4_070_908_800.0)
            threading.Event().wait(2.5)
        def test_passes(): pass
        def test_waits(): ask("seen")
        """
    )
    ledger.refuse = lambda call: (200, len(ledger.results) > 1) if call.path == "/seen" else None
    pytester.runpytest().assert_outcomes(passed=3)
