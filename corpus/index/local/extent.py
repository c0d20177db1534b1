"""Which documents a caller may read, in one number, from the index of access lists alone."""

from __future__ import annotations

import hashlib
import json

from corpus.access import may_read
from corpus.index.local.reading import Reader


def extent(reader: Reader) -> str:
    """Changes when a document comes, goes, or becomes readable or unreadable. Row ids are never given twice."""
    rows = reader.connection.execute(
        "SELECT access_control_list, count(*), sum(id), max(id) FROM documents GROUP BY access_control_list"
    )
    readable = [
        numbers
        for held, *numbers in rows
        if may_read(json.loads(held), reader.caller, prefixed=reader.prefixed)
    ]
    count, total = sum(one[0] for one in readable), sum(one[1] for one in readable)
    last = max((one[2] for one in readable), default=0)
    return hashlib.sha256(f"{count} {total} {last}".encode()).hexdigest()
