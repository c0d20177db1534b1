"""Decide what to do with a file, given its document in the index and its current state.

This module also finds documents in the index by path and content.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal, NamedTuple

from corpus.access import PUBLIC
from corpus.documents.document import Document, LinkedPicture
from corpus.errors import UnreadableDocument
from corpus.ingestion.paths import Roots, is_hidden, is_there, is_under, leads_out, open_within
from corpus.ingestion.walk import MAX_BYTES, is_excluded
from corpus.readers.pinned_file import FileState, check_size, digest_of, file_state, reason_of


class ExistingDocuments:
    """The documents of an index. `at` maps paths to documents. The constructor checks whether each document's file
    exists, so call it in a thread."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.at = {document.source_path: document for document in documents if document.source_path}
        self._ids = {document.doc_id for document in documents}
        self._lost: dict[str, list[Document]] = defaultdict(list)
        for document in filter(is_gone, documents):
            self._lost[document.content_hash].append(document)
        self._gone_sizes = {document.source_size for documents_ in self._lost.values() for document in documents_}

    def take_moved(self, path: Path, content_hash: str) -> Document | None:
        """Return the document that moved to this path: its file is gone, and the file here has the same content. Each
        document is returned only once.

        If several documents qualify, prefer a restricted one, then the one whose path has the most trailing names in
        common with this path.
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
        """Return whether any document whose file is gone has this size in bytes."""
        return size in self._gone_sizes

    def id_for(self, path: Path) -> str:
        """Return a new document id, unique in the index."""
        doc_id = new_id(path, self._ids)
        self._ids.add(doc_id)
        return doc_id

    def restricted(self) -> Iterator[Document]:
        """Yield the documents with restricted access."""
        return filter(_is_restricted, list(self.at.values()))


def _is_restricted(document: Document) -> bool:
    return PUBLIC not in document.access_control_list


def _common_names(source_path: str, path: Path) -> int:
    """Return how many trailing names the two paths have in common."""
    own, other = Path(source_path).parts, path.parts
    pairs = zip(reversed(own), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(own), len(other)))


def new_id(path: Path, used_ids: Collection[str]) -> str:
    """Return a readable id: the file name in ASCII, followed by eight hexadecimal digits of the path's hash."""
    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:48].strip("-") or "document"
    for attempt in range(len(used_ids) + 1):
        seed = os.fsencode(path) + b"\0" * attempt
        doc_id = f"{slug}-{hashlib.sha256(seed).hexdigest()[:8]}"
        if doc_id not in used_ids:
            return doc_id
    raise AssertionError("one of n + 1 ids is not among n")


def is_gone(document: Document) -> bool:
    """Return whether the file is certainly gone. A dangling link counts as existing."""
    return bool(document.source_path) and not is_there(Path(document.source_path), follow_symlinks=False)


Why = Literal["vanished", "left out", "leads out", "empty"]


class Missing(NamedTuple):
    """A document whose file is missing. `folder` is the nearest parent folder that exists. `why` is "empty" if the
    entire root is gone, as with a disconnected drive, or if `folder` contains only hidden files."""

    document: Document
    why: Why
    folder: Path

    def detail(self, *, pruned: bool) -> str:
        """Return the text that reports a document that remains in the index. `pruned` is true if --prune was given."""
        match self.why:
            case "vanished":
                return ""
            case "left out":
                return "left out by .ibidignore, and still in the index"
            case "leads out":
                return "a link there now leads out of the folders; the document is still in the index"
            case "empty":
                hint = "; kept, --prune-empty removes it" if pruned else ""
                return f"{self.folder} is empty or gone, like a drive that is not connected{hint}"


def missing(
    documents: dict[str, Document],
    present: Collection[Path],
    roots: Sequence[Path],
    changed: Sequence[Path] | None = None,
    within: Roots = None,
) -> Iterator[Missing]:
    """Yield the documents under the roots whose files are missing, sorted by path. With `changed`, yield only documents
    at or below those paths. Blocks."""
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


