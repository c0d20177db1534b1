"""What a document's row tells of its upload: from which local index, whether wholly, and of what state."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace

from corpus.documents.document import Document
from corpus.index.azure.upload.new_rows import document_row

NONE = "-"
_MARK = re.compile(r"ibid-push-1 (\S+) (\S+) (\S+) (\S+) (\S+)")


@dataclass(frozen=True, slots=True)
class Pushed:
    """`origin` is the local index. `content` and `facts` are digests, `-` of an upload that was not finished;
    `embedder` and `pictures` are `-` where vectors or pictures were left out; `pictures` names the container of the
    figures and says `pages` where pages are there too, joined by `+`."""

    origin: str
    content: str = NONE
    facts: str = NONE
    embedder: str = NONE
    pictures: str = NONE

    def __str__(self) -> str:
        return f"ibid-push-1 {self.origin} {self.content} {self.facts} {self.embedder} {self.pictures}"

    @property
    def unfinished(self) -> Pushed:
        return Pushed(self.origin)

    def same_blocks(self, wanted: Pushed) -> bool:
        """Whether the blocks there are those wanted; vectors and pictures that are there already do no harm."""
        return (
            self.content == wanted.content
            and wanted.embedder in (NONE, self.embedder)
            and set(wanted.pictures.split("+")) <= {NONE, *self.pictures.split("+")}
        )

    def is_state(self, wanted: Pushed) -> bool:
        """Whether nothing is left to do."""
        return self.same_blocks(wanted) and self.facts == wanted.facts

    def keeping(self, before: Pushed) -> Pushed:
        """This state, with the vectors and pictures that are there already."""
        return replace(self, embedder=before.embedder, pictures=before.pictures)


def pushed_in(text: object) -> Pushed | None:
    found = _MARK.fullmatch(text) if isinstance(text, str) else None
    return Pushed(*found.groups()) if found else None


def pushed_state(
    document: Document, origin: str, content_index: str, *, embedder: str | None, pictures: str | None
) -> Pushed:
    """The mark of a complete upload of this document into this index of blocks."""
    read = [document.reader_version, document.pending, document.unread, document.shown, document.withheld]
    content = _digest([document.doc_id, document.content_hash, *read, content_index])
    facts = _digest(document_row(document))
    return Pushed(origin, content, facts, embedder or NONE, pictures or NONE)


def _digest(of: object) -> str:
    return hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()[:24]
