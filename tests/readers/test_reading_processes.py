"""Files are read in separate processes: a failure there affects only one file."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from PIL import Image

from corpus.documents.block import Picture
from corpus.documents.line_boxes import highlight_box
from corpus.errors import InternalError, UnreadableDocument
from corpus.processes.child import Head, read_frame
from corpus.readers.protocol import Limits
from corpus.readers.sandbox import main
from corpus.readers.sandbox.main import Answer
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version
from corpus.readers.sandbox.worker import Worker
from tests.patience import PATIENCE
from tests.readers.pdfs import by_hand, drawn, lines, memory_bomb

pytestmark = pytest.mark.anyio
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and signals as Linux has them")


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return drawn(tmp_path / "good.pdf", lines("The first page"), lines("The second page"))


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Draw a page that takes many seconds."""
    return by_hand(tmp_path / "endless.pdf", b"0 0 m 1 1 l S\n" * 4_000_000, packed=True)


IMPOSTOR = """
import sys
sys.path.insert(0, sys.argv[1] + "/..")
from corpus.processes.child import frame
sys.stdout.buffer.write(frame({"kind": "ready"}))
sys.stdout.flush()
sys.stdin.buffer.read(1)
sys.stdout.buffer.write(ANSWER)
sys.stdout.flush()
"""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pids(reading: ReadingProcesses) -> list[int]:
    return [worker.pid for worker in reading._workers]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def ended(pid: int) -> None:
    with anyio.fail_after(PATIENCE):
        while is_running(pid):
            await anyio.sleep(0.05)


async def test_a_document_is_returned_completely(reading: ReadingProcesses, good: Path) -> None:
    document = await reading.read(good)
    assert document.page_count == 2
    assert [block.content for block in document.blocks] == ["The first page", "The second page"]


async def test_one_process_reads_many_files(reading: ReadingProcesses, good: Path) -> None:
    await reading.read(good)
    before = pids(reading)
    await reading.read(good)
    assert pids(reading) == before


async def test_files_are_read_concurrently(good: Path) -> None:
    async with ReadingProcesses(count=2) as reading, anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(reading.read, good)
        with anyio.fail_after(PATIENCE):
            while len(pids(reading)) < 2:
                await anyio.sleep(0.01)


@on_linux
async def test_a_memory_bomb_affects_only_its_own_file(good: Path, tmp_path: Path) -> None:
    async with ReadingProcesses(Limits(memory_bytes=400_000_000)) as reading:
        with pytest.raises(UnreadableDocument, match=r"needed more than 0\.4 GB of memory"):
            await reading.read(memory_bomb(tmp_path / "bomb.pdf"))
        assert (await reading.read(good)).page_count == 2


async def test_a_silent_process_is_ended(good: Path, endless: Path) -> None:
    async with ReadingProcesses(Limits(silent_seconds=0.2)) as reading:
        with pytest.raises(UnreadableDocument, match=r"took more than 0\.2 s"):
            await reading.read(endless)
        assert pids(reading) == []
    async with ReadingProcesses() as reading:
        assert (await reading.read(good)).page_count == 2


async def test_silence_after_some_pages_reports_the_next_page(monkeypatch: pytest.MonkeyPatch, good: Path) -> None:
    answer = IMPOSTOR.replace("ANSWER", "frame({'kind': 'page', 'number': 2})")
    monkeypatch.setattr("corpus.processes.child.BOOTSTRAP", f"{answer}\nimport time\ntime.sleep(60)")
    async with ReadingProcesses(Limits(still_seconds=1)) as reading:
        with pytest.raises(UnreadableDocument, match=r"made no progress for more than 1 s for page 3"):
            await reading.read(good)


@on_linux
async def test_a_process_that_the_machine_suspends_loses_no_file(good: Path) -> None:
    """It is suspended for several times its limit of silence, as if others used the entire machine."""
    async with ReadingProcesses(Limits(silent_seconds=1)) as reading, anyio.create_task_group() as group:
        await reading.read(good)
        (pid,) = pids(reading)
        os.kill(pid, signal.SIGSTOP)
        pages = []

        async def read() -> None:
            pages.append((await reading.read(good)).page_count)

        group.start_soon(read)
        await anyio.sleep(3)
        assert not pages
        os.kill(pid, signal.SIGCONT)
        with anyio.fail_after(PATIENCE):
            while not pages:
                await anyio.sleep(0.05)
        assert pages == [2]
        assert pids(reading) == [pid]


async def test_a_file_may_not_take_forever_in_total(endless: Path) -> None:
    async with ReadingProcesses(Limits(total_seconds=0.3)) as reading:
        with pytest.raises(UnreadableDocument, match=r"took more than 0\.3 s$"):
            await reading.read(endless)


