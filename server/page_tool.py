"""Remove mentions of rag_show_page, for a server whose index has no page images."""

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
"""Mentions of the tool in our texts, and their replacements."""


def without_page_tool(text: str) -> str:
    """One of our texts without the tool. Texts of others are unchanged."""
    for mention, replacement in _WITHOUT.items():
        text = text.replace(mention, replacement)
    return text


def schema_without_page_tool(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema whose descriptions do not mention the tool."""
    changed: dict[str, Any] = json.loads(without_page_tool(json.dumps(schema, ensure_ascii=False)))
    return changed
