"""
The clocks as they were before the tests. Tests replace the functions of modules (freezegun), and the time of day for
everything (time-machine), and the server refuses instants that lie ahead.
"""

from __future__ import annotations

from functools import partial
from typing import Callable

Clock = Callable[[], float]


def _clocks() -> tuple[Clock, Clock]:
    # Not names of the module: those would be replaced.
    from time import monotonic, time

    since_boot: Clock = monotonic
    try:
        from time import CLOCK_BOOTTIME, clock_gettime

        # On Linux, the monotonic clock stands still while the machine sleeps.
        since_boot = partial(clock_gettime, CLOCK_BOOTTIME)
    except ImportError:
        pass
    began = time() - since_boot()
    return lambda: monotonic(), lambda: began + since_boot()


own_monotonic, own_time = _clocks()
loaded_at = own_time()
