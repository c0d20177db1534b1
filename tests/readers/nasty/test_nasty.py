"""Each hostile or broken file yields its text or a reason, and nothing else."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.protocol import ReadDocument
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.patience import PATIENCE
from tests.readers.nasty import bait
from tests.readers.nasty.expected import Nasty
from tests.readers.nasty.files import FILES
from tests.readers.nasty.witness import Witness

pytestmark = pytest.mark.anyio

SLOW = (
    "operators-60000.pdf", "line-20-mb.txt", "gallery-3000.html", "strings-of-no-end.xlsx", "beyond.xlsx",
    "minified.js", "list-60000.html", "paragraphs-300000.docx",
)  # fmt: skip
"""Files that take most of the time. For some of them a smaller variant remains."""
_LONGEST_BLOCK = 1_600


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Witness:
    return Witness(tmp_path_factory.mktemp("witness"))


@pytest.fixture(scope="module")
async def reading(witness: Witness) -> AsyncIterator[ReadingProcesses]:
    """Reading processes. All files are read one after the other by the same process or its successor, within the usual
    limits."""
    async with ReadingProcesses(environment=witness.environment) as reading:
        yield reading


@pytest.fixture(scope="module", autouse=True)
def _bait() -> Iterator[None]:
    yield
    bait.close()


@pytest.mark.parametrize(
    "nasty",
    [pytest.param(nasty, id=nasty.name, marks=[pytest.mark.slow] if nasty.name in SLOW else []) for nasty in FILES],
)
async def test_a_hostile_or_broken_file_yields_its_text_or_a_reason_and_does_no_harm(
    reading: ReadingProcesses, witness: Witness, tmp_path: Path, nasty: Nasty
) -> None:
    file = tmp_path / nasty.name
    file.write_bytes(nasty.make())
    with anyio.fail_after(PATIENCE):
        document, reason = await outcome(reading, file)
    assert_as_expected(nasty, document, reason)
    assert list(tmp_path.iterdir()) == [file]
    assert not bait.taken()
    assert witness.told() == ""
    assert await reads_on(reading, tmp_path)


async def test_forbidden_actions_of_a_process_are_detected(witness: Witness, tmp_path: Path) -> None:
    outside, page = str(tmp_path / "outside"), bait.address("page")
    deeds = f"import urllib.request; open({outside!r}, 'w'); urllib.request.urlopen({page!r}, timeout=1)"
    await anyio.run_process([sys.executable, "-c", deeds], env=witness.environment, check=False, stderr=None)
    told = witness.told()
    assert "outside to write" in told
    assert "socket.connect" in told
    assert bait.taken()


def test_every_file_has_its_own_name_and_an_expectation() -> None:
    assert len({nasty.name for nasty in FILES}) == len(FILES) > 80
    assert all(nasty.says or nasty.warns or nasty.reason for nasty in FILES)


async def outcome(reading: ReadingProcesses, file: Path) -> tuple[ReadDocument, str | None]:
    """Return the document, or the reason of the refusal."""
    try:
        return await reading.read(file), None
    except UnreadableDocument as error:
        return ReadDocument(), str(error)


def assert_as_expected(nasty: Nasty, document: ReadDocument, reason: str | None) -> None:
    """Check that everything required is present, and nothing forbidden."""
    text = "\n".join(block.content for block in document.blocks)
    warnings = "\n".join(document.warnings)
    if nasty.reason is None:
        assert reason is None
    else:
        assert re.search(nasty.reason, reason or "it was read")
    assert re.search(nasty.says, text)
    assert re.search(nasty.warns, warnings)
    shown = [text, warnings, reason, document.title, *(each.title for each in document.outline)]
    shown += [said for block in document.blocks for said in (block.heading, block.image_caption)]
    assert not [word for word in nasty.never for said in shown if said and word in said]
    assert max((len(block.content) for block in document.blocks), default=0) <= _LONGEST_BLOCK


async def reads_on(reading: ReadingProcesses, folder: Path) -> bool:
    """Return whether the next file is read normally."""
    good = folder / "good.txt"
    good.write_text("All is well.")
    return [block.content for block in (await reading.read(good)).blocks] == ["All is well."]
