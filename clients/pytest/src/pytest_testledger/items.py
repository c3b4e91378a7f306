"""Makes results, as items of POST /v1/test-runs, from the reports of pytest."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, NamedTuple, Union

import pytest

from .attachments import COPY_PROPERTY, PATH_PROPERTY
from .clock import loaded_at, own_time
from .names import name_of, shortened
from .text import cut, encode, size_of

Report = Union[pytest.TestReport, pytest.CollectReport]

# Metadata of a result have at most 64 KiB, 5,000 values and 32 levels. These are the parts of them.
_MESSAGE_BYTES = 64 * 1024
_STACK_BYTES = 32 * 1024
_OUTPUT_BYTES = 8 * 1024
_PROPERTIES_BYTES = 8 * 1024
_PROPERTIES = 200
_SHORT = 250
_LONGEST_MS = 2**31 - 1
_HIGHEST_ATTEMPT = 1000
# Between the clocks of the machines on which xdist has its workers.
_SKEW_SECONDS = 60

_error_type = re.compile(r"[A-Za-z_][\w.]*")
_error_start = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?::|$)")


class Naming(NamedTuple):
    junit_suite: str
    junit_prefix: str


class Phase(NamedTuple):
    """What counts of a report that did not pass."""

    report: Report
    when: str
    status: str


def result_item(
    reports: list[pytest.TestReport], naming: Naming, attempt: int, *, brief: bool = False
) -> dict[str, Any]:
    """The result of one attempt from the reports of its phases. `brief` leaves out stack and output."""
    last = reports[-1]
    name = name_of(last.nodeid, naming.junit_suite, naming.junit_prefix)
    file, line, _ = last.location
    metadata: dict[str, Any] = {"file": _short(file), "suite": _short(name.suite)}
    if line is not None and line >= 0:
        metadata["line"] = line + 1
    if name.full != name.name:
        metadata["full_name"] = name.full[:4096]
    item: dict[str, Any] = {
        "name": name.name,
        "status": "passed",
        "duration_ms": _milliseconds(sum([report.duration for report in reports])),
        "started_at": _instant(_start_of(reports)),
        "metadata": metadata,
    }
    if attempt > 1:
        item["attempt"] = min(attempt, _HIGHEST_ATTEMPT)
    decisive = _decisive(reports)
    if decisive is not None:
        _describe(item, decisive, brief)
    if last.user_properties:
        _add_properties(metadata, last.user_properties)
    return item


def subtest_item(report: pytest.TestReport, naming: Naming, attempt: int) -> dict[str, Any]:
    """A failed subtest is a result of its own, as pytest counts it."""
    item = result_item([report], naming, attempt)
    name = f"{item['metadata'].get('full_name', item['name'])} {_subtest_of(report)}"
    item["name"] = shortened(name)
    if item["name"] != name:
        item["metadata"]["full_name"] = name[:4096]
    return item


def collect_item(report: pytest.CollectReport, naming: Naming) -> dict[str, Any]:
    """A file that could not be collected, or was skipped as a whole."""
    name = name_of(report.nodeid, naming.junit_suite, naming.junit_prefix)
    file = (report.location or (report.nodeid,))[0]
    metadata: dict[str, Any] = {"file": _short(file)}
    item: dict[str, Any] = {"name": name.name, "status": "passed", "metadata": metadata}
    if name.full != name.name:
        metadata["full_name"] = name.full[:4096]
    _describe(item, Phase(report, "collect", "failed" if report.failed else "skipped"), False)
    return item


def is_subtest(report: Report) -> bool:
    """pytest 9 has subtests; before it, the plugin pytest-subtests has them, under a slightly different name."""
    return type(report) is not pytest.TestReport and type(report).__name__.lower() == "subtestreport"


def _decisive(reports: Iterable[pytest.TestReport]) -> Phase | None:
    """The first failure counts, else the first skip; None where all phases passed."""
    skipped: Phase | None = None
    for report in reports:
        outcome: str = report.outcome
        if outcome == "passed":
            continue
        if outcome != "skipped":
            return Phase(report, report.when or "", "failed")
        status = "known_fail" if hasattr(report, "wasxfail") else "skipped"
        skipped = skipped or Phase(report, report.when or "", status)
    return skipped


def _describe(item: dict[str, Any], phase: Phase, brief: bool) -> None:
    item["status"] = phase.status
    metadata = item["metadata"]
    if phase.status == "failed":
        _add_error(item, phase, brief)
    else:
        metadata["reason"] = cut(_reason(phase.report), 1024)
    if phase.status != "skipped" and not brief:
        output = _output(phase.report)
        if output:
            metadata["output"] = output


def _add_error(item: dict[str, Any], phase: Phase, brief: bool) -> None:
    longrepr = phase.report.longrepr
    crash = getattr(longrepr, "reprcrash", None)
    text = "" if longrepr is None else str(longrepr)
    message = str(crash.message) if crash is not None else text
    error: dict[str, Any] = {}
    kind = _type_of(longrepr, message)
    if kind is not None:
        error["type"] = _short(kind)
    if phase.when in ("setup", "teardown"):
        error["hook"] = phase.when
    if crash is not None and not brief:
        error["stack"] = cut(text, _STACK_BYTES)
    if error:
        item["metadata"]["error"] = error
    item["error_message"] = cut(message, 1024 if brief else _MESSAGE_BYTES)


def _type_of(longrepr: Any, message: str) -> str | None:
    """pytest writes the type behind file and line of the last entry; in some styles only before the message."""
    entries = getattr(getattr(longrepr, "reprtraceback", None), "reprentries", None)
    location = getattr(entries[-1], "reprfileloc", None) if entries else None
    named = str(getattr(location, "message", "") or "")
    if _error_type.fullmatch(named):
        return named
    start = _error_start.match(message)
    if start is not None:
        return start[1]
    return "AssertionError" if message.startswith("assert ") else None


def _reason(report: Report) -> str:
    xfail = getattr(report, "wasxfail", None)
    if isinstance(xfail, str):
        return xfail[len("reason: ") :] if xfail.startswith("reason: ") else xfail
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr or "")
    return text[len("Skipped: ") :] if text.startswith("Skipped: ") else text


def _output(report: Report) -> dict[str, str]:
    output = {"stdout": report.capstdout, "stderr": report.capstderr, "log": report.caplog}
    return {name: cut(text, _OUTPUT_BYTES) for name, text in output.items() if text}


def _add_properties(metadata: dict[str, Any], properties: Iterable[tuple[str, Any]]) -> None:
    kept: dict[str, Any] = {}
    left_out = 0
    room = _PROPERTIES_BYTES
    for name, value in properties:
        name = str(name)
        if name in (PATH_PROPERTY, COPY_PROPERTY):
            continue
        plain = _plain(value)
        room -= size_of(name) + len(encode(plain)) + 8
        if room < 0 or len(kept) >= _PROPERTIES:
            left_out += 1
        elif name in kept:
            # pytest allows a name more than once.
            before = kept[name]
            kept[name] = [*before, plain] if isinstance(before, list) else [before, plain]
        else:
            kept[name] = plain
    if kept:
        metadata["properties"] = kept
    if left_out:
        metadata["properties_left_out"] = left_out
    owner = kept.get("owner")
    if isinstance(owner, str):
        metadata["owner"] = owner


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return cut(str(value), 2048)


def _subtest_of(report: pytest.TestReport) -> str:
    context: Any = getattr(report, "context", None)
    message = getattr(context, "msg", None)
    values = getattr(context, "kwargs", None) or {}
    parts = [f"[{message}]"] if message is not None else []
    if values:
        parts.append("(" + ", ".join(f"{name}={value}" for name, value in values.items()) + ")")
    return " ".join(parts) or "(<subtest>)"


def _start_of(reports: list[pytest.TestReport]) -> float:
    now = own_time()
    # pytest before 8.1 does not say it, and tests may have replaced the clock by which it does.
    start = float(getattr(reports[0], "start", 0))
    if loaded_at - _SKEW_SECONDS <= start <= now + _SKEW_SECONDS:
        return start
    return now - sum([report.duration for report in reports])


def _instant(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03d}Z"


# Many tests begin within one second, and formatting costs more than the rest of a result.
@lru_cache(maxsize=16)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def _milliseconds(seconds: float) -> int:
    return min(max(round(seconds * 1000), 0), _LONGEST_MS)


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else "…" + text[-_SHORT:]
