"""Show the evidence view in the MCP inspector, of an answer from the sample documents: `make inspect-view`.

It prints an address to open in a browser, and ends with Ctrl-C.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import sys
from urllib.parse import urlencode

from inspect_tools import ENVIRONMENT, QUESTION, inspector, served

PORT = os.environ.get("CLIENT_PORT", "6274")


def main() -> int:
    """What the inspector ends with."""
    command = inspector("inspect-view")
    token = secrets.token_hex(16)
    own = {
        "MCP_INSPECTOR_API_TOKEN": token,
        "MCP_AUTO_OPEN_ENABLED": "false",
        "MCP_INSPECTOR_SECRET_STORE": "memory",
    }
    with served() as url:
        print(f"Open {address(url, token)}", flush=True)
        web = [*command, "--web"]
        try:
            return subprocess.run(web, env=os.environ | ENVIRONMENT | own, check=False).returncode
        except KeyboardInterrupt:
            return 0


def address(server: str, token: str) -> str:
    """Of the inspector, which then connects, asks the question and opens the view."""
    asked = json.dumps({"query": QUESTION, "mode": "compose"}).encode()
    wanted = {
        "MCP_INSPECTOR_API_TOKEN": token,
        "serverUrl": server,
        "transport": "http",
        "autoConnect": token,
        "openApp": "rag_synthesize",
        "appArgs": base64.urlsafe_b64encode(asked).decode().rstrip("="),
        "autoOpen": token,
    }
    return f"http://localhost:{PORT}/?{urlencode(wanted)}"


if __name__ == "__main__":
    sys.exit(main())
