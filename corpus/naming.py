"""From what a client wrote to what the index holds: filter values and document names."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from corpus.access import Caller
from corpus.documents import Document
from corpus.errors import AmbiguousDocument, InvalidRequest
from corpus.filters import MOST_VALUES, NAMED, Filters
from corpus.index.protocol import Index
from corpus.missing import no_name
from corpus.options import options
from corpus.text import folded


async def resolved(filters: Filters, index: Index, caller: Caller) -> Filters:
    """Filters whose values exist among what the caller may read, written as the index writes them.

    Raises InvalidRequest for a value that does not, naming near matches among what the caller may read.
    """
    for key in NAMED:
        if wanted := getattr(filters, key):
            find = _authors if key == "author" else partial(_written, key)
            values = await find(wanted, index, caller)
            filters = replace(filters, **{key: values})  # type: ignore[arg-type]
    return filters


async def document_meant(index: Index, caller: Caller, *, doc_id: str | None, name: str | None) -> Document:
    """The one document meant. Raises DocumentNotFound, AmbiguousDocument, or InvalidRequest for neither or both."""
    if bool(doc_id) == bool(name):
        raise InvalidRequest("Give either doc_id or name. rag_list_documents shows both.")
    if doc_id:
        return await index.document(doc_id, caller)
    meant = await index.named(name or "", caller)
    if not meant:
        raise no_name(name or "")
    if len(meant) > 1:
        raise AmbiguousDocument(
            f"{(name or '')[:80]!r} fits {len(meant)} documents. "
            "Ask which one is meant, or call again with its doc_id.",
            options=options(meant),
        )
    return meant[0]


async def _written(key: str, wanted: Sequence[str], index: Index, caller: Caller) -> tuple[str, ...]:
    """The wanted values as the index writes them. All values are read only where one is not among them as it stands."""
    found = await index.matches(key, wanted, caller)
    if all(one in found for one in wanted):
        return tuple(found[one] for one in wanted)
    known = {folded(value): value for value in await index.values(key, caller)}
    return tuple(found.get(one) or _known(key, one, known) for one in wanted)


async def _authors(wanted: Sequence[str], index: Index, caller: Caller) -> tuple[str, ...]:
    """All that have each word of a wanted name ("Kim" fits "Jane Kim"); only where none has, those with words that
    begin so. Case, accents and order do not count."""
    known = {value: _words(value) for value in await index.values("author", caller)}
    exact = await index.matches(
        "author", wanted, caller
    )  # an engine may not tell all values of a large index
    found = dict[str, None]()
    for name in wanted:
        words = _words(name)
        fitting = [value for value, own in known.items() if words and words <= own] or [
            value
            for value, own in known.items()
            if words and all(any(one.startswith(word) for one in own) for word in words)
        ]
        if name in exact:
            fitting.append(exact[name])
        if not fitting:
            fitting = [_known("author", name, {folded(value): value for value in known})]
        if len(fitting) > MOST_VALUES:
            raise InvalidRequest(
                f"{len(fitting)} authors have {name[:80]!r} in their names. Give more of the name."
            )
        found |= dict.fromkeys(fitting)
    return tuple(found)


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFD", folded(name))
    return frozenset(re.findall(r"\w+", "".join(one for one in plain if not unicodedata.combining(one))))


def _known(key: str, wanted: str, known: dict[str, str]) -> str:
    same = folded(wanted.strip())
    found = known.get(same)
    if found is not None:
        return found
    near = difflib.get_close_matches(same, known, n=3, cutoff=0.5)
    near += [one for one in known if same in one and one not in near][: 3 - len(near)]
    hint = f" Near: {', '.join(repr(known[one]) for one in near)}." if near else _all_of(known)
    raise InvalidRequest(f"No document that you may read has {key} {wanted[:80]!r}.{hint}")


def _all_of(known: dict[str, str]) -> str:
    if not known:
        return " None of them has a value for it; leave the filter out."
    shown = sorted(known.values())[:10]
    return f" Values are: {', '.join(repr(one) for one in shown)}{', ...' if len(known) > 10 else ''}."
