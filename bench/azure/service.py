"""Run the emulator as a separate process, so that its work does not count as the client's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from corpus.index.azure import Service

CONTENT, DOCUMENTS = "content-blocks", "documents-metadata"


@contextmanager
def stand_in() -> Iterator[Service]:
    """Yield an empty service with a full-access key. It stops when the context closes."""
    command = [sys.executable, "-m", "tests.doubles.azure_search"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        try:
            face = json.loads(process.stdout.readline())
            yield Service(face["endpoint"], face["admin_key"])
        finally:
            process.stdin.close()
