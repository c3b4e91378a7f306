"""
Measures what the plugin adds to a session of 10,000 tests: wall time, CPU time and memory of pytest. It starts the
server of TESTLEDGER_MAIN on a temporary folder, and runs the session without and with the plugin by turns.
`clients/pytest/cost/measure.py [rounds]`
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import NamedTuple

KEY = "tl_HttpSuiteBootstrapKey0000000000wNH7m"
SUITE = "import pytest\n@pytest.mark.parametrize('n', range(100))\ndef test_it(n, tmp_path_factory): assert n >= 0\n"
FILES = 100


class Cost(NamedTuple):
    wall: float
    cpu: float
    megabytes: float


def measure(folder: Path, env: dict[str, str]) -> Cost:
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read() if process.stdout else ""
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0 or f"{FILES * 100} passed" not in output or "warning" in output:
        raise RuntimeError(output[-2000:])
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def start_server(folder: Path) -> tuple[subprocess.Popen[str], str]:
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder), "PORT": "0", "BOOTSTRAP_API_KEY": KEY}
    main = os.environ["TESTLEDGER_MAIN"]
    # Its log would fill a pipe that nothing reads.
    log = folder / "log"
    with log.open("w") as out:
        server = subprocess.Popen(["node", main], env=env, stdout=out, text=True)
    while server.poll() is None:
        for line in log.read_text().splitlines():
            if '"msg":"testledger is up"' in line:
                return server, json.loads(line)["url"]
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def make_project(url: str) -> str:
    headers = {"Authorization": KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/projects", b'{"name":"cost"}', headers)
    with urllib.request.urlopen(request) as answer:
        return str(json.load(answer)["data"]["id"])


def report(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder, data = Path(temporary) / "tests", Path(temporary) / "data"
        folder.mkdir()
        data.mkdir()
        for n in range(FILES):
            (folder / f"test_{n}.py").write_text(SUITE)
        server, url = start_server(data)
        try:
            project = make_project(url)
            plain = {name: value for name, value in os.environ.items() if not name.startswith("TESTLEDGER_")}
            live = {**plain, "TESTLEDGER_URL": url, "TESTLEDGER_API_KEY": KEY, "TESTLEDGER_PROJECT": project}
            without: list[Cost] = []
            with_it: list[Cost] = []
            measure(folder, plain)
            for _ in range(rounds):
                without.append(measure(folder, {**plain, "PYTEST_ADDOPTS": "-p no:testledger"}))
                with_it.append(measure(folder, live))
                print(without[-1], with_it[-1], flush=True)
        finally:
            server.terminate()
            server.wait()
    _print(without, with_it)


def _print(without: list[Cost], with_it: list[Cost]) -> None:
    for name in Cost._fields:
        before = [getattr(cost, name) for cost in without]
        after = [getattr(cost, name) for cost in with_it]
        low, median = min(after) - min(before), statistics.median(after) - statistics.median(before)
        print(
            f"{name}: without {min(before):.2f} (median {statistics.median(before):.2f}), "
            f"with {min(after):.2f} (median {statistics.median(after):.2f}), "
            f"more: {low:.2f} = {100 * low / min(before):.1f} % (median {median:.2f})"
        )


if __name__ == "__main__":
    report(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
