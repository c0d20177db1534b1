"""What the backend adds to a process: time to import it, and resident memory."""

from __future__ import annotations

import json
import subprocess
import sys

from bench.tables import table

RUNS = 5

_MEASURE = """
import json, sys, time
from bench.azure.memory import resident
import server.settings, server.wiring, server.app, server.stdio, corpus.library, corpus.embedding
{before}
held, began = resident(), time.process_time()
{loaded}
print(json.dumps([(time.process_time() - began) * 1000, resident() - held]))
"""
_LOCAL = "print(json.dumps(sorted(n for n in sys.modules if n.partition('.')[0] in ('azure', 'aiohttp'))))"
_KEY = "import corpus.index.azure"
_IDENTITY = "from azure.identity.aio import DefaultAzureCredential; DefaultAzureCredential()"

PARTS = {
    "the backend, with a key": ("", _KEY),
    "the backend, with an Azure identity": ("", f"{_KEY}; {_IDENTITY}"),
    "the local index, for comparison": ("", "import corpus.index.local, tantivy, numpy"),
}


def measured() -> str:
    rows = [_row(name, *code) for name, code in PARTS.items()]
    head = ["added to a server process", "import, ms processor, median", "resident MB, median"]
    loaded = _run(
        "import json, sys\nimport server.wiring, server.app, server.stdio, corpus.index.local\n" + _LOCAL
    )
    of_azure = loaded or "nothing"
    return (
        f"{table(head, rows)}\n\nOf azure and aiohttp, a server over the local index has loaded: {of_azure}."
    )


def _row(name: str, before: str, loaded: str) -> list[str]:
    runs = [_run(_MEASURE.format(before=before, loaded=loaded)) for _ in range(RUNS)]
    took, held = (sorted(run[n] for run in runs)[RUNS // 2] for n in (0, 1))
    return [name, f"{took:.0f}", f"{held:.1f}"]


def _run(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout)
    return found
