"""The pages of a host, served to a browser at two local origins, with access to the tools of a server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'none'; "
    "connect-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'"
)
"""Content security policy that the view inherits from a host that allows nothing, not even inline images."""

Call = Callable[[dict[str, Any]], dict[str, Any]]
"""Function that answers a tool call, given the tool name and the arguments, as JSON."""


@contextmanager
def served(call: Call) -> Iterator[tuple[str, str]]:
    """Serve the pages, and return the addresses of the host's page and of its sandbox."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/host":
                self._send((HERE / "host.html").read_bytes())
            elif self.path == "/sandbox":
                self._send((HERE / "host_sandbox.html").read_bytes(), policy=POLICY)
            else:
                self._send(b"")

        def do_POST(self) -> None:
            params = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(json.dumps(call(params)).encode(), kind="application/json")

        def _send(self, body: bytes, kind: str = "text/html; charset=utf-8", policy: str = "") -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Do not log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        try:
            yield f"http://127.0.0.1:{port}/host", f"http://localhost:{port}/sandbox"
        finally:
            server.shutdown()
