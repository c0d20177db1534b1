"""The upload mark in a document's row: which local index uploaded the document, in which state, and whether the upload
is complete."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from corpus.documents.document import Document
from corpus.index.azure.upload.new_rows import document_row
from corpus.index.azure.upload.upload_journal import UNKNOWN, UploadJournal

NONE = "-"
_MARK = re.compile(r"ibid-push-1 (\S+) (\S+) (\S+) (\S+) (\S+)")


@dataclass(frozen=True, slots=True)
class UploadMark:
    """The upload mark of a document. `origin` identifies the local index. `content` and `facts` are digests, or `-` for
    an unfinished upload. `embedder` and `pictures` are `-` if vectors or pictures were omitted. `pictures` consists of
    the digest of the container if there are figures, and the word `pages` if there are pages, joined by `+`."""

    origin: str
    content: str = NONE
    facts: str = NONE
    embedder: str = NONE
    pictures: str = NONE

    def __str__(self) -> str:
        return f"ibid-push-1 {self.origin} {self.content} {self.facts} {self.embedder} {self.pictures}"

    @property
    def unfinished(self) -> UploadMark:
        """The mark of an unfinished upload."""
        return UploadMark(self.origin)

    def same_blocks(self, wanted: UploadMark) -> bool:
        """Return whether the uploaded blocks are the wanted ones. Additional vectors and pictures do not matter."""
        return (
            self.content == wanted.content
            and wanted.embedder in (NONE, self.embedder)
            and set(wanted.pictures.split("+")) <= {NONE, *self.pictures.split("+")}
        )

    def is_state(self, wanted: UploadMark) -> bool:
        """Return whether nothing needs to be uploaded."""
        return self.same_blocks(wanted) and self.facts == wanted.facts

    def keeping(self, before: UploadMark) -> UploadMark:
        """Return this mark with the `embedder` and `pictures` of an earlier mark."""
        return replace(self, embedder=before.embedder, pictures=before.pictures)


def parse_mark(text: object) -> UploadMark | None:
    """Return the mark in the field `pushed` of a row, or None if there is none."""
    match = _MARK.fullmatch(text) if isinstance(text, str) else None
    return UploadMark(*match.groups()) if match else None


def mark_of(
    document: Document, origin: str, content_index: str, *, embedder: str | None, pictures: str | None
) -> UploadMark:
    """Return the mark of a complete upload of a document into a content index."""
    read = [document.reader_version, document.pending, document.unread, document.shown, document.withheld]
    content = _digest([document.doc_id, document.content_hash, *read, content_index])
    facts = _digest(document_row(document))
    return UploadMark(origin, content, facts, embedder or NONE, pictures or NONE)


def _digest(of: object) -> str:
    return hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class RemoteState:
    """The state of the service. `marks` maps document ids to upload marks, or to None if the document has no mark.
    `sent` is the journal of the local index named `origin`. `unseen` counts documents that cannot be listed."""

    marks: Mapping[str, UploadMark | None]
    sent: UploadJournal
    origin: str
    unseen: int = 0

    def of(self, doc_id: str) -> UploadMark | None:
        """Return the mark of a document. If the service still shows an outdated mark, return it as unfinished."""
        mark = self.marks.get(doc_id)
        outdated = self.sent.outdated(doc_id, mark) and not self.is_foreign(doc_id)
        return mark.unfinished if mark and outdated else mark

    def is_foreign(self, doc_id: str) -> bool:
        """Return whether the service has a document with this id that was not, as far as is known, uploaded from this
        index."""
        if doc_id not in self.marks:
            return False
        mark = self.marks[doc_id]
        if mark is None:
            return not self.sent.holds(doc_id)
        return mark.origin != self.origin or mark.origin == UNKNOWN

    @property
    def unfinished(self) -> RemoteState:
        """Return this state with every upload marked as unfinished."""
        return replace(self, marks={doc_id: mark and mark.unfinished for doc_id, mark in self.marks.items()})

    def ours(self) -> dict[str, UploadMark]:
        """Return the marks of the documents that were uploaded from this local index."""
        return {doc_id: mark for doc_id, mark in self.marks.items() if mark and not self.is_foreign(doc_id)}

    def may_hold(self, doc_id: str) -> bool:
        """Return whether the service may contain rows of the document that this local index is allowed to change."""
        return (doc_id in self.marks or self.sent.holds(doc_id)) and not self.is_foreign(doc_id)

    def gone(self, known: Iterable[str]) -> list[str]:
        """Return the ids of documents that were uploaded from this local index, completely or partly, and are not in
        `known`."""
        ours = {one for one in self.marks if not self.is_foreign(one)}
        return sorted((ours | (self.sent.doc_ids() - self.marks.keys())) - set(known))
