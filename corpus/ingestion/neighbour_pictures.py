"""Pictures beside a page: shown only if this run would ingest them itself, and only to their own readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

from corpus.access import PUBLIC
from corpus.documents.document import Document, LinkedPicture
from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.access_lists import AccessList, AccessRules
from corpus.ingestion.change_detection import Fingerprint, fingerprint
from corpus.ingestion.existing_documents import ExistingDocuments
from corpus.ingestion.paths import is_under
from corpus.ingestion.walk import Scope, Walk
from corpus.readers.protocol import PictureFiles


@dataclass
class NeighbourPictures:
    """`roots` are the folders of the run; for a file that was given as a path, its folder."""

    roots: Sequence[Path]
    scope: Scope
    existing: ExistingDocuments
    rules: AccessRules
    _states: dict[str, Fingerprint] = field(default_factory=dict)

    async def refused(self, access: AccessList, pictures: PictureFiles) -> frozenset[str]:
        """Return the paths of pictures that a document with this list may not show."""
        return await anyio.to_thread.run_sync(
            lambda: frozenset(path for path, digest in pictures if not self._may_show(access, path, digest))
        )

    def stored_pictures(self, pictures: PictureFiles) -> tuple[LinkedPicture, ...]:
        """Return the pictures with size and time, to store with the document and detect changes."""
        states = [(path, digest, self._states.get(path)) for path, digest in pictures]
        return tuple(
            LinkedPicture(path, digest, state.size, state.mtime_ns)
            for path, digest, state in states
            if state is not None
        )

    async def are_unchanged(self, document: Document) -> bool:
        """Return whether the document's pictures are unchanged and still allowed, and no withheld one has become
        allowed."""
        access, pictures = document.access_control_list, document.shown
        if pictures and await self.refused(access, tuple((path, digest) for path, digest, *_ in pictures)):
            return False
        if not document.withheld:
            return True
        return not await anyio.to_thread.run_sync(
            lambda: any(self._may_show(access, path) for path in document.withheld)
        )

    def may_still_show(self, document: Document) -> bool:
        """Return whether the document's readers may see its pictures, without looking at the files."""
        access = document.access_control_list
        return all(self._may_read(access, picture.path, picture.content_hash) for picture in document.shown)

    def _may_read(self, access: AccessList, path: str, digest: str) -> bool:
        document = self.existing.at.get(path)
        of_place = (PUBLIC,) if document is None else document.access_control_list
        is_within = PUBLIC in of_place or (PUBLIC not in access and set(access) <= set(of_place))
        return is_within and self.rules.allows(access, digest)

    def _may_show(self, access: AccessList, path: str, digest: str | None = None) -> bool:
        """Return whether a picture with this content may be shown; without a digest, with its current content."""
        try:
            walk = self._walk_to(Path(path))
            if walk is None:
                return False
            self._states[path] = state = fingerprint(Path(path), walk.within)
        except (UnreadableDocument, InvalidRequest):
            return False
        return digest in (None, state.content_hash) and self._may_read(access, path, state.content_hash)

    def _walk_to(self, path: Path) -> Walk | None:
        """Return a walk that reaches the file, whatever its kind, or None."""
        roots = [root if root.is_dir() else root.parent for root in self.roots]
        for root in roots:
            if root not in path.parents:
                continue
            walk = Walk(roots, frozenset({path.suffix.lower()}), self.scope.follow_links, apart=self.scope.apart)
            walk.part_of(root, path)
            if path in walk.files:
                return walk
        return None


def documents_that_show(changed: Sequence[Path], documents: Iterable[Document]) -> list[Path]:
    """Return the paths of documents that show a picture at one of these places, or withhold it."""
    return [
        Path(document.source_path)
        for document in documents
        if any(is_under(Path(path), place) for path in _beside(document) for place in changed)
    ]


def _beside(document: Document) -> tuple[str, ...]:
    return (*(picture.path for picture in document.shown), *document.withheld)
