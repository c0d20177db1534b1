"""Pictures that a page shows from beside it: only what a run would take in itself, and for nobody but their readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

from corpus.access import PUBLIC
from corpus.documents import Document
from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.fingerprints import Fingerprint, fingerprint
from corpus.ingestion.lists import AccessList
from corpus.ingestion.narrowing import Narrowing
from corpus.ingestion.places import is_under
from corpus.ingestion.sources import Scope
from corpus.ingestion.versions import Shown, shown_by, withheld_from
from corpus.ingestion.walking import Walk
from corpus.readers.showing import Pictures


@dataclass
class PicturesBeside:
    """`roots` are the folders that the run is about; of a file that was named itself, its folder."""

    roots: Sequence[Path]
    scope: Scope
    narrowing: Narrowing
    _states: dict[str, Fingerprint] = field(default_factory=dict)
    _withheld: dict[Path, set[str]] = field(default_factory=dict)

    async def refused_to(self, page: Path, access: AccessList, pictures: Pictures) -> frozenset[str]:
        """Those that a page with this list may not show, which is remembered."""
        refused = await self.refused(access, pictures)
        self._withheld.setdefault(page, set()).update(refused)
        return refused

    def withheld(self, page: Path) -> frozenset[str]:
        """What was refused to a page in this run."""
        return frozenset(self._withheld.pop(page, ()))

    async def can_come_back(self, access: AccessList, withheld: Sequence[str]) -> bool:
        """Whether one of the pictures that were refused to a document may be shown now."""
        return await anyio.to_thread.run_sync(lambda: any(self._may_show(access, path) for path in withheld))

    async def refused(self, access: AccessList, pictures: Pictures) -> frozenset[str]:
        """Those that a document with this list may not show."""
        return await anyio.to_thread.run_sync(
            lambda: frozenset(path for path, digest in pictures if not self._may_show(access, path, digest))
        )

    def shown(self, pictures: Pictures) -> Shown:
        """What to keep with the document, to know when one of them changes."""
        states = [(path, digest, self._states.get(path)) for path, digest in pictures]
        return tuple(
            (path, digest, state.size, state.mtime_ns) for path, digest, state in states if state is not None
        )

    async def stand(self, access: AccessList, shown: Shown) -> bool:
        """Whether a document may show what it shows, and all of it is as it was."""
        return not await self.refused(access, tuple((path, digest) for path, digest, _, _ in shown))

    def may_read(self, access: AccessList, path: str, digest: str) -> bool:
        """Whether all who are on the list may read the picture, as far as it is a document of its own."""
        document = self.narrowing.known.at.get(path)
        of_place = (PUBLIC,) if document is None else document.access_control_list
        return self.narrowing.lets(access, digest) and _lets(of_place, access)

    def _may_show(self, access: AccessList, path: str, digest: str | None = None) -> bool:
        """With this content; without a digest, with whatever lies there."""
        try:
            walk = self._walked(Path(path))
            if walk is None:
                return False
            self._states[path] = state = fingerprint(Path(path), walk.within)
        except (UnreadableDocument, InvalidRequest):
            return False
        return digest in (None, state.content_hash) and self.may_read(access, path, state.content_hash)

    def _walked(self, path: Path) -> Walk | None:
        """The walk that would come to the file, if it were of a kind that is read."""
        roots = [root if root.is_dir() else root.parent for root in self.roots]
        for root in roots:
            if root not in path.parents:
                continue
            walk = Walk(
                roots, frozenset({path.suffix.lower()}), self.scope.follow_links, apart=self.scope.apart
            )
            walk.part_of(root, path)
            if path in walk.files:
                return walk
        return None


def look_unchanged(shown: Shown) -> bool:
    """Whether these pictures are as they were, by size and time. Blocks."""
    try:
        states = [Path(path).stat() for path, *_ in shown]
    except (OSError, ValueError):
        return False
    return [(one.st_size, one.st_mtime_ns) for one in states] == [(size, time) for *_, size, time in shown]


def that_show(changed: Sequence[Path], documents: Iterable[Document]) -> list[Path]:
    """The places of documents that show a picture at one of these places, or were kept from showing it."""
    return [
        Path(document.source_path)
        for document in documents
        if any(is_under(Path(path), one) for path in _beside(document.reader_version) for one in changed)
    ]


def _beside(version: str) -> tuple[str, ...]:
    return (*(path for path, *_ in shown_by(version)), *withheld_from(version))


def _lets(held: AccessList, access: AccessList) -> bool:
    return PUBLIC in held or (PUBLIC not in access and set(access) <= set(held))
