"""Fence data inside a prompt, so that a model can tell it from instructions."""

from __future__ import annotations

from hashlib import blake2b


def fenced(data: str) -> str:
    """Put the data between two marker lines. The marker is a hash of the data, so the data cannot contain it."""
    code = blake2b(data.encode("utf-8", "replace"), digest_size=12, key=b"ibid").hexdigest()
    return f"<<{code}>>\n{data}\n<<{code}>>"
