"""Text cut to what a model may be given, so that no input costs more than a passage should."""

from __future__ import annotations

import re

from corpus.text import clean, token_estimate

_RUN = re.compile(r"\S{200}")


def fitted(text: str, max_tokens: int) -> str:
    """Clean text of at most about `max_tokens`, with no unbroken run beyond 200 letters, never empty.

    The packaged engine takes seconds over a long run without a space, and reads no further than a NUL.
    """
    text = clean(text[: 8 * max_tokens]).strip()
    while (tokens := token_estimate(text)) > max_tokens:
        text = text[: max(1, len(text) * max_tokens // tokens - 1)]
    return _RUN.sub(r"\g<0> ", text) or "."


def fitted_bytes(text: str, most: int) -> str:
    """Clean text of at most `most` bytes of UTF-8, never empty.

    A tokenizer that works on bytes makes no more tokens than that, whatever the language.
    """
    text = clean(text[: 2 * most]).strip()
    return text.encode()[:most].decode(errors="ignore").rstrip() or "."
