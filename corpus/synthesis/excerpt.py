"""The part of a block that speaks to a question, in whole sentences."""

from __future__ import annotations

import re

import sentencex

LONGEST = 700
"""Letters of one excerpt; a block of this length is given whole."""


def excerpt(text: str, query: str, language: str | None = None, longest: int = LONGEST) -> str:
    """A run of neighbouring sentences of at most `longest` letters, the run that shares most with the query.

    Left-out text is marked with an ellipsis on its side. A single sentence beyond the bound is cut at a word.
    """
    text = text.strip()
    if len(text) <= longest:
        return text
    sentences = [one.strip() for one in sentencex.segment(language or "en", text) if one.strip()]
    first, last = _best_run(sentences, _stems(query), longest)
    body = " ".join(sentences[first:last])
    if len(body) > longest:
        body = body[:longest].rsplit(None, 1)[0]
        last = first
    return ("… " if first else "") + body + (" …" if last < len(sentences) else "")


def _best_run(sentences: list[str], wanted: set[str], longest: int) -> tuple[int, int]:
    """The run with most distinct words of the query; among equals the earlier."""
    best = -1
    run = (0, min(1, len(sentences)))
    for first in range(len(sentences)):
        last, length = first, 0
        while last < len(sentences) and (length + len(sentences[last]) <= longest or last == first):
            length += len(sentences[last]) + 1
            last += 1
        shared = len(wanted & _stems(" ".join(sentences[first:last])))
        if shared > best:
            best, run = shared, (first, last)
    return run


def _stems(text: str) -> set[str]:
    # Six letters stand in for stemming: enough to meet plural, case and German compounds' first part.
    return {word[:6] for word in re.findall(r"\w{3,}", text.casefold())}
