"""
A plugin that measures what testledger costs in its own session: the CPU time of its hooks and of its thread, as a
share of that of the process. Unlike two sessions side by side, it does not depend on what else the machine does.
`PYTHONPATH=clients/pytest/cost pytest -p probe`
"""

from __future__ import annotations

import functools
import time
from typing import Any, Callable

import pytest

from pytest_testledger import live, sender

spent = {"hooks": 0.0, "close": 0.0, "thread": 0.0}


def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*args)
        finally:
            spent[name] += time.thread_time() - began

    return run


live.Collector.add = timed("hooks", live.Collector.add)  # type: ignore[method-assign]
live.Collector.end = timed("close", live.Collector.end)  # type: ignore[method-assign]
sender.Sender._run = timed("thread", sender.Sender._run)  # type: ignore[method-assign]


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    whole = time.process_time()
    parts = ", ".join(f"{name} {1000 * seconds:.0f} ms" for name, seconds in spent.items())
    print(f"testledger took {100 * sum(spent.values()) / whole:.2f} % of {whole:.1f} s CPU: {parts}")
