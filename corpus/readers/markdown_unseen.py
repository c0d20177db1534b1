"""Hidden parts of a Markdown text: comments, and hidden HTML elements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.readers.web.declarations import declared, is_clear, is_out_of_sight, is_tiny

BLANK = "\0"
"""Replaces each hidden character, so that offsets stay; `clean` removes it."""

_STEP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*$"
    r"|(?P<code>`{1,20})(?!`)"
    r"|(?P<comment><!--)"
    r"|^ {0,3}\[(?://|comment|_?metadata_?)?\]:[ \t]*(?:#|<>)[^\n]*$"
    r"|<(?P<name>[a-z][a-z0-9-]{0,20})(?P<attributes>(?:\s[^<>]{0,1000})?)>",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_CODE = 2_000
"""Characters of inline code; more would make a hostile text slow."""

_SILENT = {"script", "style", "template"}
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?:\s|=|/|$)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,1100}>", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|[\r\n]) {0,3}$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def without_unseen(text: str) -> tuple[str, int]:
    """Return a text of equal length without hidden passages, and their number. Code stays."""
    parts, count, start = list[str](), 0, 0
    for first, last in _spans(text):
        passage = text[first:last]
        count += bool(re.search(r"\w", _TAG.sub("", passage)))
        parts += [text[start:first], re.sub(r"[^\r\n]", BLANK, passage)]
        start = last
    return "".join([*parts, text[start:]]), count


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place, is_closed = 0, True
    while match := _STEP.search(text, place):
        place = match.end()
        if match["fence"]:
            place = end_of_fence(text, match)
        elif match["code"]:
            place = end_of_code(text, match)
        elif match["comment"]:
            close_at = text.find("-->", place) if is_closed else -1
            is_closed = close_at >= 0
            if not is_closed and not _LINE_START.search(text[max(0, match.start() - 4) : match.start()]):
                continue  # within a line it is text
            place = close_at + 3 if is_closed else len(text)
            yield match.start(), place
        elif not match["name"]:
            yield match.start(), place
        elif _is_unseen(match["name"].lower(), match["attributes"]):
            place = _end_of_element(text, match)
            yield match.start(), place


def _is_unseen(name: str, attributes: str) -> bool:
    if name in _VOID:
        return False
    if name in _SILENT or _HIDDEN.search(_QUOTED.sub("", attributes)):
        return True
    style = _STYLE.search(attributes)
    if not style:
        return False
    declarations = declared(next(filter(None, style.groups()), ""))
    return (
        is_out_of_sight(declarations)
        or declarations.get("visibility") in ("hidden", "collapse")
        or bool(is_tiny(declarations.get("font-size", "")))
        or is_clear(declarations.get("color", ""))
    )


def end_of_code(text: str, match: re.Match[str]) -> int:
    """Return the end of inline code that begins with the group "code"; the end of its mark where it is not closed."""
    place = match.end()
    close = re.compile(rf"(?<!`){match['code']}(?!`)").search(text, place, _end_of_paragraph(text, place))
    return close.end() if close else place


def end_of_fence(text: str, match: re.Match[str]) -> int:
    """Return the end of a code fence that begins with the group "fence"; the end of the text where it is not closed."""
    mark = match["fence"]
    close = re.compile(rf"^ {{0,3}}{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$", re.MULTILINE)
    end = close.search(text, match.end())
    return end.end() if end else len(text)


def _end_of_paragraph(text: str, place: int) -> int:
    gap = re.compile(r"\n[ \t]*\n").search(text, place, place + _LONGEST_CODE)
    return gap.start() if gap else min(len(text), place + _LONGEST_CODE)


def _end_of_element(text: str, match: re.Match[str]) -> int:
    """Return the end of an element, pairing nested tags of its name; the end of the text where it is not closed."""
    if match["attributes"].rstrip().endswith("/"):
        return match.end()
    level = 1
    for tag in re.compile(rf"<(/?){match['name']}\b[^<>]{{0,1000}}>", re.IGNORECASE).finditer(
        text, match.end()
    ):
        level += -1 if tag[1] else 1
        if not level:
            return tag.end()
    return len(text)
