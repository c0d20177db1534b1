"""Requests as raw bytes that no client library would send."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.http.binding import Address
from tests.patience import PATIENCE

ACCEPT = "application/json, text/event-stream"
MODERN = {"MCP-Protocol-Version": "2026-07-28"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
}


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes


def connect(address: Address) -> socket.socket:
    return socket.create_connection((address.host, address.port), timeout=PATIENCE)


def request(
    method: str,
    path: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
    host: str = "localhost",
) -> bytes:
    """Return the bytes of a request. The given headers replace the usual ones, and an empty one removes it."""
    usual = {"Host": host, "Content-Length": str(len(body))} if method == "POST" else {"Host": host}
    lines = [f"{key}: {value}" for key, value in (usual | dict(headers or {})).items() if value]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + body


def post(message: Any, headers: Mapping[str, str] | None = None, host: str = "localhost") -> bytes:
    """Return the bytes of a message posted to the endpoint."""
    usual = {"Content-Type": "application/json", "Accept": ACCEPT}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return request("POST", "/mcp", usual | dict(headers or {}), body, host)


def modern(method: str, params: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None) -> bytes:
    """Return a request of the newest protocol."""
    given = dict(params or {})
    named = {"Mcp-Name": str(given["name"])} if "name" in given else {}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given | {"_meta": META}}
    return post(message, MODERN | {"Mcp-Method": method} | named | dict(headers or {}))


def ask(address: Address, sent: bytes) -> Reply:
    """Return the first answer to these bytes."""
    with connect(address) as wire:
        wire.sendall(sent)
        return read(wire)


def read(wire: socket.socket) -> Reply:
    """Read one answer, with a length or in chunks. If the connection ends first, the answer is empty and has status
    0."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := _received(wire)):
            return Reply(0, {}, data)
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {key.lower(): value.strip() for key, _, value in (one.partition(":") for one in lines)}
    while not _whole(headers, body) and (more := _received(wire)):
        body += more
    return Reply(int(first.split()[1]), headers, body)


def ends(wire: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection."""
    data = b""
    while more := _received(wire):
        data += more
    return data


def statuses(data: bytes) -> list[int]:
    return [int(one) for one in re.findall(rb"HTTP/1\.1 (\d{3})", data)]


def _received(wire: socket.socket) -> bytes:
    try:
        return wire.recv(65536)
    except ConnectionError:
        return b""


def _whole(headers: Mapping[str, str], body: bytes) -> bool:
    if headers.get("transfer-encoding") == "chunked":
        return body.endswith(b"0\r\n\r\n")
    return len(body) >= int(headers.get("content-length", "0"))
