"""Files with odd names or types: they are read, or refused with the reason, and nothing hangs."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import anyio
import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.patience import PATIENCE
from tests.readers.nasty.expected import SAID
from tests.readers.nasty.pictures import picture

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="names and kinds of files as Linux has them"),
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


@pytest.mark.parametrize(
    "name",
    [
        "a" * 251 + ".txt",
        "two\nlines.txt",
        "turned \u202etxt.exe.txt",
        "no\udcff letter.txt",
        " -rf $(touch evil) `touch evil` ; *.txt",
        "CON.TXT",
        "a.pdf.docx.txt",
    ],
)
async def test_a_file_is_read_whatever_its_name(reading: ReadingProcesses, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(SAID)
    document = await reading.read(file)
    assert [block.content for block in document.blocks] == [SAID]
    assert list(tmp_path.iterdir()) == [file]


async def test_the_name_of_a_picture_is_a_displayable_caption(reading: ReadingProcesses, tmp_path: Path) -> None:
    file = tmp_path / "a pump\u202e\u2066\x1b\udcff \U000e0041.png"
    file.write_bytes(picture("PNG"))
    (block,) = (await reading.read(file)).blocks
    assert block.image_caption == "a pump"


def pipe_behind_a_link(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to(path.with_name("pipe"))


def circle_of_three(path: Path) -> None:
    for one, other in (("a", "b"), ("b", path.name)):
        path.with_name(one).symlink_to(path.with_name(other))
    path.symlink_to(path.with_name("a"))


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))  # The absolute path may be too long for a socket.


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (pipe_behind_a_link, "not a regular file"),
        (circle_of_three, "symbolic links"),
        (lambda path: path.symlink_to("/dev/full"), "not a regular file"),
        (lambda path: path.symlink_to("/dev/tty"), "not a regular file|no such"),
        (lambda path: path.symlink_to("/proc/self/mem"), "empty file"),
        (lambda path: path.symlink_to("/proc/self/fd/0"), "not a regular file"),
        (lambda path: path.symlink_to(path.parent), "is a folder"),
        (lambda path: path.symlink_to(path / "a"), "symbolic links"),
        (listening, "not a regular file"),
    ],
)
async def test_a_special_file_is_refused_and_the_next_is_read(
    reading: ReadingProcesses, tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    odd, good = tmp_path / "odd.txt", tmp_path / "good.txt"
    make(odd)
    good.write_text(SAID)
    with anyio.fail_after(PATIENCE), pytest.raises(UnreadableDocument, match=reason):
        await reading.read(odd)
    assert (await reading.read(good)).blocks


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing\0.txt", "cannot be a file name"),
        ("a" * 256 + ".txt", "name too long"),
        ("a/" * 3_000 + ".txt", "name too long"),
        (".txt", "without a suffix"),
    ],
)
async def test_an_impossible_file_name_is_refused_with_the_reason(
    reading: ReadingProcesses, tmp_path: Path, name: str, reason: str
) -> None:
    (tmp_path / ".txt").write_text(SAID)
    with pytest.raises(UnreadableDocument, match=f"(?i){reason}"):
        await reading.read(Path(f"{tmp_path}/{name}"))
