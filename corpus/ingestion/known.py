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
        for document in documents:
            if is_gone(document):
                self._gone[document.content_hash].append(document)

    def moved_to(self, path: Path, content_hash: str) -> Document | None:
        """The document whose file this is now: its own place is empty, and the bytes are equal. Among several, one that
        not everybody may read, then one of the same name, from the most similar folder. It is given once."""
        held = self._gone.get(content_hash)
        if not held:
            return None
        best = max(held, key=lambda one: (_is_restricted(one), _alike(Path(one.source_path), path)))
        held.remove(best)
        self.at.pop(best.source_path, None)
        return best

    def may_have_moved(self, content_hash: str) -> bool:
        """Whether a document of these bytes lost its file."""
        return bool(self._gone.get(content_hash))

    def id_for(self, path: Path) -> str:
        doc_id = new_id(path, self._ids)
        self._ids.add(doc_id)
        return doc_id


def _is_restricted(document: Document) -> bool:
    return PUBLIC not in document.access_control_list


def _alike(one: Path, other: Path) -> int:
    """How many names at the ends of two paths are equal."""
    pairs = zip(reversed(one.parts), reversed(other.parts), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one.parts), len(other.parts)))
