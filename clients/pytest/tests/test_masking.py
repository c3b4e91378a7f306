from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Ledger
from pytest_testledger.masking import Masker

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "masking.json").read_text("utf-8"))
SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_masks_as_the_other_clients_do(case: dict[str, Any]) -> None:
    masker = Masker(case["env"])
    assert masker.text(case["text"]) == case["masked"]
    assert masker.secrets == case["secrets"]


def test_names_keep_a_value_that_is_a_word() -> None:
    masker = Masker({"DB_PASSWORD": "postgres", "API_KEY": "abcdefgh1234"})
    assert masker.name("connects to postgres") == "connects to postgres"
    assert masker.text("connects to postgres") == "connects to ***"
    assert masker.name("takes abcdefgh1234") == "takes ***"


def test_files_are_masked_in_their_encoding() -> None:
    masker = Masker({})
    assert masker.file(f"ä {SECRET} ö".encode(), "text/plain") == "ä *** ö".encode()
    assert masker.file(f"ä {SECRET}".encode("latin-1"), "text/plain") == "ä ***".encode("latin-1")
    wide = b"\xff\xfe" + f"ä {SECRET}".encode("utf-16-le")
    assert masker.file(wide, "application/octet-stream") == b"\xff\xfe" + "ä ***".encode("utf-16-le")
    picture = b"\x89PNG\r\n\x1a\n\0\0\0" + SECRET.encode()
    assert masker.file(picture, "image/png") == picture


def test_no_secret_of_a_session_leaves_it(pytester: pytest.Pytester, ledger: Ledger, monkeypatch: Any) -> None:
    monkeypatch.setenv("DEPLOY_PASSWORD", "hunter2-hunter2")
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.parametrize("key", ["{SECRET}"])
        def test_fails(key, record_property, testledger_attach):
            record_property("used", key)
            print("with", key, "and hunter2-hunter2")
            testledger_attach(f"a {{key}}".encode(), "a.log")
            assert key == "hunter2-hunter2"
        """
    )
    result = pytester.runpytest_subprocess(
        f"--testledger-url={ledger.url}", "--testledger-project=shop", "-p", "no:cacheprovider"
    )
    result.stdout.fnmatch_lines(["testledger: sent 1 result to *secrets masked"])
    sent = b"".join(call.body for call in ledger.calls)
    assert b"fails" in sent
    assert SECRET.encode() not in sent
    assert b"hunter2" not in sent
    assert any(call.body == b"a ***" for call in ledger.calls)


def test_no_mask_sends_texts_as_they_are(pytester: pytest.Pytester, ledger: Ledger) -> None:
    pytester.makepyfile(f"def test_fails(): assert '{SECRET}' == ''")
    pytester.runpytest_subprocess(f"--testledger-url={ledger.url}", "--testledger-project=shop", "--testledger-no-mask")
    assert SECRET.encode() in b"".join(call.body for call in ledger.calls)
