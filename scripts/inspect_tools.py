"""List and call every tool of `ibid serve` with the MCP inspector, over both transports and in both protocol eras, and
run a load test. The script fails if a call fails.

The inspector is a third-party client, so it may find problems that our own tests miss, because our tests use the same
SDK as the server.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from node_tools import NoNode, installed, reason, run

ROOT = Path(__file__).resolve().parent.parent
IBID = Path(sys.executable).with_name("ibid")
DATA = ROOT / ".demo"
HOME = DATA / "home"
"""Separate home folder, because the inspector leaves files in it and a person's inspector settings must not affect this
run."""
ENVIRONMENT = {"HOME": str(HOME), "RAG_DATA_DIR": str(DATA)}

ERAS = ("legacy", "modern")
QUESTION = "How does the XYZ pump work?"
MANUAL = "xyz-pump-technical-manual"
CALLS, AT_ONCE = 300, 32
PATIENCE = 120_000
"""Milliseconds to wait for a server to start. The time is long, because a busy machine is not a failure."""


@dataclass(frozen=True)
class Inspector:
    """One way to call the inspector. `place` contains the options for reaching the server, and `era` selects the
    protocol era."""

    command: tuple[str, ...]
    transport: str
    place: tuple[str, ...]
    era: str

    @property
    def name(self) -> str:
        return f"{self.transport}, {self.era}"

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """Return the result of one request. The inspector exits with 5 for `isError`, and with 6 for a schema that is
        not portable."""
        how = ["--method", method, *options, "--protocol-era", self.era, "--format", "json", "-q"]
        how += ["--connect-timeout", str(PATIENCE)]
        return dict(json.loads(run([*self.command, *self.place, *how], **ENVIRONMENT)))

    def call(self, name: str, known: dict[str, Any], *options: str) -> dict[str, Any]:
        return self.ask("tools/call", "--tool-name", name, "--tool-args-json", json.dumps(known), *options)


def inspector(target: str) -> tuple[str, str]:
    """Ingest the sample documents, and return the inspector's command. End the program if Node is missing."""
    HOME.mkdir(parents=True, exist_ok=True)
    try:
        node, commands = installed("inspector")
    except NoNode as missing:
        sys.exit(f"`make {target}` cannot run. {missing}")
    run([str(IBID), "ingest", str(ROOT / "examples" / "documents")], **ENVIRONMENT)
    return node, str(commands / "mcp-inspector")


def main() -> int:
    """Return 0 if every tool answered in both eras."""
    command = (*inspector("inspect"), "--cli")
    stdio = ("-e", f"RAG_DATA_DIR={DATA}", str(IBID), "serve")
    failed: list[str] = []
    with served() as url:
        for transport, place in (("stdio", stdio), ("HTTP", (url, "--transport", "http"))):
            for era in ERAS:
                failed += failures(Inspector(command, transport, place, era))
        for era in ERAS:
            failed += under_load(Inspector(command, "HTTP", (url, "--transport", "http"), era))
    for failure in failed:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failed else 0


@contextmanager
def served() -> Iterator[str]:
    """Run an HTTP server, and yield its URL."""
    command = [str(IBID), "serve", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, env=os.environ | ENVIRONMENT, stderr=subprocess.PIPE, text=True) as server:
        if server.stderr is None:
            sys.exit("no pipe")
        try:
            while not (found := re.search(r"Ibid listens at (\S+)\.\s", server.stderr.readline())):
                if server.poll() is not None:
                    sys.exit("`ibid serve --http` ended.")
            # Drain the log: nothing else reads it, and a full pipe would block the server.
            threading.Thread(target=server.stderr.read, daemon=True).start()
            yield found[1]
        finally:
            server.terminate()
            server.wait(60)


def failures(inspector: Inspector) -> list[str]:
    """Call each tool once, and list and read the prompts and resources. Return the failures, one line each."""
    try:
        tools = inspector.ask("tools/list", "--strict")["result"]["tools"]
        names = [tool["name"] for tool in tools]
        known = arguments(inspector)
        read_the_rest(inspector, known)
    except subprocess.CalledProcessError as error:
        return [f"listing, reading or the first search ({inspector.name}): {reason(error)}"]
    found = [failure(inspector, name, known.get(name)) for name in names]
    return [text for text in found if text]


def read_the_rest(inspector: Inspector, known: dict[str, dict[str, Any]]) -> None:
    """Read the prompt, the resource templates, a document and one of its pages."""
    inspector.ask("prompts/get", "--prompt-name", "rag_system_prompt", "--prompt-args", "domain=Pumps")
    inspector.ask("resources/list")
    inspector.ask("resources/templates/list")
    document = f"rag://documents/{known['rag_get_document']['doc_id']}"
    for uri in (document, f"{document}/pages/1"):
        inspector.ask("resources/read", "--uri", uri)


def arguments(inspector: Inspector) -> dict[str, dict[str, Any]]:
    """Return valid arguments for each tool, with ids from the tools' own results."""
    found = inspector.call("rag_semantic_search", {"query": QUESTION})
    hit = found["result"]["structuredContent"]["results"][0]
    listed = inspector.call("rag_list_documents", {"query": MANUAL})
    (document,) = listed["result"]["structuredContent"]["documents"]
    return {
        "rag_semantic_search": {"query": QUESTION, "top_k": 3, "filters": {"doc_id": document["doc_id"]}},
        "rag_list_documents": {},
        "rag_get_document": {"doc_id": document["doc_id"], "pages": "1-2"},
        "rag_synthesize": {"query": QUESTION},
        "rag_verify_answer": {"answer": "The pump is centrifugal [1].", "block_ids": [hit["block_id"]]},
        "rag_show_page": {"doc_id": document["doc_id"], "page_number": hit.get("page_number", 1)},
        "rag_show_evidence": {"block_id": hit["block_id"]},
    }


def failure(inspector: Inspector, name: str, known: dict[str, Any] | None) -> str:
    """Call the tool. Return the failure, or an empty string if the tool answered."""
    if known is None:
        return f"{name} ({inspector.name}): no arguments are known for it; add them to {Path(__file__).name}"
    try:
        inspector.call(name, known)
    except subprocess.CalledProcessError as error:
        return f"{name} ({inspector.name}): {reason(error)}"
    print(f"{name} ({inspector.name}): answered")
    return ""


def under_load(inspector: Inspector) -> list[str]:
    """Send many concurrent searches, none of which may fail, and return the failures."""
    load = ("--load", "--load-requests", str(CALLS), "--load-concurrency", str(AT_ONCE))
    try:
        report = inspector.call("rag_semantic_search", {"query": QUESTION, "top_k": 3}, *load)
    except subprocess.CalledProcessError as error:
        return [f"load ({inspector.name}): {reason(error)}"]
    counts = report["result"]
    print(f"load ({inspector.name}): {counts['ok']} of {CALLS} answered, {AT_ONCE} at once")
    return [] if counts["ok"] == CALLS else [f"load ({inspector.name}): {json.dumps(counts)}"]


if __name__ == "__main__":
    sys.exit(main())
