"""Convert text from documents to Markdown that shows it literally, without markup, links or images.

Everything in a document is data. A document can contain Markdown that would load a picture, fake a citation or start a
heading in the middle of an answer, so every character with a meaning in Markdown is escaped.
"""

from __future__ import annotations

import re

from corpus.text.normalization import clean

_SHOWN = ("https://", "http://", "rag://")
_ENDS = re.compile(r"[\x00-\x20()<>\\\x7f]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ANYWHERE = re.compile(r"([\\`*_\[\]<>|~])")
_LINE_START = re.compile(r"^([^\S\n]*)([#+\-=]|\d+(?=[.)]))", re.MULTILINE)
# The patterns do not begin with \b, because \b treats an underscore as a word character and renderers do not.
_SCHEME = re.compile(r"(?<![^\W_])(?:([a-z][a-z0-9+.\-]{1,20})(://)|(www)(\.)|(mailto|xmpp)(:))", re.IGNORECASE)
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_AT = re.compile(r"(?<=\S)@(?=\w)")
_WORD_JOINED = re.compile(r"(?<=[^\W_])(?:\\_)+(?=[^\W_])")


def as_text(text: str) -> str:
    """Return the text escaped so that Markdown shows it literally, with its paragraphs and without links."""
    return _without_autolinks(_LINE_START.sub(_escape_line_start, _escape(clean(text))))


def as_line(text: str) -> str:
    """Return `as_text` on one line, for captions. The result is safe inside `![...]`."""
    return as_text(" ".join(text.split()))


def within_line(text: str) -> str:
    """Return the text escaped for use inside a line. Characters that matter only at the start of a line are not
    escaped."""
    return _without_autolinks(_escape(" ".join(clean(text).split())))


def unescape(text: str) -> str:
    """Return Markdown without backslash escapes, as a reader sees it."""
    return _ESCAPE.sub(r"\1", text)


def _escape(text: str) -> str:
    return _WORD_JOINED.sub(_plain, _ANYWHERE.sub(r"\\\1", text))


def _without_autolinks(text: str) -> str:
    """Escape text that a renderer would automatically turn into links and entities."""
    # A backslash before the colon or dot stops autolinks; CommonMark renderers do not show it.
    return _AT.sub(r"\\@", _SCHEME.sub(_break_link, _ENTITY.sub(r"\\&", text)))


def _plain(match: re.Match[str]) -> str:
    return match[0].replace("\\", "")


def _escape_line_start(match: re.Match[str]) -> str:
    space, sign = match.groups()
    return f"{space}{sign}\\" if sign.isdigit() else f"{space}\\{sign}"


def _break_link(match: re.Match[str]) -> str:
    scheme, slashes, www, dot, mail, colon = match.groups()
    if scheme:
        return f"{scheme}\\{slashes}"
    return f"{www}\\{dot}" if www else f"{mail}\\{colon}"


def address(url: str | None) -> str | None:
    """Return the URL of a picture for use in brackets, or None for other schemes. Characters that would end the
    brackets early are percent-encoded, because the URL may have been chosen by anyone who can write to the index."""
    if not url or not url.lower().startswith(_SHOWN):
        return None
    return _ENDS.sub(lambda match: f"%{ord(match[0]):02X}", url)
