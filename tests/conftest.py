"""What every test may ask for."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver.tools import base

# Folders whose tests take longest. They come first, so that no test of minutes is left when the others are done.
LONG = (
    "corpora",
    "documentation",
    "packaging",
    "integration",
    "cli",
    "evidence_view",
    "readers",
    "ingestion",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: one more than there are cores, since many tests wait for a process, a socket or a deadline."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected is kept to the end: nothing of it is garbage, now or during a test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order within a folder stays, so that tests of one file share its fixtures."""
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    folder = item.nodeid.removeprefix("tests/").partition("/")[0]
    return LONG.index(folder) if folder in LONG else len(LONG)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def signatures() -> Iterator[None]:
    """Hundreds of servers are made here, all with the same tools: what the SDK makes of a signature serves them all."""
    read = base.func_metadata
    known: dict[object, Any] = {}

    def func_metadata(
        func: Callable[..., Any], skip_names: Sequence[str] = (), structured_output: bool | None = None
    ) -> Any:
        if not func.__module__.startswith("tools."):
            return read(func, skip_names, structured_output)
        asked = (func.__code__, tuple(skip_names), structured_output)
        if asked not in known:
            known[asked] = read(func, skip_names, structured_output)
        return known[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "func_metadata", func_metadata)
        yield


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The development corpora. Users do not have them: unset, the test skips; set, it may not."""
    place = os.environ.get("IBID_TEST_CORPORA")
    if not place:
        pytest.skip("IBID_TEST_CORPORA is not set: the development corpora are not part of the project")
    folder = Path(place)
    assert folder.is_dir(), f"IBID_TEST_CORPORA names no folder: {folder}"
    return folder
