"""Show the evidence view in the MCP inspector, over the sample documents: `make inspect-view [ARGS=legacy]`.

The script prints an address to open in a browser. Ctrl-C stops it. `legacy` selects the protocol revisions with a
handshake, and `modern`, the default, selects those since 2026-07-28.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

from inspect_tools import DATA, ENVIRONMENT, ERAS, QUESTION, inspector, served

PORT = os.environ.get("CLIENT_PORT", "6274")


SERVER = "deep-link"
"""Name that the inspector gives to a server that is opened through such an address. A server configured under this name
keeps its settings."""


def main() -> int:
    """Return the inspector's exit code."""
    era = (sys.argv[1:] or [ERAS[-1]])[0]
    if era not in ERAS:
        sys.exit(f"There is no era {era!r}. Choose one of: {', '.join(ERAS)}.")
    command = inspector("inspect-view")
    token = secrets.token_hex(16)
    own = {
        "MCP_INSPECTOR_API_TOKEN": token,
        "MCP_AUTO_OPEN_ENABLED": "false",
        "MCP_INSPECTOR_SECRET_STORE": "memory",
    }
    with served() as url:
        print(f"Open {address(url, token)}", flush=True)
        web = [*command, "--web", "--config", str(known(url, era))]
        try:
            return subprocess.run(web, env=os.environ | ENVIRONMENT | own, check=False).returncode
        except KeyboardInterrupt:
            return 0


def known(server: str, era: str) -> Path:
    """Write a configuration file with the protocol era, which an address cannot contain."""
    file = DATA / "inspector.json"
    told = {"type": "streamable-http", "url": server, "protocolEra": era}
    file.write_text(json.dumps({"mcpServers": {SERVER: told}}), encoding="utf-8")
    return file


def address(server: str, token: str) -> str:
    """Return an address that makes the inspector connect, ask the question and open the view."""
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
