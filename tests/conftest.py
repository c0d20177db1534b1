"""Fixtures and hooks of all tests."""

from __future__ import annotations

import gc
import os
import pickle
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from mcp.server.mcpserver.prompts import base as prompts
from mcp.server.mcpserver.resources import templates as resources
from mcp.server.mcpserver.tools import base as tools
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata

from tests.memory import folder_in_memory

# Nothing is timed here: a slow machine must not fail a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# Folders of the slowest tests. They run first, so that no long test is left at the end.
LONG = (
    "corpora",
    "documentation",
    "packaging",
    "limits",
    "integration",
    "cli",
    "evidence_view",
    "readers",
    "ingestion",
)

DISK = "IBID_TESTS_DISK"
"""Environment variable for the folder of tests that need a disk."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores for `-n auto`, because many tests wait for a process, a socket or a
    deadline."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Put temporary files in memory, also those of child processes, unless TMPDIR or --basetemp is set."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A background shell ignores SIGINT, and commands that tests interrupt would inherit that.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput") or "TMPDIR" in os.environ or config.option.basetemp:
        return
    disk = tempfile.gettempdir()
    if folder := folder_in_memory():
        os.environ |= {"TMPDIR": str(folder), DISK: disk}
        tempfile.tempdir = None
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Exclude everything collected from garbage collection, because it lives until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by folder. The order within a folder is unchanged, so that tests of one file share its fixtures."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    folder = item.nodeid.removeprefix("tests/").partition("/")[0]
    return LONG.index(folder) if folder in LONG else len(LONG)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder on disk, for tests that watch, mount or kill. Test files use it as their `tmp_path`."""
    with tempfile.TemporaryDirectory(dir=os.environ.get(DISK)) as folder:
        yield Path(folder)


@pytest.fixture(scope="session", autouse=True)
def signatures() -> Iterator[None]:
    """Cache the schemas that the SDK derives from signatures. These tests create hundreds of servers with the same
    tools, prompts and resources, and this derivation takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (tools, prompts, resources):
            patch.setattr(module, "func_metadata", _remembered(module.func_metadata))
            patch.setattr(module, "find_context_parameter", _remembered(module.find_context_parameter))
        yield


def _remembered(read: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `read` so that it runs once for all project functions with the same code."""
    known: dict[object, Any] = {}

    def reading(func: Callable[..., Any], **more: Any) -> Any:
        if not func.__module__.startswith(("server.", "tools.")):
            return read(func, **more)
        asked = (func.__code__, repr(more))
        if asked not in known:
            known[asked] = read(func, **more)
            if isinstance(known[asked], FuncMetadata):
                _remember_schema(known[asked].arg_model)
        return known[asked]

    return reading


def _remember_schema(model: Any) -> None:
    """Copy the schema for each server, because servers change it."""
    schema = pickle.dumps(model.model_json_schema(by_alias=True))
    model.model_json_schema = lambda by_alias=True: pickle.loads(schema)


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The development corpora, which are not shipped to users. If the variable is unset, the test is skipped. If it is
    set, the folder must exist."""
    place = os.environ.get("IBID_TEST_CORPORA")
    if not place:
        pytest.skip("IBID_TEST_CORPORA is not set: the development corpora are not part of the project")
    folder = Path(place)
    assert folder.is_dir(), f"IBID_TEST_CORPORA is not a folder: {folder}"
    return folder
