"""The hooks of pytest. Without configuration the plugin only says so, and loads nothing else."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Protocol, Union

import pytest

from .settings import Off, Settings, add_options, read_settings

_settings_key = pytest.StashKey[Union[Settings, Off]]()
# Where attachments wait for their upload. Workers of xdist share that of their controller.
_folder_key = pytest.StashKey[Path]()
_FOLDER_INPUT = "testledger_folder"


class Attach(Protocol):
    def __call__(
        self,
        content: str | os.PathLike[str] | bytes,
        name: str | None = None,
        content_type: str | None = None,
    ) -> None: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", None)
    if worker is not None:
        # The controller posts the reports of its workers.
        if _FOLDER_INPUT in worker:
            config.stash[_folder_key] = Path(worker[_FOLDER_INPUT])
        return
    settings = read_settings(config)
    config.stash[_settings_key] = settings
    if isinstance(settings, Off) or config.getoption("collectonly"):
        return
    folder = Path(tempfile.mkdtemp(prefix="testledger-"))
    config.stash[_folder_key] = folder
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(_ShareFolder(folder), "testledger_share_folder")
    from .live import Live

    config.pluginmanager.register(Live(config, settings, folder), "testledger_live")


def pytest_unconfigure(config: pytest.Config) -> None:
    folder = config.stash.get(_folder_key, None)
    if folder is not None and not hasattr(config, "workerinput"):
        shutil.rmtree(folder, ignore_errors=True)


def pytest_report_header(config: pytest.Config) -> str | None:
    settings = config.stash.get(_settings_key, None)
    if settings is None:
        return None
    if isinstance(settings, Off):
        return f"testledger: off ({settings.reason})"
    return f"testledger: {settings.url}, project {settings.project}, run key {settings.run_key}"


class _ShareFolder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_FOLDER_INPUT] = str(self._folder)


@pytest.fixture
def testledger_attach(request: pytest.FixtureRequest) -> Attach:
    """Attaches a file, or bytes, to the result of the test. It does nothing while nothing is posted."""
    folder = request.config.stash.get(_folder_key, None)
    properties = request.node.user_properties

    def attach(
        content: str | os.PathLike[str] | bytes,
        name: str | None = None,
        content_type: str | None = None,
    ) -> None:
        if folder is None:
            return
        from .attachments import content_type_of, copy_property, keep_copy, missing_property

        label = (name or ("attachment" if isinstance(content, bytes) else Path(content).name))[:255]
        try:
            path = keep_copy(folder, content, label)
        except OSError as error:
            # A test never fails because its attachment cannot be kept.
            properties.append(missing_property(label, error))
        else:
            properties.append(copy_property(path, label, content_type or content_type_of(label)))

    return attach
