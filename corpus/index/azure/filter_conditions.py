"""Convert filters to OData conditions, after checking that the index can filter by the fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import partial

from corpus.documents.block import KEY
from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import VALUE_FIELDS, Filters
from corpus.index.azure.schema.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.schema.index_schema import Shape, Value
from corpus.index.azure.service.azure_errors import DOCTOR, status_of
from corpus.index.azure.view import Rows, View, every_row
from corpus.odata import MAX_ALONE, comparison, one_of, one_of_numbers, too_many_alone

_VALUES: dict[str, Value] = {"upload_date": "date", "document_date": "date", "page_number": "number"}


def value_of(field: str) -> Value:
    """Return the type of the values with which a filter compares the field."""
    return _VALUES.get(field, "text")


def check(shape: Shape, field: str, filters: str) -> None:
    """Raise InvalidRequest if the index cannot filter by the field. `filters` names the affected filters of the
    request."""
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
def explain_refusal(view: View, filters: Filters) -> Iterator[None]:
    """Convert a refusal by the service to InvalidRequest if a filter is the likely cause.

    If the definition cannot be read, only a request shows whether the index can filter by a field.
    """
    try:
        yield
    except AzureSearchError as error:
        filter_names = [one.name for one in fields(filters) if getattr(filters, one.name)]
        known = view.shapes.content.known and view.shapes.documents.known
        if known or not filter_names or status_of(error) != 400:
            raise
        raise InvalidRequest(
            f"The service refused this request; most likely the index cannot be filtered by {', '.join(filter_names)}"
            ": a field is missing there, not filterable, or of another type. Leave that filter out.",
            hints=(DOCTOR,),
        ) from error


MAX_DOCUMENTS = 5_000
"""Maximum number of documents to which a filter can narrow a search. Their ids are listed in one `search.in`."""

MAX_FILTER_BLOCKS = 10_000
"""Maximum number of blocks to read when looking for the documents with a matching block."""


_FILTERS = {
    "upload_date": "uploaded_after and uploaded_before",
    "document_date": "dated_after and dated_before",
}


async def block_conditions(view: View, filters: Filters) -> tuple[list[str], tuple[str, ...]]:
    """Return the conditions on rows of the content index, and warnings.

    Raises InvalidRequest if neither index can filter by the field of a filter.
    """
    content = view.shapes.content
    parts = list(_on_place(filters, content))
    if filters.doc_id:
        parts.append(_any_of("doc_id", filters.doc_id))
    names = _fields_with_filters(filters)
    if not names:
        return parts, ()
    if content.known and all(content.compares(name, value_of(name)) for name in names):
        return [*parts, *_on_facts(filters, content)], ()
    fitting = await matching_documents(view, filters)
    cut = f"The filters fit {fitting.total} documents; only {len(fitting.rows)} of them were searched. "
    cut += "Narrow the filters."
    return [*parts, one_of("doc_id", [row["doc_id"] for row in fitting.rows])], (cut,) if fitting.cut else ()


def document_conditions(view: View, filters: Filters) -> list[str]:
    """Return the conditions on rows of the documents index, except those on blocks. Raises InvalidRequest."""
    parts = [_any_of("doc_id", filters.doc_id)] if filters.doc_id else []
    return [*parts, *_on_facts(filters, view.shapes.documents)]


async def list_conditions(view: View, filters: Filters) -> list[str]:
    """Return the conditions on rows of the documents index, including those on blocks. A document meets a block
    condition if one of its blocks does.

    Raises InvalidRequest if so many blocks match that their documents cannot be listed.
    """
    parts = document_conditions(view, filters)
    place = list(_on_place(filters, view.shapes.content))
    if not place:
        return parts
    if filters.doc_id:
        place.append(_any_of("doc_id", filters.doc_id))
    blocks = await every_row(partial(view.blocks, place), BLOCK_KEY, MAX_FILTER_BLOCKS, view.shapes.content)
    if not blocks.cut:
        return [*parts, one_of("doc_id", {row["doc_id"] for row in blocks.rows})]
    raise InvalidRequest(
        "Too many blocks fit block_type and page_number to list their documents. Leave these filters out."
    )


async def matching_documents(view: View, filters: Filters) -> Rows:
    """Return the ids of up to MAX_DOCUMENTS readable documents that match the filters."""
    ask = partial(view.documents, document_conditions(view, filters), fields=(DOCUMENT_KEY, ACCESS))
    return await every_row(ask, DOCUMENT_KEY, MAX_DOCUMENTS, view.shapes.documents)


def id_condition(field: str, ids: Iterable[str]) -> str:
    """Return a condition that is true if the key is one of `ids`. Malformed ids match nothing."""
    return one_of(field, [one for one in ids if KEY.fullmatch(one)])


def _any_of(field: str, values: Sequence[str]) -> str:
    """Return a condition that matches any of the values. Raises InvalidRequest if it cannot contain all of them."""
    if too_many_alone(values):
        raise InvalidRequest(
            f"Filter {field!r} has more than {MAX_ALONE} values that the service can only compare one by one, such as "
            "those that begin or end with a space. Ask for fewer at a time."
        )
    return one_of(field, values)


def _fields_with_filters(filters: Filters) -> list[str]:
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
    for name in _fields_with_filters(filters):
        check(shape, name, _FILTERS.get(name, name))
        if name not in _FILTERS:
            yield _any_of(name, getattr(filters, name))
    for field, first, last in _days(filters):
        if first:
            yield comparison(field, "ge", _start_of(first))
        if last:
            try:
                yield comparison(field, "lt", _start_of(last) + timedelta(days=1))
            except OverflowError:  # the last representable day
                yield comparison(field, "ne", None)


def _start_of(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)
