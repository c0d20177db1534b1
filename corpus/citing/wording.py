"""Tidy the words of a claim where a marker was removed."""

from __future__ import annotations

import re

_EMPTY = re.compile(
    r"(?<!\s)\s*+[(\[（]\s*+(?:(?:see|see also|siehe|vgl\.|cf\.|s\.|source|quelle)\s*+:?)?\s*+[,;]?\s*+[)\]）]",
    re.IGNORECASE,
)


def wording(text: str) -> str:
    """The text on one line, without empty brackets."""
    return " ".join(_EMPTY.sub("", text).split())
