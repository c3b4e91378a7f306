"""
The clocks as they were before the tests. Tests replace the functions of modules (freezegun), and the time of day for
everything (time-machine), and the server refuses instants that lie ahead.
"""

from __future__ import annotations

from typing import Callable

Clock = Callable[[], float]


def _clocks() -> tuple[Clock, Clock]:
    # Not names of the module: those would be replaced.
    from time import monotonic, time

    began = time() - monotonic()
    return lambda: monotonic(), lambda: began + monotonic()


own_monotonic, own_time = _clocks()
loaded_at = own_time()
