"""Which filters an index can take, as far as its definition says or the service's refusal lets guess."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

from corpus.errors import AzureSearchError, InvalidRequest
from corpus.filters import Filters
from corpus.index.azure.failures import DOCTOR, status_of
from corpus.index.azure.shape import Shape, Value
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
