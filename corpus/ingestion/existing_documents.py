"""The documents that an index had when a run began: by path, by content, and those whose files are missing."""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from corpus.access import PUBLIC
from corpus.documents.document import Document
from corpus.ingestion.paths import Roots, is_hidden, is_there, is_under, leads_out
from corpus.ingestion.walk import is_excluded


class ExistingDocuments:
    """`at` maps paths to documents. The constructor looks at every document's file; run it on a thread."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.at = {document.source_path: document for document in documents if document.source_path}
        self._ids = {document.doc_id for document in documents}
        self._lost: dict[str, list[Document]] = defaultdict(list)
        for document in filter(is_gone, documents):
            self._lost[document.content_hash].append(document)
        self._gone_sizes = {document.source_size for documents_ in self._lost.values() for document in documents_}

    def take_moved(self, path: Path, content_hash: str) -> Document | None:
        """Return the document that moved to this path: its own file is gone and its content is equal. It is returned
        once.

        Among several, a restricted one wins, then the path with the most equal names at its end.
        """
        documents_ = self._lost.get(content_hash)
        if not documents_:
            return None
        best = max(
            documents_,
            key=lambda document: (_is_restricted(document), _common_names(document.source_path, path)),
        )
        documents_.remove(best)
        self.at.pop(best.source_path, None)
        return best

    def may_have_moved(self, size: int) -> bool:
        """Return whether a document of this size (bytes) lost its file."""
        return size in self._gone_sizes

    def id_for(self, path: Path) -> str:
        """Return a new document id, unique in the index."""
        doc_id = new_id(path, self._ids)
        self._ids.add(doc_id)
        return doc_id

    def restricted(self) -> Iterator[Document]:
        """Yield documents that not everybody may read."""
        return filter(_is_restricted, list(self.at.values()))


def _is_restricted(document: Document) -> bool:
    return PUBLIC not in document.access_control_list


def _common_names(source_path: str, path: Path) -> int:
    """Count the equal names at the ends of two paths."""
    own, other = Path(source_path).parts, path.parts
    pairs = zip(reversed(own), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(own), len(other)))


def new_id(path: Path, used_ids: Collection[str]) -> str:
    """Return a readable id: the name in ASCII and eight hexadecimal digits of the path's hash."""
    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:48].strip("-") or "document"
    for attempt in range(len(used_ids) + 1):
        seed = os.fsencode(path) + b"\0" * attempt
        doc_id = f"{slug}-{hashlib.sha256(seed).hexdigest()[:8]}"
        if doc_id not in used_ids:
            return doc_id
    raise AssertionError("one of n + 1 ids is not among n")


def is_gone(document: Document) -> bool:
    """Return whether the file is certainly gone. A dangling link still counts as there."""
    return bool(document.source_path) and not is_there(Path(document.source_path), follow_symlinks=False)


Why = Literal["vanished", "left out", "leads out", "empty"]


class Missing(NamedTuple):
    """A document without its file. `empty` means that the folder, or its nearest existing parent, holds nothing, or
    that the whole root is gone, as with a drive that is not connected. `folder` is that folder."""

    document: Document
    why: Why
    folder: Path

    def detail(self, *, pruned: bool) -> str:
        """Return what to report of a document that is kept; `pruned` tells whether --prune was given."""
        match self.why:
            case "vanished":
                return ""
            case "left out":
                return "left out by .ibidignore, and still in the index"
            case "leads out":
                return "a link there leads out of the folders now, and it is still in the index"
            case "empty":
                hint = "; kept, --prune-empty removes it" if pruned else ""
                return f"{self.folder} is empty or gone, as a drive that is not connected{hint}"


def missing(
    documents: dict[str, Document],
    present: Collection[Path],
    roots: Sequence[Path],
    changed: Sequence[Path] | None = None,
    within: Roots = None,
) -> Iterator[Missing]:
    """Yield documents under the roots whose files are missing, sorted by path; with `changed` only those at these
    places. Blocks."""
    where = roots if changed is None else changed
    for place, document in sorted(documents.items()):
        path = Path(place)
        root = next((top for top in roots if is_under(path, top)), None)
        if root is None or path in present or not any(is_under(path, top) for top in where):
            continue
        if is_gone(document):
            folder = _next_above(path)
            yield Missing(document, "empty" if _is_disconnected(folder, root, path) else "vanished", folder)
        elif is_excluded(path, roots):
            yield Missing(document, "left out", path.parent)
        elif leads_out(path, within):
            yield Missing(document, "leads out", path.parent)


def _next_above(path: Path) -> Path:
    """Return the nearest parent folder that exists."""
    return next((folder for folder in path.parents if folder.is_dir()), path.parent)


def _is_disconnected(folder: Path, root: Path, path: Path) -> bool:
    """Return whether the folder looks like a drive that is not connected."""
    if root != path and not is_under(folder, root):
        return True
    try:
        return all(map(is_hidden, os.listdir(folder)))
    except OSError:
        return True
