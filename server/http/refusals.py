"""What a request that goes no further is answered with: one short line, and whether the connection ends with it."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response


def refusal(status: int, text: str, *, close: bool = False, allow: str = "") -> Response:
    """`close` is for requests whose rest nobody will read; `allow` are the methods that would do."""
    headers = {"Cache-Control": "no-store"}
    if close:
        headers["Connection"] = "close"
    if allow:
        headers["Allow"] = allow
    return PlainTextResponse(f"{text}\n", status_code=status, headers=headers)
