"""The lines of an answer without quotation marks and indents; code, comments and displayed math are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

BLANK = "\x00"
"""Replaces each character that is not prose; line ends stay."""

_OPAQUE = re.compile(
    r"""
    ^[ \t]*+(?:(?:>|[-*+][ ]|\d{1,3}[.)][ ])[ \t]*+)*+(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)[^\n]*(?:\n|\Z)
    | (?P<comment><!--) | (?P<math>\$\$)
    """,
    re.VERBOSE | re.MULTILINE,
)
_ENDS_OF_LINES = str.maketrans(dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"))
_UNSPEAKABLE = re.compile("[\ud800-\udfff]")
_MARKS = re.compile(r"[ \t\x00]*+(?:>[ \t]*+)*+")
_MAX_MATH = 3_000
"""Characters of displayed math. The bound keeps the scan linear in the number of dollar signs."""


@dataclass(frozen=True, slots=True)
class Line:
    """`start` and `end` are the offsets of `body`; `opaque` tells that all of it was blanked, `indent` counts
    columns."""

    start: int
    end: int
    body: str
    indent: int
    opaque: bool


def without_opaque(answer: str) -> str:
    """The answer at its length, with fenced code, comments and displayed math blanked, and uniform line ends."""
    text = _UNSPEAKABLE.sub("\ufffd", answer).replace("\r\n", " \n").translate(_ENDS_OF_LINES)
    comments_end = text.rfind("-->")
    parts: list[str] = []
    at = 0
    while match := _OPAQUE.search(text, at):
        end = _end_of(text, match, comments_end)
        parts += (text[at : match.start()], _blank(text[match.start() : end]))
        at = end
    return "".join([*parts, text[at:]])


def _end_of(text: str, match: re.Match[str], comments_end: int) -> int:
    """The end of the code, comment or math. Unclosed code extends to the end."""
    if match["fence"]:
        sign = re.escape(match["fence"])
        closing = re.compile(rf"^[ \t>]*{sign}[`~]*[ \t]*$", re.MULTILINE).search(text, match.end())
        return closing.end() if closing else len(text)
    if match["comment"]:
        return text.find("-->", match.end()) + 3 if match.end() <= comments_end else match.end()
    place = text.find("$$", match.end(), match.end() + _MAX_MATH)
    if place < 0 or "\n\n" in text[match.end() : place]:
        return match.end()
    return place + 2


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", BLANK, text)


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a text in order."""
    start = 0
    for line in text.split("\n"):
        match = _MARKS.match(line)
        skip = match.end() if match else 0
        body = line[skip:].rstrip(" \t" + BLANK)
        white = line[:skip].rpartition(">")[2]
        yield Line(
            start=start + skip,
            end=start + skip + len(body),
            body=body,
            indent=len(white.expandtabs(4)),
            opaque=not body and BLANK in line,
        )
        start += len(line) + 1
