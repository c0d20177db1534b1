"""Pictures that a page shows from beside it: only those that a run would ingest itself, and for nobody but their
readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio.to_thread

from corpus.access import PUBLIC
from corpus.documents import Document, ShownPicture
from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.ingestion.access_lists import AccessList, AccessRules
from corpus.ingestion.change_detection import Fingerprint, fingerprint
from corpus.ingestion.existing_documents import ExistingDocuments
from corpus.ingestion.paths import is_under
from corpus.ingestion.walk import Scope, Walk
from corpus.readers.protocol import PictureFiles


@dataclass
class BesidePictures:
    """`roots` are the folders that the run is about; of a file that was named itself, its folder."""

    roots: Sequence[Path]
    scope: Scope
    existing: ExistingDocuments
    rules: AccessRules
    _states: dict[str, Fingerprint] = field(default_factory=dict)

    async def refused(self, access: AccessList, pictures: PictureFiles) -> frozenset[str]:
        """The paths of those that a document with this list may not show."""
        return await anyio.to_thread.run_sync(
            lambda: frozenset(path for path, digest in pictures if not self._may_show(access, path, digest))
        )

    def shown(self, pictures: PictureFiles) -> tuple[ShownPicture, ...]:
        """What to keep with the document, to know when one of them changes."""
        states = [(path, digest, self._states.get(path)) for path, digest in pictures]
        return tuple(
            ShownPicture(path, digest, state.size, state.mtime_ns)
            for path, digest, state in states
            if state is not None
        )

    async def stand(self, document: Document) -> bool:
        """Tell whether the document may show what it shows, all of it is as it was, and nothing that was withheld
        may be shown now."""
        access, shown = document.access_control_list, document.shown
        if shown and await self.refused(access, tuple((path, digest) for path, digest, *_ in shown)):
            return False
        if not document.withheld:
            return True
        return not await anyio.to_thread.run_sync(
            lambda: any(self._may_show(access, path) for path in document.withheld)
        )

    def may_still_show(self, document: Document) -> bool:
        """Tell whether its readers may see what it shows, without a look at the files."""
        access = document.access_control_list
        return all(self._may_read(access, picture.path, picture.content_hash) for picture in document.shown)

    def _may_read(self, access: AccessList, path: str, digest: str) -> bool:
        document = self.existing.at.get(path)
        of_place = (PUBLIC,) if document is None else document.access_control_list
        is_within = PUBLIC in of_place or (PUBLIC not in access and set(access) <= set(of_place))
        return is_within and self.rules.allows(access, digest)

    def _may_show(self, access: AccessList, path: str, digest: str | None = None) -> bool:
        """With this content; without a digest, with whatever lies there."""
        try:
            walk = self._walked(Path(path))
            if walk is None:
                return False
            self._states[path] = state = fingerprint(Path(path), walk.within)
        except (UnreadableDocument, InvalidRequest):
            return False
        return digest in (None, state.content_hash) and self._may_read(access, path, state.content_hash)

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


def documents_that_show(changed: Sequence[Path], documents: Iterable[Document]) -> list[Path]:
    """The paths of documents that show a picture at one of these places, or were kept from showing it."""
    return [
        Path(document.source_path)
        for document in documents
        if any(is_under(Path(path), place) for path in _beside(document) for place in changed)
    ]


def _beside(document: Document) -> tuple[str, ...]:
    return (*(picture.path for picture in document.shown), *document.withheld)
