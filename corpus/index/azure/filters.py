"""Which filters an index can take, as far as its definition says or the service's refusal lets guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial

from corpus.documents.block import KEY
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import VALUE_FIELDS, Filters
from corpus.index.azure.failures import DOCTOR, status_of
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.index_schema import Shape, Value
from corpus.index.azure.odata import MAX_ALONE, comparison, one_of, one_of_numbers, too_many_alone
from corpus.index.azure.paging import Rows, every_row
from corpus.index.azure.view import View

_VALUES: dict[str, Value] = {"upload_date": "date", "document_date": "date", "page_number": "number"}


def value_of(field: str) -> Value:
    """What a filter compares the field with."""
    return _VALUES.get(field, "text")


def check(shape: Shape, field: str, filters: str) -> None:
    """Raises InvalidRequest that names the filters of the request and the field at fault."""
    if not shape.can(field, "filterable"):
        raise InvalidRequest(
            f"This index cannot be filtered by {filters}: its field {field} is missing or not filterable. "
            "Leave that filter out."
        )
    if not shape.compares(field, value_of(field)):
        raise InvalidRequest(
            f"This index cannot be filtered by {filters}: its field {field} is {shape.fields[field].kind}, which holds "
            f"no {value_of(field)}. Leave that filter out."
        )


@contextmanager
def possible(view: View, filters: Filters) -> Iterator[None]:
    """Raises InvalidRequest for a refusal of the service inside that is most likely one of the filters: where no
    definition may be read, trying is the only way to know."""
    try:
        yield
    except AzureSearchError as error:
        asked = [one.name for one in fields(filters) if getattr(filters, one.name)]
        known = view.shapes.content.known and view.shapes.documents.known
        if known or not asked or status_of(error) != 400:
            raise
        raise InvalidRequest(
            f"The service refused this request; most likely the index cannot be filtered by {', '.join(asked)}: "
            "a field is missing there, not filterable, or of another type. Leave that filter out.",
            hints=(DOCTOR,),
        ) from error


MAX_DOCUMENTS = 5_000
"""Documents that a search can be narrowed to; their ids go into one `search.in`."""

MAX_FILTER_BLOCKS = 10_000
"""Blocks that are looked through to tell which documents hold one of a kind."""


_FILTERS = {
    "upload_date": "uploaded_after and uploaded_before",
    "document_date": "dated_after and dated_before",
}


async def on_blocks(view: View, filters: Filters) -> tuple[list[str], tuple[str, ...]]:
    """Conditions on rows of the content index, and what the reader of the answer should know.

    Raises InvalidRequest for a filter on a field that neither index can filter by.
    """
    content = view.shapes.content
    parts = list(_on_place(filters, content))
    if filters.doc_id:
        parts.append(_any_of("doc_id", filters.doc_id))
    named = _named(filters)
    if not named:
        return parts, ()
    if content.known and all(content.compares(name, value_of(name)) for name in named):
        return [*parts, *_on_facts(filters, content)], ()
    found = await matching_documents(view, filters)
    cut = f"The filters fit {found.total} documents; only {len(found.rows)} of them were searched. Narrow the filters."
    return [*parts, one_of("doc_id", [row["doc_id"] for row in found.rows])], (cut,) if found.cut else ()


def on_documents(view: View, filters: Filters) -> list[str]:
    """Conditions on rows of the documents index, without those on blocks."""
    parts = [_any_of("doc_id", filters.doc_id)] if filters.doc_id else []
    return [*parts, *_on_facts(filters, view.shapes.documents)]


async def on_documents_with_blocks(view: View, filters: Filters) -> list[str]:
    """The same, and conditions on blocks, which a document meets that holds such a block.

    Raises InvalidRequest where too many blocks fit to tell their documents.
    """
    parts = on_documents(view, filters)
    place = list(_on_place(filters, view.shapes.content))
    if not place:
        return parts
    if filters.doc_id:
        place.append(_any_of("doc_id", filters.doc_id))
    found = await every_row(partial(view.blocks, place), BLOCK_KEY, MAX_FILTER_BLOCKS, view.shapes.content)
    if not found.cut:
        return [*parts, one_of("doc_id", {row["doc_id"] for row in found.rows})]
    raise InvalidRequest(
        "Too many blocks fit block_type and page_number to list their documents. Leave these filters out."
    )


async def matching_documents(view: View, filters: Filters) -> Rows:
    """Readable documents by their ids, at most `MOST_DOCUMENTS`."""
    ask = partial(view.documents, on_documents(view, filters), fields=(DOCUMENT_KEY, ACCESS))
    return await every_row(ask, DOCUMENT_KEY, MAX_DOCUMENTS, view.shapes.documents)


def on_ids(field: str, ids: Iterable[str]) -> str:
    """A condition on a key; what does not look like one fits nothing."""
    return one_of(field, [one for one in ids if KEY.fullmatch(one)])


def _any_of(field: str, values: Sequence[str]) -> str:
    """Raises InvalidRequest where a part of the values would not be asked for."""
    if too_many_alone(values):
        raise InvalidRequest(
            f"Filter {field!r} has more than {MAX_ALONE} values that the service can only compare one by one, such as "
            "those with space around them. Ask for fewer at a time."
        )
    return one_of(field, values)


def _named(filters: Filters) -> list[str]:
    names = [name for name in VALUE_FIELDS if name != "doc_id" and getattr(filters, name)]
    return [*names, *(field for field, *days in _days(filters) if any(days))]


def _days(filters: Filters) -> tuple[tuple[str, str | None, str | None], ...]:
    return (
        ("upload_date", filters.uploaded_after, filters.uploaded_before),
        ("document_date", filters.dated_after, filters.dated_before),
    )


def _on_place(filters: Filters, content: Shape) -> Iterable[str]:
    for name in ("block_type", "page_number"):
        if getattr(filters, name):
            check(content, name, name)
    if filters.block_type:
        yield one_of("block_type", filters.block_type)
    if filters.page_number:
        yield one_of_numbers("page_number", filters.page_number)


def _on_facts(filters: Filters, shape: Shape) -> Iterable[str]:
    for name in _named(filters):
        check(shape, name, _FILTERS.get(name, name))
        if name not in _FILTERS:
            yield _any_of(name, getattr(filters, name))
    for field, first, last in _days(filters):
        if first:
            yield comparison(field, "ge", _start_of(first))
        if last:
            try:
                yield comparison(field, "lt", _start_of(last) + timedelta(days=1))
            except OverflowError:  # the last day that there is
                yield comparison(field, "ne", None)


def _start_of(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
