"""Files that belong to a result. They come from the process of the test to that which posts as user properties."""

from __future__ import annotations

import json
import mimetypes
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

# Of a result; the server refuses the 51st.
RESULT_LIMIT = 50
FILE_BYTES = 100 * 1024 * 1024
# Of the copies that one process keeps at a time, until they are uploaded.
FOLDER_BYTES = 512 * 1024 * 1024
# The property of a user, which the JUnit importer understands too, and that of the fixture.
PATH_PROPERTY = "attachment"
COPY_PROPERTY = "testledger_attachment"


class Attachment(NamedTuple):
    path: str
    name: str
    content_type: str
    is_copy: bool
    """A copy of this plugin, deleted once it is uploaded."""

    def check(self) -> None:
        """Raises OSError where the file is gone, or no artifact."""
        size = os.stat(self.path).st_size
        if not 0 < size <= FILE_BYTES:
            raise OSError(f"it has {size} bytes; an attachment has 1 to {FILE_BYTES}")

    def discard(self) -> None:
        if self.is_copy:
            Path(self.path).unlink(missing_ok=True)

    @property
    def kind(self) -> str:
        main = self.content_type.partition("/")[0]
        if main in ("image", "video"):
            return main.capitalize()
        return "Log" if main == "text" else "Other"


def keep_copy(folder: Path, source: str | os.PathLike[str] | bytes, name: str) -> Path:
    """Copies now: the test, or the next one, may change or delete the file before its upload.

    Raises OSError where the file cannot be read, or where there is no room for it.
    """
    size = len(source) if isinstance(source, bytes) else os.stat(source).st_size
    if size > FILE_BYTES:
        raise OSError(f"{name} has {size} bytes; an attachment has at most {FILE_BYTES}")
    used = sum(entry.stat().st_size for entry in os.scandir(folder))
    if used + size > FOLDER_BYTES:
        raise OSError(f"no room for {name}: the attachments that wait have {used} bytes")
    handle, path = tempfile.mkstemp(dir=folder)
    os.close(handle)
    if isinstance(source, bytes):
        Path(path).write_bytes(source)
    else:
        shutil.copyfile(source, path)
    return Path(path)


def copy_property(path: Path, name: str, content_type: str) -> tuple[str, str]:
    return COPY_PROPERTY, json.dumps({"path": str(path), "name": name, "content_type": content_type})


def content_type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def missing_property(name: str, error: OSError) -> tuple[str, str]:
    return COPY_PROPERTY, json.dumps({"missing": f"{name}: {error}"})


def attachments_in(
    properties: Iterable[tuple[str, Any]], folder: Path, root: Path
) -> tuple[list[Attachment], list[str]]:
    """Also returns why files are missing. `folder` has the copies; the path of a user is relative to `root`."""
    found: list[Attachment] = []
    missing: list[str] = []
    for name, value in properties:
        if name == PATH_PROPERTY and isinstance(value, (str, os.PathLike)):
            path = root / value
            found.append(Attachment(str(path), path.name[:255], content_type_of(path.name), False))
        elif name == COPY_PROPERTY and isinstance(value, str):
            copy = json.loads(value)
            if "missing" in copy:
                missing.append(copy["missing"])
                continue
            # Only what the fixture made is deleted after its upload.
            is_copy = Path(copy["path"]).parent == folder
            found.append(Attachment(copy["path"], copy["name"], copy["content_type"], is_copy))
    return found, missing
