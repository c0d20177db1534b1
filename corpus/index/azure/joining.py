"""The documents of hits: from the blocks' own rows where these name them, else from one look into the other index."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from corpus.documents import Document, nameless
from corpus.index.azure.reading import documents
from corpus.index.azure.rows import Row, document_of, names_its_document
from corpus.index.azure.view import View

KEPT_SECONDS = 60.0
"""How long a file name or a title may be out of date on a hit. Rights are not: the block is filtered each time."""
MOST_KEPT = 10_000


class DocumentsOfHits:
    """Remembers what a caller was shown, for callers of the same rights alone."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[float, Document]] = OrderedDict()

    async def of(self, view: View, rows: Sequence[Row]) -> dict[str, Document]:
        """A document for each row by id; one that may not be read is nothing but its id."""
        found = {row["doc_id"]: document_of(row) for row in rows if names_its_document(row)}
        found |= self._remembered(view, [row["doc_id"] for row in rows if row["doc_id"] not in found])
        missing = [row["doc_id"] for row in rows if row["doc_id"] not in found]
        if missing:
            looked_up = await documents(view, missing)
            self._remember(view, looked_up)
            found |= looked_up
        return found | {doc_id: nameless(doc_id) for doc_id in missing if doc_id not in found}

    def _remembered(self, view: View, doc_ids: Sequence[str]) -> dict[str, Document]:
        now = time.monotonic()
        known = {doc_id: self._kept.get((_rights(view), doc_id)) for doc_id in doc_ids}
        return {doc_id: one[1] for doc_id, one in known.items() if one and one[0] > now}

    def _remember(self, view: View, looked_up: dict[str, Document]) -> None:
        until = time.monotonic() + KEPT_SECONDS
        for doc_id, document in looked_up.items():
            self._kept[_rights(view), doc_id] = (until, document)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def _rights(view: View) -> Hashable:
    return "everything" if view.caller.unfiltered else view.caller.principals(prefixed=view.prefixed)
