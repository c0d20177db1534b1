"""A folder with pictures of text, ingested in two stages, for tests of the second stage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Picture
from corpus.documents.document import Document
from corpus.index.local import LocalIndex
from corpus.ingestion.ingest import Ingestion, IngestOptions
from corpus.ingestion.recognition_queue import RecognitionQueue
from corpus.ingestion.report import Report, Silence
from corpus.readers.ocr.engine import ENGINE, RecognitionResult
from corpus.readers.ocr.records import Records
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses
from corpus.search import Search


class Watched:
    """Reads pictures as the reading processes do, and records its requests. `before` is called before each picture."""

    def __init__(self, reading: ReadingProcesses, happened: list[str]) -> None:
        self._reading, self._happened = reading, happened
        self.before: Callable[[str], Awaitable[None]] | None = None

    async def recognise(self, path: Path, place: str, *, content_hash: str) -> RecognitionResult | None:
        await self._look(f"{path.name} {place}")
        return await self._reading.recognise(path, place, content_hash=content_hash)

    async def recognise_picture(self, picture: Picture) -> RecognitionResult | None:
        await self._look("figure")
        return await self._reading.recognise_picture(picture)

    async def _look(self, what: str) -> None:
        self._happened.append(f"recognised {what}")
        if self.before:
            await self.before(what)


class Gallery(Silence):
    """The folder and its index. `happened` lists in order the ingested files, the pictures read by OCR, and the
    documents that were read again for them. `file` stores the OCR results, by `reading` unless there is a
    `recogniser`."""

    def __init__(
        self,
        index: LocalIndex,
        reading: ReadingProcesses,
        file: Path,
        folder: Path,
        recogniser: ReadingProcesses | None = None,
    ) -> None:
        self.index, self.folder, self.reading = index, folder, reading
        self.records = Records(file, ENGINE)
        self.happened: list[str] = []
        self.progress: list[tuple[int, int]] = []
        self.watched = Watched(recogniser or reading, self.happened)
        self._recognising = RecognitionQueue(index, self.watched, self.records, roots=[folder], at_once=1)

    async def ingest(self, *, reads_pictures: bool = True, **options: object) -> Report:
        report = await self._ingestion(reads_pictures=reads_pictures, **options).run([self.folder])
        self.happened += [f"{one.kind} {one.path.name}" for one in report.outcomes]
        return report

    async def recognise(self, go_on: Callable[[], bool] = lambda: True) -> bool:
        return await self._recognising.round(self._read_again, self, go_on)

    async def found(self, query: str, caller: Caller = ANONYMOUS) -> list[str]:
        return [hit.document.filename for hit in (await self.index.find(Search(query), caller)).hits]

    async def document(self, name: str) -> Document:
        (found,) = [each for each in await self.index.all_documents() if each.filename == name]
        return found

    def recognised(self, done: int, total: int) -> None:
        self.progress.append((done, total))

    async def _read_again(self, places: Sequence[Path]) -> None:
        report = await self._ingestion(reads_pictures=True).read_again([self.folder], places)
        self.happened += [f"{_AGAIN[one.kind]} {one.path.name}" for one in report.outcomes]

    def _ingestion(self, *, reads_pictures: bool, **options: object) -> Ingestion:
        return Ingestion(
            self.index,
            self.reading,
            readable=READABLE,
            reader_version="1",
            reads_pictures=reads_pictures,
            progress=self,
            options=IngestOptions(**options),  # type: ignore[arg-type]
        )


_AGAIN = {"replaced": "again", "failed": "failed"}
