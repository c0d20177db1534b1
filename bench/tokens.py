"""Count the tokens that a tool's answer costs the model, and how many of them belong to the passages or the text of the
answer.

It uses the sample documents. It counts tokens with o200k_base if tiktoken is installed and TIKTOKEN_CACHE_DIR is a
folder with that vocabulary (the litellm wheel contains it). Otherwise it uses the tokenizer of the packaged embedder,
which was not trained on JSON and splits ids and field names into more tokens.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

from bench.corpus_index import kept_vectors, take_in
from bench.kept_vectors import KeptVectors
from bench.parts import MIXED, index_of, parts
from bench.questions import corpora
from bench.record import Row, write
from bench.tables import of_rows
from corpus.access import ANONYMOUS
from corpus.embedding.packaged import token_count as packaged_count
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from server.app import build_server
from server.calls.tool_call import CallLog

VOCABULARY, CACHE = "o200k_base", "TIKTOKEN_CACHE_DIR"
DOCUMENTS, FOLDER = Path("examples/documents"), Path(".bench/tokens")
QUESTIONS = (
    "How does the XYZ pump work?",
    "When is the mechanical seal changed?",
    "What did Project Titan spend in the second quarter?",
    "Wie oft wird die Pumpe gewartet?",
    "Which decisions were taken on the coupling?",
)
PAGES = ("1", "3", "4-5")
MANUAL = "xyz-pump-technical-manual.pdf"
TEXTS = {
    "rag_semantic_search": ("content", "image_caption", "highlight"),
    "rag_get_document": ("text",),
    "rag_synthesize": ("answer",),
}
"""Fields that contain the requested content, for the answer of each tool."""


def counter() -> tuple[str, Callable[[str], int]]:
    """Return the name of a tokenizer, and a function that counts with it."""
    if os.environ.get(CACHE) and find_spec("tiktoken"):
        encoding = import_module("tiktoken").get_encoding(VOCABULARY)
        return VOCABULARY, lambda text: len(encoding.encode(text))
    return "packaged embedder", packaged_count


COUNTED_BY, token_count = counter()


async def measured() -> list[Row]:
    """Return a row for each call about the sample documents and, if IBID_TEST_CORPORA is set, a row for each tool over
    all questions of the set `mixed`."""
    with kept_vectors() as embedder:
        await take_in([DOCUMENTS], FOLDER, embedder)
        async with _client(FOLDER, embedder) as client:
            rows = [await _row(client, name, arguments) for name, arguments in _calls(QUESTIONS)]
            tools = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
        if os.environ.get("IBID_TEST_CORPORA"):
            (mixed,) = parts(corpora(), check=False, names=[MIXED])
            async with _client(await index_of(mixed, corpora(), None, embedder), embedder) as client:
                calls = list(_calls([question.text for question in mixed.questions], pages=()))
                rows += _totals([await _row(client, name, arguments) for name, arguments in calls])
    listed: Row = {
        "tool": "tools/list",
        "call": f"{len(tools.encode()):,} bytes",
        "tokens": token_count(tools),
        "asked_for": None,
        "beside": None,
        "share": None,
    }
    return [*rows, listed]


@asynccontextmanager
async def _client(folder: Path, embedder: KeptVectors) -> AsyncIterator[Client]:
    index = LocalIndex.open(folder, embedder)
    async with ReadingProcesses() as reading:
        library = Library(index, reading)

        async def opened() -> Library:
            return library

        async with Client(build_server(opened, CallLog(lambda: ANONYMOUS))) as client:
            yield client
    await index.aclose()


def _totals(rows: Sequence[Row]) -> list[Row]:
    """Return a row for each tool, with the sums over its calls."""
    return [
        _shares(
            str(tool),
            f"{len(of_tool)} questions of `mixed`",
            sum(int(row["tokens"] or 0) for row in of_tool),
            sum(int(row["asked_for"] or 0) for row in of_tool),
        )
        for tool in dict.fromkeys(row["tool"] for row in rows)
        for of_tool in [[row for row in rows if row["tool"] == tool]]
    ]


def _shares(tool: str, call: str, whole: int, wanted: int) -> Row:
    share = f"{(whole - wanted) / whole:.0%}"
    return {"tool": tool, "call": call, "tokens": whole, "asked_for": wanted, "beside": whole - wanted, "share": share}


def _calls(questions: Sequence[str], pages: Sequence[str] = PAGES) -> Iterator[tuple[str, dict[str, Any]]]:
    for question in questions:
        yield "rag_semantic_search", {"query": question, "top_k": 5}
    for numbers in pages:
        yield "rag_get_document", {"name": MANUAL, "pages": numbers}
    for question in questions:
        yield "rag_synthesize", {"query": question, "mode": "compose"}


async def _row(client: Client, name: str, arguments: dict[str, Any]) -> Row:
    result = await client.call_tool(name, arguments)
    content = result.content[0]
    text: str = content.text  # type: ignore[union-attr]
    assert json.loads(text) == result.structured_content
    whole, wanted = token_count(text), sum(map(token_count, _texts(result.structured_content, TEXTS[name])))
    what = str(arguments.get("query") or f"pages {arguments['pages']}")
    return _shares(name, what, whole, wanted)


def _texts(value: Any, fields: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            if key in fields and isinstance(part, str):
                yield part
            else:
                yield from _texts(part, fields)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part, fields)


def main() -> None:
    rows = anyio.run(measured)
    print(f"Tokens by {COUNTED_BY}.\n")
    print(of_rows(rows, [*rows[0]]))
    write("tokens", "python -m bench tokens", rows, tokenizer=COUNTED_BY)


if __name__ == "__main__":
    main()
