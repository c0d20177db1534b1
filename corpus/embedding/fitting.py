"""Cut text to what a model may be given, so that no input costs more than a passage should."""

from __future__ import annotations

import re

from corpus.text import clean, token_estimate

_RUN = re.compile(r"\S{200}")
"""The packaged engine takes seconds over longer runs without a space."""


def fitted(text: str, max_tokens: int) -> str:
    """Return clean text of at most about `max_tokens`, with no unbroken run beyond 200 characters, never empty.

    The packaged engine takes seconds over a long run without a space, and stops reading at a NUL.
    """
    text = clean(text[: 8 * max_tokens]).strip()
    while (tokens := token_estimate(text)) > max_tokens:
        text = text[: max(1, len(text) * max_tokens // tokens - 1)]
    return _RUN.sub(r"\g<0> ", text) or "."


def fitted_bytes(text: str, max_bytes: int) -> str:
    """Return clean text of at most `max_bytes` bytes of UTF-8, never empty. A byte-level tokenizer makes at most that
    many tokens in any language."""
    text = clean(text[: 2 * max_bytes]).strip()
    return text.encode()[:max_bytes].decode(errors="ignore").rstrip() or "."
