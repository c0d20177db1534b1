"""Marks of text that a model wrote. The mark is part of the text, so that it travels with it."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?<!\n)\n*+\[Described by [^\]\n]{1,200}, not by the document\]\n.*\Z", re.DOTALL)


def with_description(content: str, description: str, model: str) -> str:
    """The words of a figure, followed by a model's description of its picture under a mark."""
    name = re.sub(r"[\]\n]", " ", model)[:200]
    return f"{content.rstrip()}\n\n[Described by {name}, not by the document]\n{description}".lstrip()


def without_description(content: str) -> str:
    """The document's own words alone."""
    return _MARK.sub("", content)
