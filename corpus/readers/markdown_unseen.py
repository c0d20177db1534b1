"""What a Markdown text holds and its readers do not see: comments, and elements of HTML that are hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.readers.web.declarations import declared, is_clear, is_out_of_sight, is_tiny

_BLANK = "\0"
"""A character in place of each that is hidden, so that lines and offsets stay; it is cleaned away where text is."""

_STEP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*$"
    r"|(?P<code>`{1,20})(?!`)"
    r"|(?P<comment><!--)"
    r"|^ {0,3}\[(?://|comment|_?metadata_?)?\]:[ \t]*(?:#|<>)[^\n]*$"
    r"|<(?P<name>[a-z][a-z0-9-]{0,20})(?P<said>(?:\s[^<>]{0,1000})?)>",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_CODE = 2_000
"""Characters within a line of text; more would let a hostile one take its time."""

_SILENT = {"script", "style", "template"}
_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_STYLE = re.compile(r"\bstyle\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?:\s|=|/|$)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,1100}>", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|[\r\n]) {0,3}$")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def without_unseen(text: str) -> tuple[str, int]:
    """A text of the same length without it, and how many passages that were. What code shows as code stays."""
    parts, count, start = list[str](), 0, 0
    for first, last in _spans(text):
        said = text[first:last]
        count += bool(re.search(r"\w", _TAG.sub("", said)))
        parts += [text[start:first], re.sub(r"[^\r\n]", _BLANK, said)]
        start = last
    return "".join([*parts, text[start:]]), count


def _spans(text: str) -> Iterator[tuple[int, int]]:
    place, is_closed = 0, True
    while found := _STEP.search(text, place):
        place = found.end()
        if found["fence"]:
            place = end_of_fence(text, found)
        elif found["code"]:
            place = end_of_code(text, found)
        elif found["comment"]:
            close_at = text.find("-->", place) if is_closed else -1
            is_closed = close_at >= 0
            if not is_closed and not _LINE_START.search(text[max(0, found.start() - 4) : found.start()]):
                continue  # in the midst of a line it is text
            place = close_at + 3 if is_closed else len(text)
            yield found.start(), place
        elif not found["name"]:
            yield found.start(), place
        elif _is_unseen(found["name"].lower(), found["said"]):
            place = _end_of_element(text, found)
            yield found.start(), place


def _is_unseen(name: str, attributes: str) -> bool:
    if name in _VOID:
        return False
    if name in _SILENT or _HIDDEN.search(_QUOTED.sub("", attributes)):
        return True
    style = _STYLE.search(attributes)
    if not style:
        return False
    said = declared(next(filter(None, style.groups()), ""))
    return (
        is_out_of_sight(said)
        or said.get("visibility") in ("hidden", "collapse")
        or bool(is_tiny(said.get("font-size", "")))
        or is_clear(said.get("color", ""))
    )


def end_of_code(text: str, found: re.Match[str]) -> int:
    """Where code within a line ends, which begins with the group "code"; behind the mark where it has no end."""
    place = found.end()
    close = re.compile(rf"(?<!`){found['code']}(?!`)").search(text, place, _end_of_paragraph(text, place))
    return close.end() if close else place


def end_of_fence(text: str, found: re.Match[str]) -> int:
    """Where a code fence ends, which begins with the group "fence"; at the end of the text where it has no end."""
    mark = found["fence"]
    close = re.compile(rf"^ {{0,3}}{re.escape(mark)}{re.escape(mark[0])}*[ \t]*$", re.MULTILINE)
    end = close.search(text, found.end())
    return end.end() if end else len(text)


def _end_of_paragraph(text: str, place: int) -> int:
    gap = re.compile(r"\n[ \t]*\n").search(text, place, place + _LONGEST_CODE)
    return gap.start() if gap else min(len(text), place + _LONGEST_CODE)


def _end_of_element(text: str, found: re.Match[str]) -> int:
    """Behind its end tag, those of the same name within it being paired; at the end of the text where it has none."""
    if found["said"].rstrip().endswith("/"):
        return found.end()
    level = 1
    for tag in re.compile(rf"<(/?){found['name']}\b[^<>]{{0,1000}}>", re.IGNORECASE).finditer(
        text, found.end()
    ):
        level += -1 if tag[1] else 1
        if not level:
            return tag.end()
    return len(text)