COARSE_SECONDS = 2.0
"""Coarsest resolution of file times in seconds, which is that of FAT. If a file is indexed within this time after a
change, a further change may leave its mtime the same."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """State of a file. `content_hash` is the SHA-256 in hexadecimal, or empty if comparing size (bytes) and mtime is
    enough."""

    content_hash: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The file is unchanged since it was indexed."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The content is unchanged since it was indexed, but the mtime is new."""


@dataclass(frozen=True, slots=True)
class Move:
    """The file of this document is now at this path."""

    document: Document


@dataclass(frozen=True, slots=True)
class Read:
    """The content is new, or reading it now would give a different result."""


@dataclass(frozen=True, slots=True)
class Refuse:
    """The file is not ingested, for the given reason."""

    reason: str


Decision = Skip | Touch | Move | Read | Refuse


def decide(
    now: Fingerprint,
    before: Document | None,
    *,
    moved: Document | None = None,
    is_current: bool = True,
    refusal: str | None = None,
) -> Decision:
    """Decide what to do with a file.

    `before` is the document at this path; `moved` is a document with equal content whose file is gone. `is_current` is
    true if reading the file again would give the result that is already in the index. `refusal` is the reason why the
    content may not be ingested here.
    """
    if before is None and moved:
        return Move(moved)
    if before and is_current and now.content_hash == before.content_hash:
        same = (now.size, now.mtime_ns) == (before.source_size, before.source_mtime_ns)
        return Skip() if same else Touch()
    return Refuse(refusal) if refusal else Read()


def fingerprint(
    path: Path, roots: Roots = None, *, max_bytes: int = MAX_BYTES, go_on: Callable[[], object] = lambda: None
) -> Fingerprint:
    """Hash a file that is within the roots and no larger than `max_bytes`. Blocks.

    `go_on` is called between steps and may raise. Raises UnreadableDocument.
    """
    try:
        with open_within(path, roots) as file:
            check_size(os.fstat(file.fileno()), max_bytes)
            digest = digest_of(file, go_on)
            state = os.fstat(file.fileno())
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {reason_of(error)}") from error
    return Fingerprint(digest, state.st_size, state.st_mtime_ns)


def state_within(path: Path, roots: Roots, *, max_bytes: int = MAX_BYTES) -> FileState:
    """Return a file's state without reading its content, after the same checks as in `fingerprint`. Blocks. Raises
    UnreadableDocument."""
    with open_within(path, roots) as file:
        status = os.fstat(file.fileno())
        check_size(status, max_bytes)
        return file_state(status)


def looks_unchanged(path: Path, document: Document) -> bool:
    """Return whether the file has the same size and mtime as when it was indexed. Blocks."""
    try:
        state = path.stat()
        indexed = datetime.fromisoformat(document.upload_date).timestamp()
    except (OSError, ValueError):
        return False
    same = (state.st_size, state.st_mtime_ns) == (document.source_size, document.source_mtime_ns)
    return same and state.st_mtime + COARSE_SECONDS < indexed


def pictures_look_unchanged(pictures: Sequence[LinkedPicture]) -> bool:
    """Return whether the pictures that a document shows have the same sizes and mtimes as when they were indexed.
    Blocks."""
    try:
        states = [Path(picture.path).stat() for picture in pictures]
    except (OSError, ValueError):
        return False
    return [(state.st_size, state.st_mtime_ns) for state in states] == [
        (picture.size, picture.mtime_ns) for picture in pictures
    ]


def is_current(document: Document, reader_version: str, *, reads_pictures: bool) -> bool:
    """Return whether reading a document again would give the same result, apart from pictures that await OCR. The
    document's warnings about such pictures depend on whether OCR is on."""
    waiting = document.unread if reads_pictures else document.pending
    return document.reader_version == reader_version and not waiting
