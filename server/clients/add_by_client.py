"""Let a client's own program add the entry, where its configuration is no plain JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

from server.clients.known import Client

SECONDS = 30.0
"""VS Code answers within two; more means that it waits for something."""


def add_by_client(client: Client, name: str, entry: dict[str, Any]) -> bool:
    """Tell whether the client has such a program, and it ended well. Other users of the machine can read its arguments,
    so the entry must hold no secret."""
    program = shutil.which(client.adds_by) if client.adds_by else None
    if program is None:
        return False
    words = [program, "--add-mcp", json.dumps({"name": name} | client.as_written(entry))]
    try:
        return subprocess.run(words, check=False, capture_output=True, timeout=SECONDS).returncode == 0  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return False
