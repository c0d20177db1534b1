"""Write docs/tools.md from the tools that the server lists: `make reference`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from corpus.access import ANONYMOUS
from corpus.library import Library
from server.app import build_server
from server.calls.tool_call import CallLog
from tools.input_schemas import SCHEMA
from tools.protocol import Argument, Shape
from tools.rag_get_document import DocumentShape, Figure, Heading, Page
from tools.rag_list_documents import ListedDocument
from tools.rag_semantic_search import BlockShape
from tools.rag_show_evidence import EvidencePageShape
from tools.rag_synthesize import ObservationArgument, TurnArgument
from tools.rag_verify_answer import ClaimShape, EvidenceShape, SourceArgument
from tools.synthesis_shape import SourceShape

PAGE = Path("docs/tools.md")
HEAD = """\
# The tools

What a client is told of each tool, made from the schemas that the server lists (`make reference`). Every tool only
reads, and is held to what the caller may read. Errors name the type, what is wrong and the cure. `llm_generate` comes
too where
[a model is named](models.md), and `rag_show_evidence`, which answers with a picture and what stands below, for clients
that [show views](protocol.md#the-view-of-the-evidence).
"""

PARTS: dict[str, dict[str, type[Shape | Argument]]] = {
    "rag_semantic_search": {"`results`": BlockShape},
    "rag_list_documents": {"`documents`": ListedDocument},
    "rag_get_document": {
        "`document`": DocumentShape,
        "its `outline`": Heading,
        "its `figures`": Figure,
        "`pages`": Page,
    },
    "rag_synthesize": {
        "`observations`": ObservationArgument,
        "`history`": TurnArgument,
        "`sources`": SourceShape,
        "`raw_chunks`": BlockShape,
    },
    "rag_verify_answer": {
        "`sources`": SourceArgument,
        "`claims`": ClaimShape,
        "their `evidence`": EvidenceShape,
    },
    "rag_show_evidence": {"its answers": EvidencePageShape},
}
"""Types of the elements of lists and objects. The server itself describes each in a single sentence, because clients
load all schemas at every start."""

FILTERS = {
    "author": "a name, or words of it: Kim fits Jane Kim",
    "uploaded_after": "indexed on this day or later",
    "uploaded_before": "indexed on this day or earlier",
    "dated_after": "of this date or a later one, as the document says; never one without a date",
    "dated_before": "of this date or an earlier one",
    "doc_id": "an id, or a file name or title that fits one document",
    "page_number": "of the file, from 1",
}


async def page() -> str:
    """Return the complete page. No index is opened."""
    server = build_server(_no_library, CallLog(lambda: ANONYMOUS))
    views = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    async with Client(server, extensions=[views]) as client:
        tools = (await client.list_tools()).tools
    return "\n".join([HEAD, *(line for tool in tools for line in _tool(tool))])


async def _no_library() -> Library:
    raise NotImplementedError


def _tool(tool: Any) -> Iterator[str]:
    yield f"## {tool.name}\n"
    yield f"**{tool.title}.** {tool.description}\n"
    yield from _table("argument", tool.input_schema, needed=set(tool.input_schema.get("required", ())))
    if tool.name == "rag_semantic_search":
        yield from _filters()
    if tool.output_schema:
        yield from _table("result", tool.output_schema, needed=set())
    for what, shape in PARTS.get(tool.name, {}).items():
        yield from _table(f"each of {what}", shape.model_json_schema(), needed=set())


def _filters() -> Iterator[str]:
    yield "| filter | type | meaning |"
    yield "|---|---|---|"
    for name, one in SCHEMA["properties"].items():
        yield f"| `{name}` | {_kind(one, {})} | {FILTERS.get(name, '')} |"
    yield ""


def _table(what: str, schema: Mapping[str, Any], needed: set[str]) -> Iterator[str]:
    yield f"| {what} | type | meaning |"
    yield "|---|---|---|"
    for name, one in schema.get("properties", {}).items():
        kind, meaning = _kind(one, schema.get("$defs", {})), " ".join(one.get("description", "").split())
        told = f"{meaning} " if meaning else ""
        if name in needed:
            told += "*Needed.*"
        elif one.get("default") not in (None, "", [], {}):
            told += f"Default `{one['default']}`."
        said = told.strip().replace("|", "\\|")
        yield f"| `{name}` | {kind} | {said} |"
    yield ""


def _kind(one: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    if "$ref" in one:
        return _kind(definitions[one["$ref"].rsplit("/", 1)[-1]], definitions)
    if "enum" in one:
        return " or ".join(f"`{value}`" for value in one["enum"])
    if "anyOf" in one:
        kinds = [_kind(part, definitions) for part in one["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    kind = one.get("type", "any")
    if isinstance(kind, list):
        kind = " or ".join(part for part in kind if part != "null")
    if kind == "array":
        return f"list of {_kind(one.get('items', {}), definitions)}"
    bounds = [f"{word} {one[key]}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in one]
    return " ".join([kind, *bounds])


if __name__ == "__main__":
    PAGE.write_text(anyio.run(page), encoding="utf-8")
    sys.stdout.write(f"{PAGE} written\n")
