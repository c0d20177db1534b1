"""Know the documents that an index held when a run began: by path, by content, and which files are missing."""

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
from corpus.documents import Document
from corpus.ingestion.paths import Roots, is_hidden, is_there, is_under, leads_out
from corpus.ingestion.walk import left_out


class ExistingDocuments:
    """Looks at the place of every document when it is made; make it on a thread. `at` is by path."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.at = {document.source_path: document for document in documents if document.source_path}
        self._ids = {document.doc_id for document in documents}
        self._gone: dict[str, list[Document]] = defaultdict(list)
        for document in filter(is_gone, documents):
            self._gone[document.content_hash].append(document)
        self._gone_sizes = {document.source_size for held in self._gone.values() for document in held}

    def take_moved(self, path: Path, content_hash: str) -> Document | None:
        """The document whose file lies at the path now: its own place is empty, and the content is equal. Among
        several, one that not everybody may read, then one of the same name, from the most similar folder. It is
        given once."""
        held = self._gone.get(content_hash)
        if not held:
            return None
        best = max(held, key=lambda document: (_is_restricted(document), _alike(document.source_path, path)))
        held.remove(best)
        self.at.pop(best.source_path, None)
        return best

    def may_have_moved(self, size: int) -> bool:
        """Tell whether a document of this size lost its file."""
        return size in self._gone_sizes

    def id_for(self, path: Path) -> str:
        """A new document id, unique in the index."""
        doc_id = new_id(path, self._ids)
        self._ids.add(doc_id)
        return doc_id

    def restricted(self) -> Iterator[Document]:
        """Documents that not everybody may read."""
        return filter(_is_restricted, list(self.at.values()))


def _is_restricted(document: Document) -> bool:
    return PUBLIC not in document.access_control_list


def _alike(source_path: str, path: Path) -> int:
    """Count the names that are equal at the ends of two paths."""
    own, other = Path(source_path).parts, path.parts
    pairs = zip(reversed(own), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(own), len(other)))


def new_id(path: Path, taken: Collection[str]) -> str:
    """A readable id for a path: its name in plain letters and eight hexadecimal digits of its place."""
    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:48].strip("-") or "document"
    for attempt in range(len(taken) + 1):
        seed = os.fsencode(path) + b"\0" * attempt
        doc_id = f"{slug}-{hashlib.sha256(seed).hexdigest()[:8]}"
        if doc_id not in taken:
            return doc_id
    raise AssertionError("one of n + 1 ids is not among n")


def is_gone(document: Document) -> bool:
    """Whether the file is certainly no longer at its place; a link that leads nowhere is still there."""
    return bool(document.source_path) and not is_there(Path(document.source_path), follow_symlinks=False)


Why = Literal["vanished", "left out", "leads out", "empty"]


class Missing(NamedTuple):
    """`empty` is said where the folder that a file lay in, or the next above that is there, holds nothing at all, or
    where the whole root is gone: as with a drive that is not connected. `folder` is that folder."""

    document: Document
    why: Why
    folder: Path

    def told(self, *, pruned: bool) -> str:
        """What is to be known of one that is kept."""
        match self.why:
            case "vanished":
                return ""
            case "left out":
                return "left out by .ibidignore, and still in the index"
            case "leads out":
                return "a link there leads out of the folders now, and it is still in the index"
            case "empty":
                kept = "; kept, --prune-empty removes it" if pruned else ""
                return f"{self.folder} is empty or gone, as a drive that is not connected{kept}"


def missing(
    known: dict[str, Document],
    present: Collection[Path],
    roots: Sequence[Path],
    changed: Sequence[Path] | None = None,
    within: Roots = None,
) -> Iterator[Missing]:
    """Those under the roots, in the order of their places; with `changed` only those at these places. Looks at the
    disk; call it on a thread."""
    where = roots if changed is None else changed
    for place, document in sorted(known.items()):
        path = Path(place)
        root = next((one for one in roots if is_under(path, one)), None)
        if root is None or path in present or not any(is_under(path, one) for one in where):
            continue
        if is_gone(document):
            folder = _next_above(path)
            yield Missing(document, "empty" if _is_disconnected(folder, root, path) else "vanished", folder)
        elif left_out(path, roots):
            yield Missing(document, "left out", path.parent)
        elif leads_out(path, within):
            yield Missing(document, "leads out", path.parent)


def _next_above(path: Path) -> Path:
    return next((folder for folder in path.parents if folder.is_dir()), path.parent)


def _is_disconnected(folder: Path, root: Path, path: Path) -> bool:
    if root != path and not is_under(folder, root):
        return True
    try:
        return all(map(is_hidden, os.listdir(folder)))
    except OSError:
        return True
