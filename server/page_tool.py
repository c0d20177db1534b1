"""What names rag_show_page, for a server over an index that holds no pictures of pages: there it is not named."""

from __future__ import annotations

import json
from typing import Any

NAME = "rag_show_page"

_WITHOUT = {
    "- `rag_show_page`: look at a figure or a page (tables, drawings, scans) before you say what it shows.\n": "",
    " `rag_show_page`(doc_id, page_number, block_id);": "",
    " or what you saw with `rag_show_page`": "",
    "rag_synthesize, rag_verify_answer or rag_show_page": "rag_synthesize or rag_verify_answer",
    " look at a figure with rag_show_page before you say what it shows,": "",
    " A model uses rag_show_page.": "",
}
"""What each of our texts says of it, and what it says instead."""


def without_page_tool(text: str) -> str:
    """Our text without the tool; the text of another that stands in its place is left alone."""
    for said, instead in _WITHOUT.items():
        text = text.replace(said, instead)
    return text


def schema_without_page_tool(schema: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(without_page_tool(json.dumps(schema, ensure_ascii=False)))
    return changed
