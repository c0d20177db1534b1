"""What a query without identity gets, looked at row by row."""

from __future__ import annotations

from corpus.access import ANONYMOUS, KINDS, PUBLIC
from corpus.diagnostics import Finding
from corpus.errors import AzureSearchError
from corpus.index.azure.connection import MOST_ROWS, Connection
from corpus.index.azure.failures import status_of
from corpus.index.azure.fields import ACCESS
from corpus.index.azure.odata import build_security_filter

MOST = 5 * MOST_ROWS
"""Rows of each index that are looked at."""


async def without_identity(connection: Connection, index: str) -> Finding:
    """Whether every row that is found without any identity may be read by everybody. Raises AzureSearchError."""
    where = build_security_filter(ANONYMOUS, prefixed=True)
    every = await connection.search(index, top=0, filter=None, include_total_count=True)
    seen = 0
    public = await connection.search(index, top=0, filter=where, include_total_count=True)
    for skip in range(0, MOST, MOST_ROWS):
        try:
            answer = await connection.search(index, top=MOST_ROWS, skip=skip, filter=where, select=[ACCESS])
        except AzureSearchError as error:
            if status_of(error) != 400:
                raise
            return Finding(
                "note", "access", f"{_counted(index, public.total, every.total)}; the index does not show its access "
                "lists, so whether each row holds * could not be looked at",
            )  # fmt: skip
        if any(PUBLIC not in (row.get(ACCESS) or ()) for row in answer.rows):
            return Finding(
                "failed", "access", f"without identity, {index} gives rows whose access list does not hold *.",
                "Do not serve this index: something between here and the service changes filters or answers.",
            )  # fmt: skip
        seen += len(answer.rows)
        if len(answer.rows) < MOST_ROWS:
            break
    looked = "" if seen == public.total else f", of which {seen} were looked at"
    return Finding("ok", "access", f"{_counted(index, public.total, every.total)}{looked}")


async def looks_prefixed(connection: Connection, index: str) -> bool | None:
    """Whether the names in access lists tell their kind; None where none is seen, or some do and some do not."""
    try:
        answer = await connection.search(index, top=MOST_ROWS, filter=None, select=[ACCESS])
    except AzureSearchError as error:
        if status_of(error) != 400:
            raise
        return None
    names = {name for row in answer.rows for name in row.get(ACCESS) or () if name != PUBLIC}
    told = {name.partition(":")[0] in KINDS and ":" in name for name in names}
    return told.pop() if len(told) == 1 else None


def _counted(index: str, public: int | None, every: int | None) -> str:
    return f"without identity, {index} gives {public} of its {every} rows, those for everybody"
