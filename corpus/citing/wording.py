"""The words of a claim, tidied where a marker was taken out."""

from __future__ import annotations

import re

_EMPTY = re.compile(
    r"(?<!\s)\s*+[(\[（]\s*+(?:(?:see|see also|siehe|vgl\.|cf\.|s\.|source|quelle)\s*+:?)?\s*+[,;]?\s*+[)\]）]",
    re.IGNORECASE,
)


def wording(text: str) -> str:
    """On one line, without brackets that are empty now."""
    return " ".join(_EMPTY.sub("", text).split())
