"""No code whose cost grows with an external text runs on the event loop: each tool gets its largest input and
answer."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.azure.design_index import CONTENT, DOCUMENTS, block_row, content_index, document_row, documents_index
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.raw_stdio import CHECKOUT, environment
from tests.http.process import HttpProcess
from tests.http.raw import Reply, ask, modern, post, request
from tests.integration.loop_watch import SECONDS
from tests.limits.patterns import SHAPES
from tests.server.desk import manual, passage

pytestmark = pytest.mark.slow

LONGEST = 100_000
"""Maximum characters of a text argument."""
BODY = 1024 * 1024
FILES = 8
"""Number of documents of 400,000 characters each."""
WORDS = "The pump of plant 7 moves 40 l/min at 3.5 bar, and its seal is changed every 2,000 hours by the engineer. "


class Watched:
    """A server whose event loop steps are timed."""

    def __init__(self, server: HttpProcess, notes: Path) -> None:
        self._server, self._notes = server, notes

    def ask(self, sent: bytes) -> Reply:
        return ask(self._server.address, sent)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        reply = self.ask(modern("tools/call", {"name": tool, "arguments": arguments}))
        assert reply.status == 200, reply
        return dict(json.loads(reply.body)["result"])

    def block_ids(self) -> list[str]:
        """Return the block ids of a search, as many as a verification accepts."""
        found = self.call("rag_semantic_search", query="pump seal hours", top_k=50)
        return [row["block_id"] for row in found["structuredContent"]["results"]][:50]

    @property
    def slow(self) -> list[str]:
        """Return the slow steps since the last call, each with its seconds."""
        if not self._notes.exists():
            return []
        lines = self._notes.read_text().splitlines()
        self._notes.unlink()
        return lines


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("loop")
    (folder / "documents").mkdir()
    for number in range(FILES):
        text = "".join(f"\n\n# Part {part}\n\n{WORDS * 20}" for part in range(200))
        (folder / "documents" / f"manual-{number}.md").write_text(f"# Manual {number}\n{text}")
    hostile = "\n\n".join((shape * (20_000 // len(shape)))[:20_000] for shape in SHAPES)
    (folder / "documents" / "hostile.txt").write_text("pump\n" + hostile)
    rows = "\n".join(f"| pump {row} | {row * 7} bar | seal {row} |" for row in range(3000))
    (folder / "documents" / "table.md").write_text(f"# Pumps\n\n| pump | pressure | seal |\n|---|---|---|\n{rows}\n")
    shutil.copy(CHECKOUT / "examples/documents/xyz-pump-technical-manual.pdf", folder / "documents")
    env = environment(RAG_DATA_DIR=str(folder / "index"), RAG_EMBEDDER="none", RAG_HTTP_RATE="0")
    command = [sys.executable, "-c", "from server.cli import main; main()", "ingest", str(folder / "documents")]
    subprocess.run(command, env=env, cwd=CHECKOUT, check=True, capture_output=True)
    with watching(folder, env) as here:
        yield here


@pytest.fixture(scope="module")
def over_azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A document with as many blocks, of the maximum length, as an answer of the service has."""
    folder = tmp_path_factory.mktemp("azure")
    with standing_in() as service:
        service.put_index(content_index())
        service.put_index(documents_index())
        for start in range(0, 1000, 100):
            blocks = [passage(WORDS * 80, place=f"b{at}", page=at // 20 + 1) for at in range(start, start + 100)]
            service.put_documents(CONTENT, [block_row(block, ["*"], None) for block in blocks])
        manuals = [replace(manual(), doc_id=f"d{at}", title=WORDS * 4) for at in range(1, 1000)]
        service.put_documents(DOCUMENTS, [dict(document_row(one)) for one in (manual(), *manuals)])
        env = environment(
            RAG_BACKEND="azure", AZURE_SEARCH_ENDPOINT=service.endpoint, AZURE_SEARCH_API_KEY=service.admin_key,
            RAG_EMBEDDER="none", RAG_HTTP_RATE="0", RAG_DATA_DIR=str(folder / "index"),
        )  # fmt: skip
        with watching(folder, env) as here:
            yield here


@contextmanager
def watching(folder: Path, env: dict[str, str]) -> Iterator[Watched]:
    command = [sys.executable, "-m", "tests.integration.loop_watch", str(folder / "notes"), "server.cli"]
    with HttpProcess(env, command=[*command, "serve", "--http"]) as server:
        here = Watched(server, folder / "notes")
        here.call("rag_semantic_search", query="pump")
        _ = here.slow  # ignore the steps that load modules in the first call
        yield here
        server.stop()


def hostile(length: int) -> Iterator[str]:
    for shape in SHAPES:
        yield (shape * (length // len(shape) + 1))[:length]


def test_a_step_that_computes_is_noticed(tmp_path: Path) -> None:
    module = tmp_path / "busy.py"
    module.write_text("import asyncio, time\nasync def go():\n    end = time.thread_time() + 3\n"
                      "    while time.thread_time() < end: pass\n"
                      "def main(): asyncio.run(go())\n")  # fmt: skip
    notes = tmp_path / "notes"
    command = [sys.executable, "-m", "tests.integration.loop_watch", str(notes), "busy"]
    env = environment() | {"PYTHONPATH": f"{CHECKOUT}:{tmp_path}"}
    subprocess.run(command, env=env, cwd=CHECKOUT, check=True)
    (line,) = map(json.loads, notes.read_text().splitlines())
    assert line["seconds"] > SECONDS
    assert "busy.py" in line["where"]


def test_searches_do_not_block_the_loop(watched: Watched) -> None:
    for text in hostile(LONGEST):
        watched.call("rag_semantic_search", query=text, top_k=50)
    watched.call("rag_semantic_search", query=WORDS * 900, top_k=50)
    values = [f"{number}" + "x" * 900 for number in range(100)]
    watched.call("rag_semantic_search", query="pump", filters={"filename": values, "author": values})
    assert watched.slow == []


def test_lists_and_documents_do_not_block_the_loop(watched: Watched) -> None:
    watched.call("rag_list_documents", limit=100, query=WORDS * 900)
    for name in ("manual-0.md", "hostile.txt", "table.md"):
        answer = watched.call("rag_get_document", name=name)
        assert not answer.get("isError"), answer
    for text in hostile(LONGEST):
        watched.call("rag_get_document", name=text)
        watched.call("rag_list_documents", query=text)
    assert watched.slow == []


def test_answers_do_not_block_the_loop(watched: Watched) -> None:
    for text in (*hostile(LONGEST), WORDS * 900):
        watched.call("rag_synthesize", query=text, mode="compose")
    for query in ("How often is the seal changed?", "pump pressure bar seal", "List every pump with its pressure."):
        answer = watched.call("rag_synthesize", query=query, mode="compose", max_tokens=4000, top_k=50)
        assert not answer.get("isError"), answer
    assert watched.slow == []


def test_verifications_do_not_block_the_loop(watched: Watched) -> None:
    ids = watched.block_ids()
    for text in hostile(40_000):
        watched.call("rag_verify_answer", answer=text, block_ids=ids)
    answer = watched.call("rag_verify_answer", answer=("The pump moves 41 l/min at 3 bar [1]. " * 1000), block_ids=ids)
    assert not answer.get("isError"), answer
    assert watched.slow == []


def test_evidence_and_pages_do_not_block_the_loop(watched: Watched) -> None:
    for block_id in watched.block_ids():
        watched.call("rag_show_evidence", block_id=block_id)
    answer = watched.call("rag_show_page", doc_id="xyz-pump-technical-manual.pdf", page_number=3)
    assert not answer.get("isError"), answer
    assert watched.slow == []


def test_resources_and_completions_do_not_block_the_loop(watched: Watched) -> None:
    listed = json.loads(watched.ask(modern("resources/list")).body)["result"]["resources"]
    for entry in listed:
        watched.ask(modern("resources/read", {"uri": entry["uri"]}, {"Mcp-Name": entry["uri"]}))
    for text in hostile(LONGEST):
        for reference in ({"type": "ref/resource", "uri": "rag://documents/{doc_id}"},):
            watched.ask(
                modern("completion/complete", {"ref": reference, "argument": {"name": "doc_id", "value": text}})
            )
    assert watched.slow == []


@pytest.mark.parametrize(
    "filler",
    [
        lambda size: "x" * size,
        lambda size: "\\u0041" * (size // 7),
        lambda size: [0] * (size // 3),
        lambda size: [{}] * (size // 4),
        lambda size: [[]] * (size // 4),
        lambda size: {f"{number}": 0 for number in range(size // 12)},
        lambda size: ["ä"] * (size // 10),
    ],
    ids=["text", "escapes", "numbers", "objects", "lists", "names", "characters"],
)
def test_bodies_of_maximum_length_do_not_block_the_loop(watched: Watched, filler: Any) -> None:
    value = filler(BODY - 2_000)
    for params in (
        {"name": "rag_semantic_search", "arguments": {"query": value}},
        {"name": "rag_semantic_search", "arguments": {"query": "pump", "filters": value}},
        {"name": "rag_semantic_search", "arguments": {"query": "pump"}, "extra": value},
        {"name": "llm_generate", "arguments": {"prompt": "pump", "context": value}},
    ):
        watched.ask(modern("tools/call", params))
    watched.ask(modern("nowhere", {"value": value}))
    watched.ask(post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"experimental": {"x": {"y": value}}},
        "clientInfo": {"name": "x", "version": "1"},
    }}))  # fmt: skip
    watched.ask(post(json.dumps(value).encode()))
    assert watched.slow == []


def test_nested_bodies_do_not_block_the_loop(watched: Watched) -> None:
    depth = BODY // 2 - 1_000
    for opened, closed in (("[", "]"), ('{"a":', "}")):
        times = depth // len(opened)
        watched.ask(post((opened * times).encode()))
        watched.ask(post((opened * 1000 + "1" + closed * 1000).encode()))
    watched.ask(request("GET", "/" + "a/" * 15_000))
    assert watched.slow == []


def test_long_azure_answers_do_not_block_the_loop(over_azure: Watched) -> None:
    ids = over_azure.block_ids()
    for tool, arguments in (
        ("rag_semantic_search", {"query": "pump", "top_k": 50}),
        ("rag_list_documents", {"limit": 100}),
        ("rag_get_document", {"doc_id": "pump"}),
        ("rag_get_document", {"doc_id": "pump", "pages": "1-50"}),
        ("rag_synthesize", {"query": "How often is the seal changed?", "mode": "compose", "top_k": 50}),
        ("rag_verify_answer", {"answer": "The pump moves 41 l/min [1]. " * 1000, "block_ids": ids}),
    ):
        answer = over_azure.call(tool, **arguments)
        assert not answer.get("isError"), answer
    assert over_azure.slow == []
