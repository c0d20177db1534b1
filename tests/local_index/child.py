"""A writer in a separate process: `python -m tests.local_index.child FOLDER ACTION [STAGE]`.

With STAGE, it is killed, as by a power cut, when the index reaches that stage. The index is not involved: this module
watches the log.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
import structlog

from corpus.access import ANONYMOUS
from corpus.errors import NotConfigured
from corpus.index.local import LocalIndex
from corpus.search import Listing, Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, texts
from tests.writable_contract import embed

ROOT = Path(__file__).parents[2]
OLD = tuple(f"old pump number{n}" for n in range(3))
NEW = tuple(f"new valve number{n}" for n in range(5))


def killed_at(stage: str | None) -> None:
    def listen(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if event.get("event") == "index.stage" and event["stage"] == stage:
            os.kill(os.getpid(), signal.SIGKILL)
        raise structlog.DropEvent

    structlog.configure(processors=[listen])


async def act(folder: Path, action: str) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder)
    if action == "replace":
        await index.replace(a_document(title="New"), texts("manual", *NEW))
    elif action == "remove":
        await index.remove("manual")
    elif action == "vectors":
        await embed(index, embedder)
    elif action == "many":  # in step with the reader: one document, then one answer
        for line in sys.stdin:
            name = line.strip()
            await index.replace(a_document(name), texts(name, f"unique{name} pump", "second"))
            print(name, flush=True)
    elif action == "read":
        for line in sys.stdin:
            found = await index.find(Search(line.strip()), ANONYMOUS)
            print(found.hits[0].block.block_id if found.hits else "nothing", flush=True)
    elif action == "look":
        found = await index.find(Search("pump"), ANONYMOUS)
        print(found.mode, found.hits[0].block.block_id, found.warnings)
        print((await index.list_documents(Listing(), ANONYMOUS)).total, "documents")
        await index.update(a_document())
    await index.aclose()


async def told(folder: Path, action: str) -> None:
    try:
        await act(folder, action)
    except NotConfigured as problem:
        print("NotConfigured", problem)


if __name__ == "__main__":
    killed_at(sys.argv[3] if len(sys.argv) > 3 else None)
    anyio.run(told, Path(sys.argv[1]), sys.argv[2])
