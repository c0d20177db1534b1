"""Text from documents as markdown that shows what the document says: no markup, link or image of its own.

Everything in a document is data. A document can hold markdown that would fetch a picture, fake a citation or
start a heading in the middle of an answer, so what has a meaning in markdown is escaped.
"""

from __future__ import annotations

import re

_ANYWHERE = re.compile(r"([\\`*_\[\]<>|~])")
_LINE_START = re.compile(r"^(\s*)([#+\-=]|\d+(?=[.)]))", re.MULTILINE)
_SCHEME = re.compile(r"\b([a-z][a-z0-9+.\-]{1,20})(://)|\b(www)(\.)|\b(mailto)(:)", re.IGNORECASE)
_AT = re.compile(r"(?<=\w)@(?=\w)")
_WORD_JOINED = re.compile(r"(?<=\w)\\_(?=\w)")


def as_text(text: str) -> str:
    """The text so that markdown shows it letter by letter, with its paragraphs and without links."""
    escaped = _WORD_JOINED.sub("_", _ANYWHERE.sub(r"\\\1", text))
    escaped = _LINE_START.sub(_escaped_start, escaped)
    # A backslash before the colon or the dot stops autolinks; renderers that know CommonMark show none of it.
    return _AT.sub(r"\\@", _SCHEME.sub(_broken_link, escaped))


def as_line(text: str) -> str:
    """The same for a caption: one line, safe inside `![...]`."""
    return as_text(" ".join(text.split()))


def _escaped_start(match: re.Match[str]) -> str:
    space, sign = match.groups()
    return f"{space}{sign}\\" if sign.isdigit() else f"{space}\\{sign}"


def _broken_link(match: re.Match[str]) -> str:
    scheme, slashes, www, dot, mail, colon = match.groups()
    if scheme:
        return f"{scheme}\\{slashes}"
    return f"{www}\\{dot}" if www else f"{mail}\\{colon}"
