from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from corpus.index.local import LocalIndex
from corpus.index.promise import NewBlock
from tests.doubles.raw_stdio import environment
from tests.server.desk import manual, passage


async def _fill(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    blocks = [
        passage("The pump moves water with a centrifugal impeller.", access_control_list=("*",)),
        passage("Change the seal.", place="p2-1", page=2, access_control_list=("*",)),
    ]
    await index.replace(manual(), [NewBlock(block) for block in blocks])
    await index.aclose()


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in a folder, for servers in processes of their own."""
    folder = tmp_path_factory.mktemp("served") / "index"
    anyio.run(_fill, folder)
    return folder


@pytest.fixture
def env(filled: Path) -> dict[str, str]:
    return environment(RAG_DATA_DIR=str(filled), RAG_EMBEDDER="none")
