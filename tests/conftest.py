"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: one more than there are cores, since many tests wait for a process, a socket or a deadline."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The development corpora. Users do not have them: unset, the test skips; set, it may not."""
    place = os.environ.get("IBID_TEST_CORPORA")
    if not place:
        pytest.skip("IBID_TEST_CORPORA is not set: the development corpora are not part of the project")
    folder = Path(place)
    assert folder.is_dir(), f"IBID_TEST_CORPORA names no folder: {folder}"
    return folder
