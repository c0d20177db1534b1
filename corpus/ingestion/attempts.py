"""The reading of a file that may change meanwhile, and of one that could not be read before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.ingestion.fingerprints import Fingerprint
from corpus.ingestion.looking import Looking
from corpus.ingestion.pages import PageTally
from corpus.readers.protocol import ReadDocument, Reading

TIMES_READ = 2
"""How often a file that changes while it is read is read before it is given up."""

GivenUp = dict[Path, tuple[int, str]]
"""Files whose reading failed: the time that they were of (nanoseconds), and the reason."""


@dataclass(frozen=True, slots=True)
class Attempts:
    reading: Reading
    looking: Looking
    given_up: GivenUp
    tally: PageTally

    def refuse_again(self, path: Path, state: Fingerprint) -> None:
        """Raises UnreadableDocument with the former reason where nothing happened to the file since."""
        if self.refuses(path, state):
            raise UnreadableDocument(self.given_up[path][1])

    def refuses(self, path: Path, state: Fingerprint) -> bool:
        mtime_ns, _ = self.given_up.get(path, (None, ""))
        return self.looking.by_time and mtime_ns == state.mtime_ns

    async def read(self, path: Path, state: Fingerprint) -> tuple[ReadDocument, Fingerprint]:
        """What a reader gave, and the state of the file that it is of. Raises UnreadableDocument."""
        for _ in range(TIMES_READ):
            try:
                read = await self.reading.read(path, self.tally.listener(path))
            except UnreadableDocument as reason:
                self.given_up[path] = state.mtime_ns, str(reason)
                raise
            after = await self.looking.now(path)
            if read.content_hash in (None, state.content_hash) and after.content_hash == state.content_hash:
                self.given_up.pop(path, None)
                return read, after
            of, state = state, after
        if read.content_hash == of.content_hash:
            return read, of  # what never rests is taken in as it was at one moment
        raise UnreadableDocument("changed while it was read; ingest it again when it stands still")
