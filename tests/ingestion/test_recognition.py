"""OCR starts after all texts are read, handles pictures one by one, and makes each searchable immediately."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import docx
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.access import ANONYMOUS, Caller
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.report import Silence
from corpus.readers.protocol import Limits
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.doubles.digest_embedder import DigestEmbedder
from tests.ingestion.gallery import Gallery
from tests.machine import slowness
from tests.readers.scans import needs_ocr, picture, scan

pytestmark = [pytest.mark.anyio, needs_ocr]

ANN = Caller(user_id="ann")
SAID = {
    "impeller": "The impeller turns clockwise in its volute.",
    "gasket": "A gasket keeps water inside the flange.",
    "strainer": "Sand stays behind in this strainer.",
    "bearing": "Every bearing runs warm after nine hours.",
    "coupling": "One coupling joins motor and shaft.",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Image.Image]:
    """Pictures of pages with one sentence; one page for each word."""
    folder = tmp_path_factory.mktemp("pages")
    return {word: picture(folder / word, said, size=(300, 150)) for word, said in SAID.items()}


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records") / "recognition"


@pytest.fixture(scope="module")
async def reading(records: Path) -> AsyncIterator[ReadingProcesses]:
    """Reading processes for all tests, because the models are loaded once. Their records of a document end with it."""
    async with ReadingProcesses(records=records) as reading:
        yield reading


@pytest.fixture
async def gallery(tmp_path: Path, reading: ReadingProcesses, records: Path) -> AsyncIterator[Gallery]:
    (tmp_path / "documents").mkdir()
    index = LocalIndex.open(tmp_path / "index", DigestEmbedder())
    yield Gallery(index, reading, records, tmp_path / "documents")
    await index.aclose()


def put_scan(gallery: Gallery, name: str, *pages: Image.Image) -> Path:
    return scan(gallery.folder / name, *pages)


async def test_texts_are_searchable_before_any_picture_is_read(gallery: Gallery, pages: dict[str, Image.Image]) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"])
    (gallery.folder / "b.md").write_text("The pump is primed.")

    async def look(_: str) -> None:
        assert await gallery.found("primed") == ["b.md"]

    gallery.watched.before = look
    await gallery.ingest()
    assert "recognised" not in " ".join(gallery.happened)
    (warning,) = (await gallery.document("a.pdf")).warnings
    assert warning == (
        "Page 1 is a picture without text, not read yet by text recognition (OCR), which runs after all texts are read."
    )
    assert not await gallery.recognise()
    assert gallery.happened[-2:] == ["recognised a.pdf p1", "again a.pdf"]
    assert await gallery.found("impeller") == ["a.pdf"]
    (warning,) = (await gallery.document("a.pdf")).warnings
    assert warning == "Page 1 was read by text recognition (OCR); single characters and numbers may be wrong."


async def test_the_first_pages_of_a_scan_are_searchable_before_its_last_are_read(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"], pages["gasket"], pages["strainer"])
    await gallery.ingest()
    found: dict[str, list[str]] = {}

    async def look(what: str) -> None:
        with anyio.fail_after(30):
            while what == "a.pdf p3" and not await gallery.found("impeller"):
                await anyio.lowlevel.checkpoint()
        found[what] = await gallery.found("impeller gasket")

    gallery.watched.before = look
    await gallery.recognise()
    assert found["a.pdf p1"] == []
    assert set(found["a.pdf p3"]) == {"a.pdf"}
    assert gallery.progress[0] == (0, 3)
    assert gallery.progress[-1] == (3, 3)
    assert await gallery.found("strainer") == ["a.pdf"]


async def test_short_documents_do_not_wait_for_long_ones(gallery: Gallery, pages: dict[str, Image.Image]) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"], pages["gasket"])
    put_scan(gallery, "b.pdf", pages["strainer"])
    await gallery.ingest()
    await gallery.recognise()
    looked = [each for each in gallery.happened if each.startswith("recognised")]
    assert looked == ["recognised b.pdf p1", "recognised a.pdf p1", "recognised a.pdf p2"]


async def test_a_picture_in_an_office_file_and_a_picture_file_are_found_by_their_text(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    pages["gasket"].save(gallery.folder / "photo.png")
    buffer = io.BytesIO()
    pages["strainer"].save(buffer, "PNG")
    made = docx.Document()
    made.add_paragraph("Parts are listed below.")
    made.add_picture(buffer)
    made.save(str(gallery.folder / "parts.docx"))
    await gallery.ingest()
    assert await gallery.found("gasket") == []
    (warning,) = (await gallery.document("parts.docx")).warnings
    assert warning == (
        "The words in 1 picture are not read yet by text recognition (OCR), which runs after all texts are read."
    )
    await gallery.recognise()
    assert await gallery.found("gasket") == ["photo.png"]
    assert await gallery.found("strainer") == ["parts.docx"]


async def test_an_ocr_round_that_ends_early_continues_with_the_rest(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    put_scan(gallery, "a.pdf", pages["bearing"], pages["coupling"])
    await gallery.ingest()
    assert await gallery.recognise(lambda: gallery.progress[-1][0] < 1)
    assert not await gallery.recognise()
    assert gallery.happened.count("recognised a.pdf p1") == 1
    assert gallery.happened.count("recognised a.pdf p2") == 1
    assert await gallery.found("coupling") == ["a.pdf"]


async def test_ocr_results_are_deleted_when_the_document_is_done_or_gone(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    done = put_scan(gallery, "a.pdf", pages["impeller"], pages["bearing"])
    gone = put_scan(gallery, "b.pdf", pages["gasket"], pages["bearing"], pages["impeller"])
    await gallery.ingest()
    hashes = [(await gallery.document(path.name)).content_hash for path in (done, gone)]
    await gallery.recognise(lambda: gallery.progress[-1][0] < 3)
    assert [bool(gallery.records.places(each)) for each in hashes] == [False, True]
    await gallery.index.remove((await gallery.document("b.pdf")).doc_id)
    assert not await gallery.recognise()
    assert not gallery.records.places(hashes[1])


async def test_a_file_that_changed_meanwhile_is_skipped_and_read_like_any_changed_file(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    path = put_scan(gallery, "a.pdf", pages["impeller"], pages["strainer"])
    await gallery.ingest()

    async def change(what: str) -> None:
        if what == "a.pdf p2":
            scan(path, pages["gasket"])

    gallery.watched.before = change
    assert not await gallery.recognise()
    assert await gallery.found("gasket") == []
    gallery.watched.before = None
    await gallery.ingest()
    await gallery.recognise()
    assert await gallery.found("gasket") == ["a.pdf"]
    assert await gallery.found("impeller") == []


async def test_a_document_removed_meanwhile_does_not_return(gallery: Gallery, pages: dict[str, Image.Image]) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"])
    await gallery.ingest()
    doc_id = (await gallery.document("a.pdf")).doc_id

    async def remove(_: str) -> None:
        await gallery.index.remove(doc_id)

    gallery.watched.before = remove
    assert not await gallery.recognise()
    assert await gallery.index.all_documents() == ()


async def test_a_restricted_document_keeps_its_list_when_it_is_read_again(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"])
    await gallery.ingest(allow=("user:ann",))
    await gallery.recognise()
    assert await gallery.found("impeller", ANN) == ["a.pdf"]
    assert await gallery.found("impeller", ANONYMOUS) == []


async def test_a_list_narrowed_meanwhile_applies_to_ocr_text(gallery: Gallery, pages: dict[str, Image.Image]) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"])
    await gallery.ingest()

    async def narrow(_: str) -> None:
        await gallery.ingest(allow=("user:ann",))

    gallery.watched.before = narrow
    await gallery.recognise()
    assert await gallery.found("impeller", ANONYMOUS) == []
    assert await gallery.found("impeller", ANN) == ["a.pdf"]


async def test_with_ocr_off_nothing_is_promised_and_turning_it_on_reads_the_pictures(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    put_scan(gallery, "a.pdf", pages["impeller"])
    on = gallery.reading
    async with ReadingProcesses() as gallery.reading:
        await gallery.ingest(reads_pictures=False)
        (warning,) = (await gallery.document("a.pdf")).warnings
        assert "set RAG_OCR to auto" in warning
        await gallery.ingest(reads_pictures=False)
        assert gallery.happened == ["added a.pdf", "unchanged a.pdf"]
    gallery.reading = on
    await gallery.ingest()
    await gallery.recognise()
    assert await gallery.found("impeller") == ["a.pdf"]


async def test_vectors_of_unchanged_texts_are_not_computed_again(
    gallery: Gallery, pages: dict[str, Image.Image]
) -> None:
    made = docx.Document()
    made.add_paragraph("Parts are listed below.")
    made.add_heading("Chapter")
    made.add_paragraph("Nothing here changes.")
    buffer = io.BytesIO()
    pages["strainer"].save(buffer, "PNG")
    made.add_picture(buffer)
    made.save(str(gallery.folder / "parts.docx"))
    await gallery.ingest()
    embedder = DigestEmbedder()
    everything = await embed_pending(gallery.index, embedder, Silence(), 0)
    await gallery.recognise()
    again = [one.text for one in await gallery.index.pending(100)]
    assert len(again) == 1
    assert "strainer" in again[0]
    assert everything > 1


@pytest.mark.slow
async def test_a_run_killed_between_two_pages_continues_with_the_next(
    tmp_path: Path, pages: dict[str, Image.Image]
) -> None:
    (tmp_path / "documents").mkdir()
    scan(tmp_path / "documents" / "a.pdf", pages["impeller"], pages["gasket"], pages["strainer"])
    place, folder = tmp_path / "index", tmp_path / "documents"
    command = [sys.executable, "-m", "tests.ingestion.child", str(place), str(folder), "recognised", "2"]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL
    index = LocalIndex.open(place, DigestEmbedder())
    async with ReadingProcesses(records=place / "recognition") as reading:
        gallery = Gallery(index, reading, place / "recognition", folder)
        assert not await gallery.recognise()
        assert [each for each in gallery.happened if each.startswith("recognised")] == ["recognised a.pdf p3"]
        for word in ("impeller", "gasket", "strainer"):
            assert set(await gallery.found(word)) == {"a.pdf"}
    await index.aclose()


@pytest.mark.slow
async def test_a_page_that_takes_too_long_is_reported_and_the_others_are_read(
    tmp_path: Path, pages: dict[str, Image.Image]
) -> None:
    """The first page is large and drawn seven hundred times, which costs little until OCR reads it."""
    (tmp_path / "documents").mkdir()
    canvas = Canvas(str(tmp_path / "documents" / "a.pdf"), pagesize=(1600, 800))
    noise = ImageReader(Image.effect_noise((200, 100), 50).convert("RGB"))
    for _ in range(700):
        canvas.drawImage(noise, 0, 0, 1600, 800)
    canvas.showPage()
    canvas.setPageSize((300, 150))
    canvas.drawImage(ImageReader(pages["gasket"]), 0, 0, 300, 150)
    canvas.save()
    assert await warnings_at_the_end(tmp_path, Limits(silent_seconds=1.5 * slowness())) == (
        "Page 2 was read by text recognition (OCR); single characters and numbers may be wrong.",
        "Page 1: a picture whose text recognition (OCR) took too long and was given up.",
    )


async def test_a_page_beyond_any_possible_size_is_skipped_and_reported(
    tmp_path: Path, pages: dict[str, Image.Image]
) -> None:
    (tmp_path / "documents").mkdir()
    canvas = Canvas(str(tmp_path / "documents" / "a.pdf"), pagesize=(2_000_000, 1_000_000))
    canvas.drawImage(ImageReader(pages["gasket"]), 0, 0, 2_000_000, 1_000_000)
    canvas.save()
    assert await warnings_at_the_end(tmp_path, Limits()) == (
        "Page 1: a picture whose text recognition (OCR) failed and was given up.",
    )


async def warnings_at_the_end(tmp_path: Path, limits: Limits) -> tuple[str, ...]:
    """Return the warnings of `documents/a.pdf` after all OCR. The limits apply only to OCR."""
    index = LocalIndex.open(tmp_path / "index", None)
    records = tmp_path / "recognition"
    async with ReadingProcesses(records=records) as reading, ReadingProcesses(limits) as recogniser:
        gallery = Gallery(index, reading, records, tmp_path / "documents", recogniser)
        await gallery.ingest()
        assert not await gallery.recognise()
    warnings = (await gallery.document("a.pdf")).warnings
    await index.aclose()
    return warnings
