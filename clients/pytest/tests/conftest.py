from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, NamedTuple

import pytest

pytest_plugins = ["pytester"]

PROJECT = "project_01jd0000000000000000000000"


class Call(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Ledger:
    """A server that takes everything, and keeps the calls. `refuse` can answer in its place."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.refuse: Callable[[Call], tuple[int, Any] | None] = lambda _: None
        self.hang = threading.Event()
        self.hangs = False
        self.keys: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                call = Call(self.command, self.path, dict(self.headers.items()), self.rfile.read(length))
                outer.calls.append(call)
                if outer.hangs:
                    outer.hang.wait(30)
                status, answer = outer.refuse(call) or outer.accept(call)
                data = json.dumps(answer).encode()
                self.send_response(status)
                if status == 503:
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def accept(self, call: Call) -> tuple[int, Any]:
        if call.path.startswith("/v1/projects"):
            data = [{"id": PROJECT, "name": "shop"}]
            return 200, {"data": data, "pagination": {"total_pages": 1}}
        if call.path == "/v1/test-runs":
            return 201, {"data": {"id": "run_1", "result_id_prefix": f"result_{len(self.posts)}_"}}
        if call.path == "/v1/test/artifact/":
            artifact = f"artifact_{len(self.calls)}"
            return 200, {"artifact_id": artifact, "upload_url": f"/upload/{artifact}", "upload_headers": {}}
        return 200, {}

    @property
    def posts(self) -> list[Call]:
        return [call for call in self.calls if call.path == "/v1/test-runs"]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [result for call in self.posts for result in call.json.get("results", [])]

    def by_name(self) -> dict[str, dict[str, Any]]:
        """The results, by the last part of their names."""
        return {result["name"].split(" › ")[-1]: result for result in self.results}

    def id_of(self, test: str) -> str:
        """The id that this server gave a result. A slow session sends its results in several calls."""
        for number, post in enumerate(self.posts, start=1):
            for ordinal, result in enumerate(post.json["results"]):
                if result["name"].endswith(test):
                    return f"result_{number}_{ordinal}"
        raise LookupError(test)

    def close(self) -> None:
        self.hang.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def clean_env(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Neither the service that runs these tests nor a ledger of their own may show in them."""
    import os

    names = ("TESTLEDGER_", "GITHUB_", "GITLAB_", "CI_", "CIRCLE", "JENKINS_", "BUILD_", "SYSTEM_", "PYTEST_")
    for name in list(os.environ):
        if name.startswith(names):
            monkeypatch.delenv(name)
    return monkeypatch


@pytest.fixture
def ledger(clean_env: pytest.MonkeyPatch) -> Iterator[Ledger]:
    ledger = Ledger()
    clean_env.setenv("TESTLEDGER_URL", ledger.url)
    clean_env.setenv("TESTLEDGER_API_KEY", "tl_key")
    clean_env.setenv("TESTLEDGER_PROJECT", "shop")
    yield ledger
    ledger.close()
