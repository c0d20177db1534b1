"""Answers of bounded length: whoever answers at the address of the service decides how much, but not beyond this."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import aiohttp

MOST_BYTES = 64 * 1024 * 1024
"""Of one answer, packed or unpacked; a thousand rows of a page of text each are a tenth of it."""

_PIECE = 64 * 1024


class TooLong(Exception):
    """None of the SDK's errors, which it would take for a lost connection and ask again."""


class BoundedResponse(aiohttp.ClientResponse):
    """Reads no more than `MOST_BYTES`. Raises TooLong for more, and closes the connection."""

    async def read(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        try:
            while part := await self.content.readany():
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise TooLong
            body = b"".join(parts)
            if any(
                unpacked > MOST_BYTES
                for unpacked in _unpacked(body, self.headers.get("Content-Encoding", ""))
            ):
                raise TooLong
        except BaseException:
            self.close()
            raise
        return body


def _unpacked(body: bytes, encoding: str) -> Iterator[int]:
    """How long the body grows while it is unpacked as the SDK does it; what cannot be unpacked is left to that."""
    encoding = encoding.lower()
    if encoding not in ("gzip", "deflate"):
        return
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS if encoding == "gzip" else -zlib.MAX_WBITS)
    size = 0
    try:
        while body and not unpacker.eof:
            size += len(unpacker.decompress(body, _PIECE))
            body = unpacker.unconsumed_tail
            yield size
    except zlib.error:
        return
