"""What the index held when a run began: by place, by content, and whose file is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from corpus.access import PUBLIC
from corpus.documents import Document
from corpus.ingestion.identity import is_gone, new_id


class Known:
    """Looks at the place of every document when it is made; make it on a thread."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.at = {document.source_path: document for document in documents if document.source_path}
        self._ids = {document.doc_id for document in documents}
        self._gone: dict[str, list[Document]] = defaultdict(list)
        self._lists: dict[str, tuple[str, ...]] = {}
        for document in documents:
            if is_gone(document):
                self._gone[document.content_hash].append(document)
            if PUBLIC not in document.access_control_list:
                self._lists[document.content_hash] = document.access_control_list

    def moved_to(self, path: Path, content_hash: str) -> Document | None:
        """The document whose file this is now: its own place is empty, and the bytes are equal. Among several, one of
        the same name, from the most similar folder. It is given once."""
        held = self._gone.get(content_hash)
        if not held:
            return None
        best = max(held, key=lambda one: _alike(Path(one.source_path), path))
        held.remove(best)
        self.at.pop(best.source_path, None)
        return best

    def narrow_list(self, content_hash: str) -> tuple[str, ...] | None:
        """The access list of a document of equal bytes that not everybody may read."""
        return self._lists.get(content_hash)

    def id_for(self, path: Path) -> str:
        doc_id = new_id(path, self._ids)
        self._ids.add(doc_id)
        return doc_id


def _alike(one: Path, other: Path) -> int:
    """How many names at the ends of two paths are equal."""
    pairs = zip(reversed(one.parts), reversed(other.parts), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one.parts), len(other.parts)))
