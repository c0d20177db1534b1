"""The look at a file before anything is done with it: whether it stands still, else what it holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
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
from corpus.ingestion.versions import shown_by, withheld_from


@dataclass
class Looking:
    """`still` are files to which nothing happened since they were indexed, by size and time, where `by_time` trusts
    these; `states` are the fingerprints of all others that could be opened. `is_current` tells the versions whose
    documents need not be read again, and `again` files that are read whatever their documents say."""

    known: Known
    is_current: Callable[[str], bool]
    by_time: bool
    within: Roots
    most_bytes: int
    again: Collection[Path] = ()
    still: set[Path] = field(default_factory=set)
    states: dict[Path, Fingerprint] = field(default_factory=dict)

    async def look(self, path: Path) -> None:
        before = self.known.at.get(str(path))
        if before and await self._stands_still(path, before):
            self.still.add(path)
        else:
            with suppress(UnreadableDocument):  # told when its turn comes
                self.states[path] = await self.now(path)

    def is_as_indexed(self, path: Path) -> bool:
        """Whether the file held what the index has of it when it was looked at."""
        before, state = self.known.at.get(str(path)), self.states.get(path)
        return before is not None and state is not None and before.content_hash == state.content_hash

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
        if not self.by_time or path in self.again or not self.is_current(version) or withheld_from(version):
            return False
        shown = shown_by(version)
        look = lambda: looks_unchanged(path, before) and look_unchanged(shown)  # noqa: E731
        return await anyio.to_thread.run_sync(look)
