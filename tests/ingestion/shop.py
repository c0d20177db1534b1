"""An index and reading processes for a folder of documents, for ingestion tests."""

from __future__ import annotations

from pathlib import Path

from corpus.access import ANONYMOUS, Caller
from corpus.index.local import LocalIndex
from corpus.ingestion.ingest import Ingestion, IngestOptions, Reading
from corpus.ingestion.report import Progress, Report, Silence
from corpus.ingestion.walk import USUAL, Scope
from corpus.readers.sandbox.pool import READABLE
from corpus.search import Search

ANN = Caller(user_id="ann")


class Shop:
    def __init__(self, index: LocalIndex, reading: Reading, folder: Path) -> None:
        self.index, self.reading, self.folder = index, reading, folder
        self.given_up: dict[Path, tuple[int, str]] = {}

    async def ingest(
        self,
        *paths: Path,
        version: str = "1",
        scope: Scope = USUAL,
        changed: list[Path] | None = None,
        progress: Progress | None = None,
        **options: object,
    ) -> Report:
        ingestion = Ingestion(
            self.index,
            self.reading,
            readable=READABLE,
            reader_version=version,
            progress=progress or Silence(),
            options=IngestOptions(**options),  # type: ignore[arg-type]
            scope=scope,
            at_once=2,
            given_up=self.given_up,
        )
        return await ingestion.run(paths or [self.folder], changed=changed)

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    async def found(self, query: str, caller: Caller = ANONYMOUS) -> list[str]:
        return [hit.document.filename for hit in (await self.index.find(Search(query), caller)).hits]

    async def ids(self) -> dict[str, str]:
        return {one.filename: one.doc_id for one in await self.index.all_documents()}


def kinds(report: Report) -> dict[str, str]:
    return {outcome.path.name: outcome.kind for outcome in report.outcomes}


def details(report: Report) -> dict[str, str]:
    return {outcome.path.name: outcome.detail for outcome in report.outcomes}
