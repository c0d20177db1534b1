"""Resolve client input to filter values and document names in the index. If several documents match, an error asks
which one is meant."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import AmbiguousDocument, InvalidRequest
from corpus.filters import MAX_VALUES, VALUE_FIELDS, Filters
from corpus.index.protocol import Index
from corpus.lookup.not_found import no_name
from corpus.text.normalization import clean, fold_case

MAX_NAME_CHARACTERS = 80
"""Maximum length in characters of a title or file name within a line."""

Fact = Callable[[Document], str]


def options(documents: Sequence[Document]) -> tuple[tuple[str, str], ...]:
    """Return the id of each document and a line that describes it. The line contains the title, file name, date, the
    department if it differs between the documents, and as few further fields as are needed to make all lines distinct,
    with the id as a last resort."""
    lines = [
        [
            _short(document.title),
            _short(document.filename),
            (document.document_date or document.upload_date)[:10],
        ]
        for document in documents
    ]
    for fact in _FACTS:
        same = _has_duplicates(lines)
        if fact is not _department and not same:
            continue
        if len({fact(document) for document in documents}) > 1:
            for line, document in zip(lines, documents, strict=True):
                line.append(_short(fact(document)))
    return tuple((document.doc_id, _line(parts)) for document, parts in zip(documents, lines, strict=True))


def _department(document: Document) -> str:
    return document.department or ""


def _pages(document: Document) -> str:
    return f"{document.page_count} pages" if document.page_count else ""


_FACTS: tuple[Fact, ...] = (
    _department,
    lambda document: document.document_type,
    lambda document: document.author or "",
    _pages,
    lambda document: f"indexed {document.upload_date[:16]}",
    lambda document: f"id {document.doc_id}",
)


def _has_duplicates(lines: Sequence[Sequence[str]]) -> bool:
    return max(Counter(map(tuple, lines)).values(), default=0) > 1


def _line(parts: Sequence[str]) -> str:
    title, *rest = parts
    facts = ", ".join(part for part in rest if part)
    return f"{title or 'Untitled'} ({facts})" if facts else title


def _short(text: str) -> str:
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= MAX_NAME_CHARACTERS else flat[: MAX_NAME_CHARACTERS - 1] + "…"


async def resolve_filters(filters: Filters, index: Index, caller: Caller) -> Filters:
    """Return the filters with their values in the index's spelling.

    Raises InvalidRequest if no readable document has a value. The error lists similar values from readable documents.
    """
    for key in VALUE_FIELDS:
        if values_asked := getattr(filters, key):
            find = _authors if key == "author" else partial(_as_stored, key)
            values = await find(values_asked, index, caller)
            filters = replace(filters, **{key: values})  # type: ignore[arg-type]
    return filters


async def resolve_document(index: Index, caller: Caller, *, doc_id: str | None, name: str | None) -> Document:
    """Return the document that an id or a name identifies. Raises DocumentNotFound, AmbiguousDocument, or
    InvalidRequest if neither or both are given."""
    if bool(doc_id) == bool(name):
        raise InvalidRequest("Give either doc_id or name. rag_list_documents shows both.")
    if doc_id:
        return await index.document(doc_id, caller)
    matches = await index.by_name(name or "", caller)
    if not matches:
        raise no_name(name or "")
    if len(matches) > 1:
        raise AmbiguousDocument(
            f"{(name or '')[:80]!r} fits {len(matches)} documents. "
            "Ask which one is meant, or call again with its doc_id.",
            options=options(matches),
        )
    return matches[0]


async def _as_stored(key: str, names: Sequence[str], index: Index, caller: Caller) -> tuple[str, ...]:
    """Return the values in the index's spelling. All values of the field are read only if one of the wanted values does
    not match exactly."""
    stored = await index.matches(key, names, caller)
    if all(value in stored for value in names):
        return tuple(stored[value] for value in names)
    by_folded = {fold_case(value): value for value in await index.values(key, caller)}
    return tuple(stored.get(value) or _known_value(key, value, by_folded) for value in names)


async def _authors(names: Sequence[str], index: Index, caller: Caller) -> tuple[str, ...]:
    """Return the authors whose names contain each word of a wanted name ("Kim" matches "Jane Kim"). If there are none,
    return the authors whose names contain words that start with these words. Case, accents and order are ignored."""
    words_by_author = {value: _words(value) for value in await index.values("author", caller)}
    exact = await index.matches("author", names, caller)  # `values` of a large index may be incomplete
    authors = dict[str, None]()
    for name in names:
        words = _words(name)
        fitting = [value for value, author_words in words_by_author.items() if words and words <= author_words] or [
            value
            for value, author_words in words_by_author.items()
            if words and all(any(word_of_name.startswith(word) for word_of_name in author_words) for word in words)
        ]
        if name in exact:
            fitting.append(exact[name])
        if not fitting:
            fitting = [_known_value("author", name, {fold_case(value): value for value in words_by_author})]
        if len(fitting) > MAX_VALUES:
            raise InvalidRequest(f"{len(fitting)} authors have {name[:80]!r} in their names. Give more of the name.")
        authors |= dict.fromkeys(fitting)
    return tuple(authors)


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFD", fold_case(name))
    return frozenset(
        re.findall(r"\w+", "".join(character for character in plain if not unicodedata.combining(character)))
    )


def _known_value(key: str, name: str, by_folded: dict[str, str]) -> str:
    same = fold_case(name.strip())
    stored = by_folded.get(same)
    if stored is not None:
        return stored
    close = difflib.get_close_matches(same, by_folded, n=3, cutoff=0.5)
    close += [candidate for candidate in by_folded if same in candidate and candidate not in close][: 3 - len(close)]
    hint = f" Near: {', '.join(repr(by_folded[candidate]) for candidate in close)}." if close else _all_of(by_folded)
    raise InvalidRequest(f"No document that you may read has {key} {name[:80]!r}.{hint}")


def _all_of(by_folded: dict[str, str]) -> str:
    if not by_folded:
        return " None of them has a value for it; leave the filter out."
    examples = sorted(by_folded.values())[:10]
    return f" Values are: {', '.join(repr(value) for value in examples)}{', ...' if len(by_folded) > 10 else ''}."
