"""The part of the plugin that posts: it listens to reports while the tests run, and ends with the session."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .attachments import Attachment, attachments_in
from .ci import run_facts
from .collector import Collector, Results
from .items import Naming
from .masking import masked_text
from .sender import Group, Outcome, Sender
from .settings import Settings


class Live:
    def __init__(self, config: pytest.Config, settings: Settings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._root = config.invocation_params.dir
        self._outcome: Outcome | None = None
        self._sender = Sender(settings, lambda: {**_describe_run(self._root), **settings.job})
        self._collector = Collector(_naming(config), self._send, settings.masker)

    # Behind the terminal: pytest fails a test for its failed subtests there.
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        try:
            self._collector.add(report)
        # An error in a hook would end pytest; it becomes the one warning instead.
        except Exception as error:  # noqa: BLE001
            self._note_own(error)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.passed:
            return
        try:
            self._collector.add_collected(report)
        except Exception as error:  # noqa: BLE001
            self._note_own(error)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        try:
            self._collector.end()
        except Exception as error:  # noqa: BLE001
            self._note_own(error)
        self._outcome = self._sender.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for warning in self._settings.environment.warnings:
            terminalreporter.write_line(f"testledger: warning: {warning}", yellow=True)
        if self._outcome is None:
            return
        masked = masked_text(self._settings.masker)
        text = _warning(self._outcome)
        if text is not None:
            terminalreporter.write_line(f"testledger: {text}{masked}", yellow=True)
        elif self._outcome.run_id is not None and terminalreporter.verbosity >= 0:
            host = urlsplit(self._settings.url).netloc.rpartition("@")[2]
            results = _counted(self._outcome.sent, "result")
            terminalreporter.write_line(f"testledger: sent {results} to {self._outcome.run_id} on {host}{masked}")

    def _send(self, results: Results) -> None:
        files: list[tuple[int, Attachment]] = []
        for place, properties in results.properties.items():
            found, missing = attachments_in(properties, self._folder, self._root)
            files.extend((place, attachment) for attachment in found)
            for reason in missing:
                self._sender.note(reason, attachments=1)
        self._sender.add(Group(results.encoded, results.size, files))

    def _note_own(self, error: Exception) -> None:
        self._sender.note(f"an error of this plugin, {type(error).__name__}: {error}")


def _warning(outcome: Outcome) -> str | None:
    if outcome.trouble is None:
        return None
    parts = []
    if outcome.left_out:
        whole = _counted(outcome.sent + outcome.left_out, "result")
        parts.append(f"{outcome.left_out} of {whole} not sent")
    if outcome.attachments_left_out:
        parts.append(f"{_counted(outcome.attachments_left_out, 'attachment')} not sent")
    return f"warning: {', '.join(parts) or 'the run may be incomplete'} ({outcome.trouble})"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _naming(config: pytest.Config) -> Naming:
    # Without the plugin `junitxml` (-p no:junitxml) there are no such options.
    try:
        suite = str(config.getini("junit_suite_name"))
    except (ValueError, KeyError):
        suite = "pytest"
    return Naming(suite, str(config.getoption("junitprefix", None) or ""))


def _describe_run(folder: Path) -> dict[str, Any]:
    return {
        **run_facts(os.environ, folder),
        "tool": "pytest",
        "pytest": pytest.__version__,
        "python": platform.python_version(),
        "platform": platform.system(),
    }
