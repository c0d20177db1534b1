"""Helpers that read a call result as a client program does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from server.calls.failures import ERROR_KEY

PLACE = re.compile(r"(?:-p\d+)?-[a-z]?\d+[a-z]?$")
"""Position of a block: the end of its id, after the document id."""


def documents_in(answer: Mapping[str, Any]) -> set[str]:
    """Return the document ids that a search found or an answer cites."""
    rows = [row for key in ("results", "sources", "raw_chunks") for row in answer.get(key, ())]
    return {row.get("doc_id") or PLACE.sub("", row["block_id"]) for row in rows}


def failure_in(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return `success`, `error`, `type` and `hints` of a failed result. The type comes from `_meta`, the others from
    the text lines."""
    assert result["isError"]
    assert "structuredContent" not in result
    (content,) = result["content"]
    error, *hints, kind = content["text"].splitlines()
    assert hints, "the next thing to do"
    assert result["_meta"][ERROR_KEY] == {"type": kind.removeprefix("Type: ")}
    return {"success": False, "error": error, "type": kind.removeprefix("Type: "), "hints": hints}
