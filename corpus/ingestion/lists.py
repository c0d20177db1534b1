"""Who may read which bytes: a list that is narrower than everybody goes with the content, wherever it turns up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from corpus.access import PUBLIC
from corpus.documents import Document

AccessList = tuple[str, ...]


class Lists:
    """The access lists of documents that not everybody may read, by the hash of their content.

    Those that the index held when a run began come first; what a restricted file holds now is learnt as the run looks.
    """

    def __init__(self, documents: Iterable[Document] = ()) -> None:
        self._held: dict[str, set[AccessList]] = defaultdict(set)
        self._learnt: dict[str, set[AccessList]] = defaultdict(set)
        for document in documents:
            _add(self._held, document.content_hash, document.access_control_list)

    def learn(self, content_hash: str, access: AccessList) -> bool:
        """The file of a document with this list holds these bytes now. Whether that was news."""
        return _add(self._learnt, content_hash, access)

    def for_bytes(self, content_hash: str, wished: AccessList) -> AccessList:
        """The list wished for, or the narrowest that these bytes have where that would let in somebody else."""
        narrowest = self.narrowest(content_hash)
        if narrowest is None or (PUBLIC not in wished and set(wished) <= set(narrowest)):
            return wished
        return narrowest

    def narrowest(self, content_hash: str) -> AccessList | None:
        """None where everybody may read these bytes, as far as is known."""
        lists = self._held.get(content_hash) or self._learnt.get(content_hash)
        return min(lists, key=lambda one: (len(one), one)) if lists else None


def _add(lists: dict[str, set[AccessList]], content_hash: str, access: AccessList) -> bool:
    if PUBLIC in access or access in lists.get(content_hash, ()):
        return False
    lists[content_hash].add(access)
    return True
