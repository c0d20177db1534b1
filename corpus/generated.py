"""What a model wrote, told from what a document says: the mark stands in the text, so that it goes along with it."""

from __future__ import annotations

import re

_MARK = re.compile(r"(?<!\n)\n*+\[Described by [^\]\n]{1,200}, not by the document\]\n.*\Z", re.DOTALL)


def with_description(content: str, description: str, model: str) -> str:
    """The words of a figure, and below them what a model says of its picture."""
    name = re.sub(r"[\]\n]", " ", model)[:200]
    return f"{content.rstrip()}\n\n[Described by {name}, not by the document]\n{description}".lstrip()


def without_description(content: str) -> str:
    """The document's own words alone."""
    return _MARK.sub("", content)
