"""A real server on a folder of its own. The environment has its program: TESTLEDGER_MAIN, a `main.js`."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

KEY = "tl_HttpSuiteBootstrapKey0000000000wNH7m"
UP_SECONDS = 120


class Api:
    def __init__(self, url: str) -> None:
        self.url = url

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self.read(method, self.url + path, body))

    def read(self, method: str, url: str, body: Any = None, key: bool = True) -> bytes:
        request = urllib.request.Request(url, method=method)
        if key:
            request.add_header("Authorization", KEY)
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        with urllib.request.urlopen(request, timeout=60) as answer:
            return bytes(answer.read())

    def runs(self, project: str) -> list[dict[str, Any]]:
        return self.call("GET", f"/v1/test-runs?project_id={project}&per_page=100")["data"]

    def results(self, run: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        page = 1
        while True:
            answer = self.call("GET", f"/v1/test-runs/{run}/results?per_page=100&page={page}")
            found += answer["data"]
            if page >= answer["pagination"]["total_pages"]:
                return found
            page += 1


class Project:
    """A new project of the server, for one test."""

    def __init__(self, api: Api, name: str) -> None:
        self.api = api
        self.name = name
        self.id: str = api.call("POST", "/v1/projects", {"name": name})["data"]["id"]

    def run(self) -> dict[str, Any]:
        """The one run of the project, with its results that count and those that are superseded."""
        (listed,) = self.api.runs(self.id)
        run = self.api.call("GET", f"/v1/test-runs/{listed['id']}")["data"]
        results = self.api.results(run["id"])
        run["standing"] = [result for result in results if result["superseded_by"] is None]
        run["superseded"] = [result for result in results if result["superseded_by"] is not None]
        return run


@pytest.fixture(scope="session")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp("server")
    env = {
        "PATH": os.environ["PATH"],
        "DATA_DIR": str(folder),
        "PORT": "0",
        "RATE_LIMIT": "off",
        "BOOTSTRAP_API_KEY": KEY,
    }
    main = Path(os.environ["TESTLEDGER_MAIN"]).resolve()
    with (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(["node", str(main)], env=env, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield Api(_url_of(process, folder / "stderr"))
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _url_of(process: subprocess.Popen[str], errors: Path) -> str:
    found: list[str] = []
    up = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not found and '"msg":"testledger is up"' in line:
                found.append(json.loads(line)["url"])
                up.set()
        up.set()

    # It reads to the end, because a full pipe would stop the server.
    threading.Thread(target=read, daemon=True).start()
    up.wait(UP_SECONDS)
    if not found:
        raise RuntimeError(f"the server did not start: {errors.read_text()}")
    return found[0]


@pytest.fixture
def project(api: Api, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in list(os.environ):
        if name.startswith(("TESTLEDGER_", "GITHUB_", "GITLAB_", "CI_", "CIRCLE", "JENKINS_", "BUILD_", "PYTEST_")):
            monkeypatch.delenv(name)
    project = Project(api, f"{request.node.name} {time.monotonic_ns()}")
    monkeypatch.setenv("TESTLEDGER_URL", api.url)
    monkeypatch.setenv("TESTLEDGER_API_KEY", KEY)
    monkeypatch.setenv("TESTLEDGER_PROJECT", project.name)
    return project
