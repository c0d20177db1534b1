"""Find documents by name, and values of fields, in any common spelling.

The service ignores case but no other differences in spelling. Ibid treats more spellings as equal
(`corpus.text.normalization.fold_case`), so queries contain each common variant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from corpus.documents.document import Document
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import VALUE_FIELDS
from corpus.index.azure.lookup import documents
from corpus.index.azure.rows import OF_LISTED_DOCUMENTS, document_of
from corpus.index.azure.schema.fields import ACCESS, DOCUMENT_KEY, NAMES_OF_DOCUMENTS
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import MAX_ROWS
from corpus.index.azure.view import View, every_row
from corpus.lookup.not_found import no_name, no_values_of
from corpus.odata import one_of
from corpus.processes.gather import gather
from corpus.text.normalization import clean, compatible, fold_case

MAX_NAME_CHARACTERS = 1_000
"""Maximum length of the name to search for, in characters. No document's name is longer, and the service refuses much
longer queries."""
MAX_WORD_CHARACTERS = 100
MAX_NAME_WORDS = 16
"""Maximum number of words in a name or in the query of a list. The service scans its terms for each word."""

_PIECE = re.compile(r"[^\W_]+")
_TOGETHER = {
    "ss": "(ss|ß)", "ffi": "(ffi|ﬃ|ﬀi|fﬁ)", "ffl": "(ffl|ﬄ|ﬀl|fﬂ)", "ff": "(ff|ﬀ)", "fi": "(fi|ﬁ)", "fl": "(fl|ﬂ)",
}  # fmt: skip
_UNIT = re.compile("|".join(_TOGETHER) + "|.", re.DOTALL)
_WIDE = {ord(letter): chr(ord(letter) + 0xFEE0) for letter in "abcdefghijklmnopqrstuvwxyz0123456789"}


def each_word(text: str) -> str | None:
    """Return a Lucene query for rows that contain every word, on its own or within a longer term, or None if there are
    no words.

    Of the text, the query contains only alphanumeric characters in lower case, so no part of it is an operator.
    """
    small = unicodedata.normalize("NFC", clean(text[:MAX_NAME_CHARACTERS]).lower())
    pieces = list(dict.fromkeys(one[:MAX_WORD_CHARACTERS] for one in _PIECE.findall(small)))[:MAX_NAME_WORDS]
    return " ".join(map(_word, pieces)) or None


def whole_name(name: str) -> str:
    """Return a Lucene query for rows that contain the name as a phrase."""
    phrases = (re.sub(r'["\\]', " ", one) for one in spellings(name))
    return " OR ".join(f'"{one}"' for one in phrases)


def spellings(name: str) -> list[str]:
    """Return the name and its variants: composed, decomposed and compatibility-normalized Unicode, and case-folded."""
    forms = [unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name), compatible(name)]
    return list(dict.fromkeys((name, *forms, fold_case(name), fold_case(name).replace("ss", "ß"))))


def _word(written: str) -> str:
    same = _folded(written)
    terms = dict.fromkeys((written, same))
    return f"+({' OR '.join(terms)} OR /.*({'|'.join(_patterns(written, same))}).*/)"


def _folded(written: str) -> str:
    """Return the case-folded word, or the word as written if folding splits it."""
    same = fold_case(written)
    return same if _PIECE.fullmatch(same) else written


def _patterns(written: str, same: str) -> list[str]:
    """Return regular expressions that match the word as a term in the index."""
    usual = _UNIT.sub(lambda unit: _TOGETHER.get(unit[0]) or _apart(unit[0]), same)
    wide = same.translate(_WIDE)
    return [usual, *(one for one in dict.fromkeys((written, wide)) if not re.fullmatch(usual, one))]


def _apart(letter: str) -> str:
    """Return a pattern for a character, either composed or followed by its combining marks."""
    marked = unicodedata.normalize("NFD", letter)
    return letter if marked == letter else f"({letter}|{marked})"


MAX_NAMED = 20
MAX_WITH_EACH_WORD = 200
"""Maximum number of documents, among those with every word of a name, that are compared with the name. If there are
more, the name is searched for as a phrase."""
MAX_VALUES = 10_000
"""Maximum number of documents whose values are read for suggestions."""

Look = Callable[[View, str], Awaitable[list[Document]]]


async def documents_by_name(view: View, name: str) -> tuple[Document, ...]:
    """Return up to MAX_NAMED documents whose file name or title equals the name or, if there are none, contains every
    word of it. Raises DocumentNotFound if nothing is found and the form of the access lists is a guess."""
    name = clean(name).strip()
    key = fold_case(name)
    if not key or len(key) > MAX_NAME_CHARACTERS:
        return ()
    same, holding = [await _tried(view, look, name) for look in (_equal, _holding)]
    candidates = [*same, *holding]
    equal = _called(key, candidates)
    if not equal and len(holding) >= MAX_WITH_EACH_WORD:
        equal = _called(key, await _tried(view, _whole, name))
    words = key.split()
    containing = [one for one in candidates if all(word in fold_case(f"{one.title}\n{one.filename}") for word in words)]
    distinct = {one.doc_id: one for one in equal or containing}
    if not distinct and view.rights_warnings:
        raise no_name(name, view.rights_warnings)
    return tuple(
        sorted(distinct.values(), key=lambda document: (fold_case(document.title), document.doc_id))[:MAX_NAMED]
    )


async def matches(view: View, field: str, wanted: Sequence[str]) -> Mapping[str, str]:
    """Return the wanted values that occur in readable documents, each mapped to the index's spelling of it. Raises
    InvalidRequest."""
    _check(view, field)

    async def written(value: str) -> str | None:
        answer = await view.documents([one_of(field, [value])], top=1, fields=(field, "access_control_list"))
        value_in_index = answer.rows[0].get(field) if answer.rows else None
        return value_in_index if isinstance(value_in_index, str) else None

    distinct = list(dict.fromkeys(wanted))
    values_in_index = await gather([partial(written, value) for value in distinct])
    return {value: one for value, one in zip(distinct, values_in_index, strict=True) if one is not None}


async def values(view: View, field: str) -> tuple[str, ...]:
    """Return the distinct values in readable documents, sorted. Raises InvalidRequest if there are more than MAX_VALUES
    documents."""
    _check(view, field)
    fields = dict.fromkeys(("doc_id", field, "access_control_list"))
    documents = await every_row(partial(view.documents, (), fields=fields), "doc_id", MAX_VALUES, view.shapes.documents)
    if documents.cut:
        raise InvalidRequest(
            f"This index holds {documents.total} documents that you may read, too many to look through for every "
            f"{field}. Write {field} exactly as the index does, in the same case; rag_list_documents shows how."
        )
    seen = (row.get(field) for row in documents.rows)
    return tuple(sorted({value for value in seen if isinstance(value, str) and value}))


async def _tried(view: View, look: Look, name: str) -> list[Document]:
    """Return the results of a lookup, or an empty list if the service refuses it and the schema cannot be read."""
    try:
        return await look(view, name)
    except AzureSearchError as error:
        if view.shapes.documents.known or status_of(error) != 400:
            raise
        return []


async def _equal(view: View, name: str) -> list[Document]:
    fields = [one for one in NAMES_OF_DOCUMENTS if view.shapes.documents.can(one, "filterable")]
    if not fields:
        return []
    same = " or ".join(one_of(field, spellings(name)) for field in fields)
    answer = await view.documents([same], top=MAX_NAMED, fields=OF_LISTED_DOCUMENTS)
    return [document_of(row) for row in answer.rows]


async def _holding(view: View, name: str) -> list[Document]:
    fields = view.shapes.documents.searched(NAMES_OF_DOCUMENTS)
    words = each_word(name)
    if fields == [] or not words:
        return []
    answer = await view.documents(
        (), top=MAX_WITH_EACH_WORD, text=words, query_type="full", search_mode="all",
        search_fields=fields, fields=OF_LISTED_DOCUMENTS,
    )  # fmt: skip
    return [document_of(row) for row in answer.rows]


async def _whole(view: View, name: str) -> list[Document]:
    """Return the documents with exactly this name among the best phrase matches, where short names rank first."""
    fields = view.shapes.documents.searched(NAMES_OF_DOCUMENTS)
    if fields == []:
        return []
    answer = await view.documents(
        (), top=MAX_ROWS, text=whole_name(name), query_type="full", search_mode="all",
        search_fields=fields, fields=(DOCUMENT_KEY, *NAMES_OF_DOCUMENTS, ACCESS),
    )  # fmt: skip
    called = _called(fold_case(name), [document_of(row) for row in answer.rows])
    return list((await documents(view, [one.doc_id for one in called[:MAX_NAMED]])).values())


def _called(key: str, candidates: Sequence[Document]) -> list[Document]:
    return [one for one in candidates if key in (fold_case(one.filename), fold_case(one.title))]


def _check(view: View, field: str) -> None:
    if field not in VALUE_FIELDS:
        raise no_values_of(field)
    if not view.shapes.documents.can(field, "filterable"):
        raise InvalidRequest(
            f"This index cannot be filtered by {field}: the field is missing or not filterable. Leave that filter out."
        )
