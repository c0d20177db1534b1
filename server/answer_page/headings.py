"""Turn lines that are bold as a whole into headings, which screen readers can jump between."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markdown_it.token import Token

LEVEL = "2"


def name_headings(tokens: Sequence[Token]) -> None:
    """Paragraphs look as before; only their role is told."""
    for opening, token in pairwise(tokens):
        if opening.type == "paragraph_open" and not opening.level and _is_bold(token.children or ()):
            opening.attrSet("role", "heading")
            opening.attrSet("aria-level", LEVEL)


def _is_bold(children: Sequence[Token]) -> bool:
    kinds = [one.type for one in children if one.type != "text" or one.content]
    return kinds == ["strong_open", "text", "strong_close"]
