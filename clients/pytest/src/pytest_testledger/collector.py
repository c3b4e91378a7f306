"""Collects the reports of each test until the test has ended, with all its attempts."""

from __future__ import annotations

from typing import Any, Callable

import pytest

from .items import Naming, collect_item, is_subtest, result_item, subtest_item
from .masking import Masker
from .text import encode

# From here on, further attempts of one test have neither stack nor output.
_FULL_ATTEMPTS_BYTES = 1024 * 1024

Properties = list[tuple[str, Any]]


class Results:
    """The encoded results of one test: its attempts, and its failed subtests."""

    __slots__ = ("_masker", "encoded", "properties", "size")

    def __init__(self, masker: Masker | None) -> None:
        self._masker = masker
        self.encoded: list[bytes] = []
        self.properties: dict[int, Properties] = {}
        """Those of the results that have any, by their place."""
        self.size = 0

    def add(self, item: dict[str, Any], properties: Properties) -> None:
        if properties:
            self.properties[len(self.encoded)] = properties
        data = encode(item if self._masker is None else self._masker.item(item))
        self.encoded.append(data)
        self.size += len(data)


class _Running:
    """A test that has not ended."""

    __slots__ = ("attempt", "failed_subtests", "is_rerun", "reports", "results")

    def __init__(self, masker: Masker | None) -> None:
        self.reports: list[pytest.TestReport] = []
        self.results = Results(masker)
        self.attempt = 1
        self.failed_subtests = 0
        self.is_rerun = False


class Collector:
    """
    Results of one test go to the server together, because only attempts within one call supersede each other.
    Under xdist, the reports of several tests come mixed.
    """

    def __init__(self, naming: Naming, ended: Callable[[Results], None], masker: Masker | None) -> None:
        self._naming = naming
        self._ended = ended
        self._masker = masker
        self._running: dict[tuple[str, str], _Running] = {}
        self._collected: set[str] = set()

    def add(self, report: pytest.TestReport) -> None:
        key = (report.nodeid, getattr(report, "worker_id", ""))
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(self._masker)
        outcome: str = report.outcome
        if report.when == "setup" and running.is_rerun:
            self._close_attempt(running)
        if is_subtest(report):
            if report.failed:
                running.failed_subtests += 1
                running.results.add(subtest_item(report, self._naming, running.attempt), [])
            return
        running.reports.append(report)
        running.is_rerun = running.is_rerun or outcome == "rerun"
        # A worker of xdist that died reports its test without a phase.
        if report.when not in ("setup", "call"):
            is_last = not running.is_rerun
            self._close_attempt(running)
            if is_last:
                del self._running[key]
                self._ended(running.results)

    def add_collected(self, report: pytest.CollectReport) -> None:
        # Under xdist, each worker collects all files.
        if report.passed or report.nodeid in self._collected:
            return
        self._collected.add(report.nodeid)
        results = Results(self._masker)
        results.add(collect_item(report, self._naming), [])
        self._ended(results)

    def end(self) -> None:
        """Gives out the attempts and failures of tests that the end of the session broke off."""
        for running in self._running.values():
            if any(report.outcome != "passed" for report in running.reports):
                self._close_attempt(running)
            if running.results.encoded:
                self._ended(running.results)
        self._running.clear()

    def _close_attempt(self, running: _Running) -> None:
        brief = running.results.size > _FULL_ATTEMPTS_BYTES
        item = result_item(running.reports, self._naming, running.attempt, brief=brief)
        if running.failed_subtests and item["status"] == "passed":
            item["status"] = "failed"
            item["error_message"] = f"contains {running.failed_subtests} failed subtests"
        running.results.add(item, running.reports[-1].user_properties)
        running.reports = []
        running.failed_subtests = 0
        running.is_rerun = False
        running.attempt += 1
