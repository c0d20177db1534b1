"""The wishes of a run with their access lists checked, and what they make of documents that are known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpus.documents import Document
from corpus.index.protocol import WritableIndex
from corpus.ingestion.allowing import access_list
from corpus.ingestion.known import Known
from corpus.ingestion.lists import AccessList
from corpus.ingestion.places import is_under
from corpus.ingestion.wishes import Wishes


@dataclass(frozen=True, slots=True)
class InForce:
    """`allow` and `allow_new` are those of the wishes as an index stores them."""

    wishes: Wishes
    allow: AccessList | None
    allow_new: AccessList | None

    @property
    def keeps_access(self) -> bool:
        """Whether a document that is known keeps the list that the index has for it."""
        return self.allow is None

    def on(self, document: Document) -> Document:
        """The document as it was wished for."""
        return replace(
            document,
            access_control_list=document.access_control_list if self.allow is None else self.allow,
            department=self.wishes.department or document.department,
            document_type=self.wishes.document_type or document.document_type,
        )

    async def apply(self, index: WritableIndex, known: Known, roots: Sequence[Path]) -> int:
        """To what is known under the roots, before a file is looked at: a narrower list must hold even for one that can
        no longer be read. How many documents have another list now."""
        changed = 0
        for place, document in known.at.items():
            wished = self.on(document)
            if wished != document and any(is_under(Path(place), root) for root in roots):
                await index.update(wished, keep_access=self.keeps_access)
                known.at[place] = wished
                changed += wished.access_control_list != document.access_control_list
        return changed


def in_force(wishes: Wishes, *, prefixed: bool) -> InForce:
    """Raises InvalidRequest for a principal that could match nobody."""
    allow, new = wishes.allow, wishes.allow_new
    return InForce(
        wishes,
        None if allow is None else access_list(allow, prefixed=prefixed),
        None if new is None else access_list(new, prefixed=prefixed, named="RAG_DOCUMENTS_ALLOW"),
    )
