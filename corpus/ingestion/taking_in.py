"""One file on its way into the index: refused, unchanged, moved, or read and put; whatever happens is its outcome."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import structlog

from corpus.documents import Document
from corpus.errors import DocumentNotFound, IbidError, UnreadableDocument
from corpus.ingestion.attempts import Attempts
from corpus.ingestion.fingerprints import Fingerprint
from corpus.ingestion.looking import Looking
from corpus.ingestion.narrowing import Narrowing
from corpus.ingestion.opening import LeadsOut
from corpus.ingestion.outcomes import Outcome
from corpus.ingestion.pictures import PicturesBeside
from corpus.ingestion.putting import Putting
from corpus.ingestion.versions import shown_by, withheld_from
from corpus.readers.showing import refuse
from corpus.text import is_text

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TakingIn:
    """`led_out` are the files that lay behind a link out of the folders when they were opened."""

    looking: Looking
    attempts: Attempts
    putting: Putting
    narrowing: Narrowing
    pictures: PicturesBeside
    led_out: set[Path] = field(default_factory=set)

    async def file(self, path: Path) -> Outcome:
        """Raises IbidError where the index itself is busy, full or damaged."""
        try:
            return await self._taken_in(path)
        except UnreadableDocument as reason:
            self.led_out.update({path} if isinstance(reason, LeadsOut) else ())
            return Outcome("failed", path, detail=str(reason))
        except DocumentNotFound:
            return Outcome("failed", path, detail="removed from the index meanwhile; ingest it again")
        except IbidError:
            raise  # not this file's fault
        except Exception as error:
            log.exception("ingest.crash", path=os.fspath(path))
            return Outcome("failed", path, detail=f"an error of Ibid itself ({type(error).__name__})")

    def reads(self, path: Path, state: Fingerprint) -> bool:
        """Whether a file in this state is likely to be read, as far as that can be told without a look at the disk."""
        known = self.putting.known
        before = known.at.get(str(path))
        if before is None:
            is_new = not known.may_have_moved(state.content_hash)
        else:
            is_new = before.content_hash != state.content_hash
            is_new = is_new or not self.looking.is_current(before.reader_version)
        return is_new and not self.attempts.refuses(path, state)

    async def _taken_in(self, path: Path) -> Outcome:
        log.debug("ingest.stage", stage="reading", path=str(path))
        if not is_text(str(path)):
            raise UnreadableDocument("its name is not valid Unicode; rename it")
        known = self.putting.known
        before = known.at.get(str(path))
        if before and path in self.looking.still and self._may_still_show(before):
            return Outcome("unchanged", path, before.doc_id)
        state = await self.looking.state_of(path)
        if before is None and (moved := known.moved_to(path, state.content_hash)):
            return await self.putting.moved(moved, path, state)
        if before and before.content_hash == state.content_hash and await self._stands(before):
            return await self.putting.unchanged(before, state)
        self.attempts.refuse_again(path, state)
        access = self.narrowing.list_for(state.content_hash, before)
        refuse.set(partial(self.pictures.refused_to, path, access))
        read, state = await self.attempts.read(path, state)
        return await self.putting.put(path, read, state, before)

    async def _stands(self, before: Document) -> bool:
        """Whether a document whose file did not change would be read as it was."""
        again = Path(before.source_path) in self.looking.again
        if again or not self.looking.is_current(before.reader_version):
            return False
        access = before.access_control_list
        withheld = withheld_from(before.reader_version)
        if withheld and await self.pictures.can_come_back(access, withheld):
            return False
        shown = shown_by(before.reader_version)
        return not shown or await self.pictures.stand(access, shown)

    def _may_still_show(self, before: Document) -> bool:
        access = before.access_control_list
        shown = shown_by(before.reader_version)
        return all(self.pictures.may_read(access, path, digest) for path, digest, *_ in shown)
