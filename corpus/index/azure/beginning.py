"""Ids of documents by what somebody has typed. The service knows no beginnings of a key, so they are compared here."""

from __future__ import annotations

from functools import partial

from corpus.index.azure.fields import ACCESS, DOCUMENT_KEY, NAMES_OF_DOCUMENTS
from corpus.index.azure.paging import every_row
from corpus.index.azure.rows import document_of
from corpus.index.azure.view import View
from corpus.index.protocol import Begun
from corpus.text.normalization import clean, fold_case

MOST_LOOKED_THROUGH = 1_000
"""One answer of the service: somebody waits for it at each letter. Beyond it, further ones may fit."""
_FIELDS = (DOCUMENT_KEY, *NAMES_OF_DOCUMENTS, ACCESS)


async def begun(view: View, typed: str, most: int) -> Begun:
    ask = partial(view.documents, (), fields=_FIELDS)
    found = await every_row(ask, DOCUMENT_KEY, MOST_LOOKED_THROUGH, view.shapes.documents)
    key = fold_case(clean(typed).strip())
    names = {
        one.doc_id: fold_case(f"{one.doc_id}\n{one.title}\n{one.filename}")
        for one in map(document_of, found.rows)
    }
    fits = [doc_id for doc_id, name in names.items() if all(word in name for word in key.split())]
    fits.sort(key=lambda doc_id: (not fold_case(doc_id).startswith(key), doc_id))
    return Begun(tuple(fits[:most]), max(len(fits), most + 1) if found.cut else len(fits))
