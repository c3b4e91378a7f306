"""Files of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import Call, Ledger
from test_session import warnings_in


def uploads(ledger: Ledger) -> dict[str, bytes]:
    return {call.path: call.body for call in ledger.calls if call.method == "PUT"}


@pytest.mark.parametrize("args", [[], ["-n2"]], ids=["alone", "xdist"])
def test_uploads_bytes_and_files_to_their_results(pytester: pytest.Pytester, ledger: Ledger, args: list[str]) -> None:
    pytester.makepyfile(
        """
        def test_none(): pass
        def test_two(testledger_attach, tmp_path, record_property):
            testledger_attach(b"pixels", "screen.png")
            file = tmp_path / "server.txt"
            file.write_text("line")
            testledger_attach(file)
            # Another test may write the same file again before it is uploaded.
            file.write_text("changed")
            own = tmp_path / "own.json"
            own.write_text("{}")
            record_property("attachment", str(own))
        """
    )
    result = pytester.runpytest_subprocess(*args)
    result.assert_outcomes(passed=2)
    assert warnings_in(result) == []
    records = [call.json for call in ledger.calls if call.path == "/v1/test/artifact/"]
    (owner,) = {record["test_result_id"] for record in records}
    assert owner == ledger.id_of("test_two")
    assert [(each["label"], each["kind"], each["content_type"], each["size_bytes"]) for each in records] == [
        ("screen.png", "Image", "image/png", 6),
        ("server.txt", "Log", "text/plain", 4),
        ("own.json", "Other", "application/json", 2),
    ]
    assert list(uploads(ledger).values()) == [b"pixels", b"line", b"{}"]
    assert len([call for call in ledger.calls if call.path.endswith("/confirm")]) == 3
    put = next(call for call in ledger.calls if call.method == "PUT")
    assert "Authorization" not in put.headers
    assert "properties" not in ledger.by_name()["test_two"]["metadata"]


def test_warns_of_a_file_that_is_not_there_and_fails_no_test(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(
        """
        def test_it(testledger_attach, record_property):
            testledger_attach("missing.png")
            record_property("attachment", "also-missing.png")
            testledger_attach(b"", "empty.txt")
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1)
    (warning,) = warnings_in(result)
    assert "3 attachments not sent" in warning
    assert "missing.png" in warning
    assert uploads(ledger) == {}


def test_uploads_a_file_that_grows_between_two_tries(pytester: pytest.Pytester, ledger: Ledger, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("one")
    keys: dict[int, str] = {}

    def refuse_first(call: Call) -> tuple[int, Any] | None:
        if call.path != "/v1/test/artifact/":
            return None
        # As the server: one key cannot name two requests.
        if call.headers["Idempotency-Key"] in keys.values():
            return (422, {"error": {"code": "idempotency_mismatch"}})
        keys[call.json["size_bytes"]] = call.headers["Idempotency-Key"]
        if len(keys) > 1:
            return None
        log.write_text("one, two")
        return (503, {})

    ledger.refuse = refuse_first
    pytester.makepyfile(f"def test_it(record_property): record_property('attachment', {str(log)!r})")
    result = pytester.runpytest()
    assert warnings_in(result) == []
    assert list(uploads(ledger).values()) == [b"one, two"]


def test_leaves_no_copy_behind(
    pytester: pytest.Pytester, ledger: Ledger, tmp_path: Path, clean_env: pytest.MonkeyPatch
) -> None:
    clean_env.setenv("TMPDIR", str(tmp_path))
    ledger.refuse = lambda call: (500, {}) if call.path == "/v1/test/artifact/" else None
    pytester.makepyfile("def test_it(testledger_attach): testledger_attach(b'bytes', 'a.txt')")
    result = pytester.runpytest_subprocess()
    assert len(warnings_in(result)) == 1
    assert [path for path in tmp_path.iterdir() if path.name.startswith("testledger-")] == []