@on_linux
@pytest.mark.parametrize(
    ("number", "reason"),
    [(signal.SIGSEGV, "crashed on it .signal 11"), (signal.SIGKILL, "from outside .signal 9")],
)
async def test_a_crash_affects_only_its_own_file(
    reading: ReadingProcesses, good: Path, endless: Path, number: signal.Signals, reason: str
) -> None:
    await reading.read(good)
    (pid,) = pids(reading)

    async def crash() -> None:
        await anyio.sleep(0.2)
        os.kill(pid, number)

    async with anyio.create_task_group() as group:
        group.start_soon(crash)
        with pytest.raises(UnreadableDocument, match=reason):
            await reading.read(endless)
    assert (await reading.read(good)).page_count == 2


@on_linux
@pytest.mark.parametrize("limits", [Limits(), Limits(silent_seconds=0.2)])
async def test_a_killed_process_leaves_no_temporary_file(tmp_path: Path, endless: Path, limits: Limits) -> None:
    """The process has a link to the file that it reads, which it would have removed at the end."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    async with ReadingProcesses(limits, environment=os.environ | {"TMPDIR": str(temporary)}) as reading:
        with anyio.move_on_after(1), contextlib.suppress(UnreadableDocument):
            await reading.read(endless)
        assert list(temporary.iterdir()) == []


@on_linux
async def test_a_cancelled_call_ends_its_process(reading: ReadingProcesses, good: Path, endless: Path) -> None:
    await reading.read(good)
    (pid,) = pids(reading)
    with anyio.move_on_after(0.3):
        await reading.read(endless)
    await ended(pid)
    assert (await reading.read(good)).page_count == 2


@on_linux
async def test_a_process_ends_when_the_server_is_gone(good: Path) -> None:
    worker = await Worker.start(Limits())
    await worker._input.aclose()
    await ended_by_itself(worker)
    await worker.end()


@on_linux
async def test_a_working_process_ends_when_the_server_is_gone(endless: Path) -> None:
    worker = await Worker.start(Limits())
    folder = Path(worker._folder.name)
    assert folder.is_dir()
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            with pytest.raises(UnreadableDocument):
                await worker.ask({"do": "read", "path": str(endless), "file_bytes": 10**9}, lambda head, data: None)

        group.start_soon(ask)
        await anyio.sleep(0.3)
        await worker._input.aclose()
        await ended_by_itself(worker)
    assert not folder.exists()
    await worker.end()


async def ended_by_itself(worker: Worker) -> None:
    with anyio.fail_after(PATIENCE):
        await worker._process.wait()


@pytest.mark.parametrize(
    "answer",
    [
        "b'garbage' * 10_000",
        "frame({'kind': 'block', 'place': '../..', 'block_type': 'text'})",
        "frame({'kind': 'surprise'})",
        "frame({'kind': 'document'})",
        "frame({'kind': 'page', 'number': 'two'})",
        "frame({'kind': 'page', 'number': 1})[:10]",
    ],
)
async def test_a_process_that_answers_with_nonsense_is_ended(
    monkeypatch: pytest.MonkeyPatch, good: Path, answer: str
) -> None:
    monkeypatch.setattr("corpus.processes.child.BOOTSTRAP", IMPOSTOR.replace("ANSWER", answer))
    async with ReadingProcesses(Limits(silent_seconds=10)) as reading:
        with anyio.fail_after(PATIENCE), pytest.raises(UnreadableDocument, match=r"invalid answer|ended with code"):
            await reading.read(good)
        assert pids(reading) == []


async def test_an_interpreter_that_cannot_start_the_process_is_an_internal_error(
    monkeypatch: pytest.MonkeyPatch, good: Path
) -> None:
    monkeypatch.setattr("corpus.processes.child.BOOTSTRAP", "raise SystemExit('no such thing')")
    async with ReadingProcesses() as reading:
        with pytest.raises(InternalError, match="no such thing"):
            await reading.read(good)


async def test_packages_in_the_working_directory_are_not_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, good: Path
) -> None:
    for name in ("corpus", "server", "json", "pypdfium2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    async with ReadingProcesses() as reading:
        assert (await reading.read(good)).page_count == 2


@on_linux
async def test_an_idle_process_that_died_loses_no_file(reading: ReadingProcesses, good: Path) -> None:
    await reading.read(good)
    (pid,) = pids(reading)
    os.kill(pid, signal.SIGKILL)
    await ended(pid)
    assert (await reading.read(good)).page_count == 2


async def test_closing_ends_the_running_calls(reading: ReadingProcesses, good: Path, endless: Path) -> None:
    await reading.read(good)
    async with anyio.create_task_group() as group:

        async def ask() -> None:
            with pytest.raises(UnreadableDocument):
                await reading.read(endless)

        group.start_soon(ask)
        await anyio.sleep(0.2)
        await reading.aclose()


async def test_closed_readers_read_no_more_files(reading: ReadingProcesses, good: Path) -> None:
    await reading.aclose()
    with pytest.raises(UnreadableDocument, match="closed"):
        await reading.read(good)


@on_linux
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (os.mkfifo, "not a regular file"),
        (lambda path: path.symlink_to(path), "symbolic links"),
        (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
        (lambda path: path.touch(), "empty file"),
        (lambda path: None, "no such file"),
    ],
)
async def test_a_special_file_is_refused_and_nothing_blocks(
    reading: ReadingProcesses, tmp_path: Path, make: object, reason: str
) -> None:
    make(tmp_path / "odd.pdf")  # type: ignore[operator]
    with anyio.fail_after(PATIENCE), pytest.raises(UnreadableDocument, match=reason):
        await reading.read(tmp_path / "odd.pdf")


@on_linux
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_a_file_without_permission_is_reported_as_such(reading: ReadingProcesses, good: Path) -> None:
    good.chmod(0)
    with pytest.raises(UnreadableDocument, match="no permission"):
        await reading.read(good)


async def test_a_file_over_the_limit_is_refused(good: Path) -> None:
    async with ReadingProcesses(Limits(file_bytes=100)) as reading:
        with pytest.raises(UnreadableDocument, match="allowed"):
            await reading.read(good)


async def test_a_picture_is_reduced_and_an_invalid_one_is_refused(reading: ReadingProcesses) -> None:
    whole = io.BytesIO()
    Image.new("RGB", (2_000, 1_000), "white").save(whole, "PNG")

    made = await reading.smaller_picture(Picture(whole.getvalue(), "image/png"), max_side=512, max_bytes=90_000)

    assert Image.open(io.BytesIO(made.data)).size == (512, 256)
    with pytest.raises(UnreadableDocument, match="is not a picture"):
        await reading.smaller_picture(Picture(b"x", "image/png"), max_side=512, max_bytes=90_000)


async def test_a_page_is_shown_with_a_frame(reading: ReadingProcesses, good: Path) -> None:
    plain = await reading.render_page(good, 1, content_hash=digest(good))
    framed = await reading.render_page(good, 1, content_hash=digest(good), outlines=[(72, 90, 200, 110)])
    assert plain
    assert framed
    image = Image.open(io.BytesIO(framed.data)).convert("RGB")
    assert max(image.size) == 1600
    assert plain.data != framed.data
    assert any(red > 180 and green < 90 for _, (red, green, _) in image.getcolors(1 << 24) or [])


async def test_a_text_is_marked_as_in_the_evidence_view(reading: ReadingProcesses, good: Path) -> None:
    box = (72, 300, 200, 312)
    shown = await reading.render_page(good, 1, content_hash=digest(good), marked=[box])
    assert shown
    image = Image.open(io.BytesIO(shown.data)).convert("RGB")
    left, top, width, height = highlight_box(box, shown.size)
    middle = (round((left + width / 2) * image.width / 100), round((top + height / 2) * image.height / 100))
    assert image.getpixel(middle) == pytest.approx((255, 239, 186), abs=4)
    edge = image.getpixel((middle[0], round(top * image.height / 100)))
    assert edge == (179, 95, 0)
    below = image.getpixel((middle[0], round((top + height) * image.height / 100) + 4))
    assert below == pytest.approx((255, 255, 255), abs=4)


async def test_a_picture_of_a_page_keeps_its_limit(reading: ReadingProcesses, good: Path) -> None:
    picture = await reading.render_page(good, 1, content_hash=digest(good), max_bytes=5_000)
    assert picture
    assert len(picture.data) <= 5_000


async def test_a_replaced_file_has_no_picture_and_costs_no_process(
    reading: ReadingProcesses, good: Path, tmp_path: Path
) -> None:
    before = digest(good)
    drawn(good, lines("What was never indexed"))
    assert await reading.render_page(good, 1, content_hash=before) is None
    at_work = pids(reading)
    assert await reading.render_page(good, 1, content_hash=digest(good))
    assert pids(reading) == at_work


@pytest.mark.parametrize("page", [0, 3, -1])
async def test_a_missing_page_is_reported(reading: ReadingProcesses, good: Path, page: int) -> None:
    with pytest.raises(UnreadableDocument, match="has 2 pages"):
        await reading.render_page(good, page, content_hash=digest(good))


def test_readable_formats_are_known_without_a_process() -> None:
    assert {".pdf", ".md", ".txt"} <= READABLE
    assert reader_version()


def test_a_full_disk_is_reported_as_such(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def writes(request: Head, data: bytes) -> Answer:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield

    monkeypatch.setattr(main, "_answer_to", writes)
    output = io.BytesIO()
    main._answer({}, b"", output)
    output.seek(0)
    received = read_frame(output)
    assert received
    assert received[0]["reason"] == "there was no disk space for its temporary files (No space left on device)"
    assert not capfd.readouterr().err
