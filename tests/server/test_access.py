"""No tool, resource, count or error reveals a document to a caller who may not read it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError

from corpus.access import Caller, may_read
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.doubles.digest_embedder import DigestEmbedder
from tests.server.desk import ERAS, Desk, figure, manual, passage

PRINCIPALS = [f"{kind}:{name}" for kind in ("user", "department", "org", "group") for name in ("a", "b")]

lists = st.lists(st.sampled_from(["*", *PRINCIPALS, "a", "user:c"]), max_size=3, unique=True)
names = st.sampled_from([None, "a", "b"])
callers = st.builds(Caller, names, names, names, st.frozensets(st.sampled_from(["a", "b"]), max_size=2))


def mark(number: int) -> str:
    """Return a word that occurs in one document only, in all its data. All pairs are equally different, so that no
    error lists other similar names for one than for another."""
    return "qwzvkxjpyb"[number] * 7


async def fill(desk: Desk, access: list[list[str]]) -> None:
    for number, allowed in enumerate(access):
        word = mark(number)
        document = manual(
            f"doc-{word}", access=allowed, author=f"author {word}", department=f"dep {word}", title=f"title {word}",
            summary_brief=f"summary {word}", source_path="",
        )  # fmt: skip
        blocks = [
            passage(f"common words about {word}", doc_id=document.doc_id, heading=f"heading {word}"),
            figure(f"common figure {word}", doc_id=document.doc_id),
        ]
        await desk.put(document, blocks)


async def everything_said(client: Client) -> str:
    """Return everything that a caller gets from all tools in all requests that do not name a hidden document."""
    said = [
        await client.call_tool("rag_semantic_search", {"query": "common words figure", "top_k": 50}),
        await client.call_tool("rag_semantic_search", {"query": "common", "filters": {"block_type": "image"}}),
        await client.call_tool("rag_semantic_search", {"query": "common", "filters": {"author": "author"}}),
        await client.call_tool("rag_semantic_search", {"query": "common", "filters": {"filename": "doc"}}),
        await client.call_tool("rag_list_documents", {}),
        await client.call_tool("rag_list_documents", {"query": "title", "sort_by": "title"}),
        await client.call_tool("rag_get_document", {"name": "title"}),
        await client.call_tool("rag_synthesize", {"query": "common words", "top_k": 20}),
        await client.call_tool(
            "rag_verify_answer",
            {"answer": "common [1][2]", "block_ids": [f"doc-{mark(0)}-p1-1", f"doc-{mark(1)}-p1-1"]},
        ),
        await client.call_tool(
            "rag_synthesize", {"query": "common", "block_ids": [f"doc-{mark(0)}-p1-1", f"doc-{mark(1)}-p1-1"]}
        ),
    ]
    return "\n".join(one.model_dump_json() for one in said)


def requests(doc_id: str, word: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every request that can name one document."""
    yield "rag_get_document", {"doc_id": doc_id}
    yield "rag_get_document", {"doc_id": doc_id, "pages": "1-9"}
    yield "rag_get_document", {"name": f"title {word}"}
    yield "rag_show_page", {"doc_id": doc_id, "page_number": 1}
    yield "rag_synthesize", {"query": "common", "block_ids": [f"{doc_id}-p1-1"]}
    yield "rag_verify_answer", {"answer": "common words [1]", "block_ids": [f"{doc_id}-p1-1"]}
    yield "rag_semantic_search", {"query": "common", "filters": {"doc_id": doc_id}}
    yield "rag_semantic_search", {"query": word}
    yield "rag_list_documents", {"filters": {"department": f"dep {word}"}}
    yield "rag_list_documents", {"query": word}


async def named(client: Client, word: str) -> str:
    doc_id = f"doc-{word}"
    said = [(await client.call_tool(tool, arguments)).model_dump_json() for tool, arguments in requests(doc_id, word)]
    for uri in (f"documents/{doc_id}", f"documents/{doc_id}/pages/1", f"blocks/{doc_id}-p2-f1/image"):
        try:
            said.append((await client.read_resource(f"rag://{uri}")).model_dump_json())
        except MCPError as error:
            said.append(error.error.model_dump_json())
    return "\n".join(said).replace(word, "WORD")


async def nothing_leaks(access: list[list[str]], caller: Caller, era: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = LocalIndex.open(Path(folder), DigestEmbedder(), principal_prefixes=True)
        desk = Desk(index, Library(index, ReadingProcesses()), caller)
        await fill(desk, access)
        hidden = [n for n, allowed in enumerate(access) if not may_read(allowed, caller, prefixed=True)]
        async with desk.client(era) as client:
            said = await everything_said(client)
            total = (await client.call_tool("rag_list_documents", {})).structured_content or {}
            missing = await named(client, mark(9))
            unreadable = [await named(client, mark(n)) for n in hidden]
        await index.aclose()

    shown = json.dumps(said)
    assert not [n for n in hidden if mark(n) in shown]
    assert total["total"] == len(access) - len(hidden)
    assert [one for one in unreadable if one != missing] == []


@pytest.mark.parametrize("era", ERAS)
@given(access=st.lists(lists, min_size=2, max_size=5), caller=callers)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
def test_no_request_reveals_an_unreadable_document(era: str, access: list[list[str]], caller: Caller) -> None:
    anyio.run(nothing_leaks, access, caller, era)
