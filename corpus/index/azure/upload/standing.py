"""What is on the service already and whose it is: the marks of its documents, and the record of what went there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from corpus.index.azure.upload.origin import UNKNOWN
from corpus.index.azure.upload.pushed import Pushed
from corpus.index.azure.upload.sent import Sent


@dataclass(frozen=True, slots=True)
class Standing:
    """`marks` are of every document there, None where a document has none; `sent` is what this local index, whose name
    is `origin`, put there. `unseen` counts documents beyond what the service shows."""

    marks: Mapping[str, Pushed | None]
    sent: Sent
    origin: str
    unseen: int = 0

    def of(self, doc_id: str) -> Pushed | None:
        """The mark there; unfinished where the service still shows an older one than it was given."""
        mark = self.marks.get(doc_id)
        outdated = self.sent.outdated(doc_id, mark) and not self.is_foreign(doc_id)
        return mark.unfinished if mark and outdated else mark

    def is_foreign(self, doc_id: str) -> bool:
        """Whether a document of this id is there that this local index did not put there, as far as can be known."""
        if doc_id not in self.marks:
            return False
        mark = self.marks[doc_id]
        if mark is None:
            return not self.sent.holds(doc_id)
        return mark.origin != self.origin or mark.origin == UNKNOWN

    @property
    def unfinished(self) -> Standing:
        """The same, as if no upload had been finished."""
        return replace(self, marks={doc_id: mark and mark.unfinished for doc_id, mark in self.marks.items()})

    def ours(self) -> dict[str, Pushed]:
        """The marks of documents that this local index put there."""
        return {doc_id: mark for doc_id, mark in self.marks.items() if mark and not self.is_foreign(doc_id)}

    def may_hold(self, doc_id: str) -> bool:
        """Whether rows of the document may be there that are this local index's to change."""
        return (doc_id in self.marks or self.sent.holds(doc_id)) and not self.is_foreign(doc_id)

    def gone(self, known: Iterable[str]) -> list[str]:
        """Documents that this local index put there, wholly or in part, and that are not among those known."""
        ours = {one for one in self.marks if not self.is_foreign(one)}
        return sorted((ours | (self.sent.doc_ids() - self.marks.keys())) - set(known))
