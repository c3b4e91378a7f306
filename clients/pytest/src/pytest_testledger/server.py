"""The requests to testledger that a session makes."""

from __future__ import annotations

import json
import os
from io import BytesIO
from typing import Any, BinaryIO, Callable, NamedTuple
from urllib.parse import urljoin

from . import __version__, http_call
from .attachments import Attachment
from .build_key import key_of_build
from .http_call import Body
from .masking import FILE_BYTES, is_text
from .settings import PROJECT_ID, Settings


class Posted(NamedTuple):
    run_id: str
    result_id_prefix: str | None
    """The id of the n-th result of the call is this and n. None from a server that does not say it."""


class Server:
    def __init__(self, settings: Settings, timeout: Callable[[], float]) -> None:
        self._url = settings.url
        self._project = settings.project
        self._timeout = timeout
        self._key = settings.api_key
        self._offer = settings.offer
        self._masker = settings.masker
        self._headers = {
            "Accept": "application/json",
            "User-Agent": f"pytest-testledger/{__version__}",
        }

    def project_id(self) -> str:
        """Raises ProjectMissing where no project has the name."""
        if PROJECT_ID.fullmatch(self._project):
            return self._project
        page, pages = 1, 1
        while page <= pages:
            answer = self._call("GET", f"/v1/projects?per_page=100&page={page}")
            for project in answer["data"]:
                if project["name"] == self._project:
                    return str(project["id"])
            pages = answer["pagination"]["total_pages"]
            page += 1
        raise ProjectMissing(f"there is no project {self._project!r}")

    def post_run(self, body: bytes, key: str) -> Posted:
        data = self._call("POST", "/v1/test-runs", body, key)["data"]
        return Posted(data["id"], data.get("result_id_prefix"))

    def upload(self, result_id: str, attachment: Attachment, key: str) -> None:
        """Announces the file, sends it to its signed URL, and confirms it. `key` names the file in all tries."""
        # Opened first, so that a file that is gone is no empty artifact.
        with self._opened(attachment) as file:
            size = file.seek(0, 2)
            # A file that has grown between two tries is another upload, and its key with another size would be refused.
            key = f"{key}.{size}"
            record = {
                "test_result_id": result_id,
                "label": attachment.name if self._masker is None else self._masker.name(attachment.name),
                "kind": attachment.kind,
                "content_type": attachment.content_type,
                "size_bytes": size,
            }
            artifact = self._call("POST", "/v1/test/artifact/", json.dumps(record).encode(), key)
            file.seek(0)
            # Storage may be elsewhere: it never gets the API key.
            http_call.call(
                "PUT",
                urljoin(self._url + "/", artifact["upload_url"]),
                headers=artifact.get("upload_headers") or {},
                timeout=self._timeout(),
                body=Body(file, size),
            )
        self._call("POST", f"/v1/test/artifact/{artifact['artifact_id']}/confirm", b"", f"{key}.confirm")

    def _opened(self, attachment: Attachment) -> BinaryIO:
        """Without secrets, where it is text."""
        file = open(attachment.path, "rb")  # noqa: SIM115
        if self._masker is None:
            return file
        if os.fstat(file.fileno()).st_size > FILE_BYTES:
            if is_text(file.read(8192), attachment.content_type):
                self._masker.files_not_searched += 1
            return file
        with file:
            content = file.read()
        return BytesIO(self._masker.file(content, attachment.content_type))

    def _call(self, method: str, path: str, body: bytes | None = None, key: str = "") -> Any:
        # At the first call, in the thread of the sender: no test waits for it.
        if not self._key and self._offer is not None:
            self._key = key_of_build(self._offer, url=self._url, project=self._project, timeout=self._timeout())
        headers = {"Authorization": f"Bearer {self._key}", **self._headers}
        if body:
            headers["Content-Type"] = "application/json"
        if key:
            headers["Idempotency-Key"] = key
        return http_call.call(
            method,
            self._url + path,
            headers=headers,
            timeout=self._timeout(),
            body=None if body is None else Body(body, len(body)),
        )


class ProjectMissing(Exception):
    pass
