"""The look at a file before anything is done with it: whether it stands still, else what it holds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio.from_thread
import anyio.to_thread

from corpus.documents import Document
from corpus.errors import UnreadableDocument
from corpus.ingestion.fingerprints import Fingerprint, fingerprint, looks_unchanged
from corpus.ingestion.known import Known
from corpus.ingestion.opening import Roots
from corpus.ingestion.pictures import look_unchanged
from corpus.ingestion.versions import is_current, shown_by, withheld_from


@dataclass
class Looking:
    """`still` are files to which nothing happened since they were indexed, by size and time, where `by_time` trusts
    these; `states` are the fingerprints of all others that could be opened. `current` are the versions of readers whose
    documents need not be read again."""

    known: Known
    current: frozenset[str]
    by_time: bool
    within: Roots
    most_bytes: int
    still: set[Path] = field(default_factory=set)
    states: dict[Path, Fingerprint] = field(default_factory=dict)

    async def look(self, path: Path) -> None:
        before = self.known.at.get(str(path))
        if before and await self._stands_still(path, before):
            self.still.add(path)
        else:
            with suppress(UnreadableDocument):  # told when its turn comes
                self.states[path] = await self.now(path)

    async def state_of(self, path: Path) -> Fingerprint:
        """As it was looked at. Raises UnreadableDocument, and looks once more before."""
        return self.states.get(path) or await self.now(path)

    async def now(self, path: Path) -> Fingerprint:
        """What the file holds at this moment. Raises UnreadableDocument."""
        look = partial(
            fingerprint,
            path,
            self.within,
            most_bytes=self.most_bytes,
            go_on=anyio.from_thread.check_cancelled,
        )
        return await anyio.to_thread.run_sync(look)

    async def _stands_still(self, path: Path, before: Document) -> bool:
        version = before.reader_version
        if not self.by_time or not is_current(version, self.current) or withheld_from(version):
            return False
        shown = shown_by(version)
        look = lambda: looks_unchanged(path, before) and look_unchanged(shown)  # noqa: E731
        return await anyio.to_thread.run_sync(look)
