"""Raised, lowered and struck text of Markdown, rewritten in as many characters, so that lines and offsets stay."""

from __future__ import annotations

import re
from collections import Counter

from corpus.readers.markdown_unseen import end_of_code, end_of_fence
from corpus.readers.raised_text import lowered, marked, raised, written

_BLANK = "\0"
"""A character in place of each that is gone; it is cleaned away where text is."""

_BEFORE = 40
"""Characters before raised text that tell what it stands at."""

_STEP = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*$"
    r"|(?P<code>`{1,20})(?!`)"
    r"|<(?P<name>sup|sub)>(?P<inner>[^<>\n]{0,200}|<a\s[^<>\n]{1,300}>[^<>\n]{1,20}</a>)</(?P=name)>"
    r"|<(?P<gone>del|s|strike)>[^<]{0,1000}"
    r"(?:</?(?:b|i|em|strong|code|a\b[^<>\n]{0,300})>[^<]{0,1000}){0,6}</(?P=gone)>"
    r"|(?<![~\\])~~(?=[^\s~])(?P<struck>[^\n~]{1,1000}(?:\n(?!\s*\n)[^\n~]{1,1000}){0,5})(?<=\S)~~(?!~)"
    r"|(?<=[^\s^\[\\])\^(?P<up>[^\s^\[\]()$`*_]{1,12})\^(?![\w^])"
    r"|(?<=[A-Za-z)\]])~(?P<down>[0-9+\-−]{1,4}|[a-z]{1,4})~(?!~)",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = re.compile(r"</?a[^<>]{0,300}>", re.IGNORECASE)


def without_marks(text: str) -> tuple[str, Counter[str]]:
    """A text of the same length with `10⁶` for `10^6^` and `<sup>`, and without struck text, which is counted.

    What stands in code stays.
    """
    left_out = Counter[str]()
    parts, done, place = list[str](), 0, 0
    while found := _STEP.search(text, place):
        place = found.end()
        if found["fence"]:
            place = end_of_fence(text, found)
            continue
        if found["code"]:
            place = end_of_code(text, found)
            continue
        near = text[max(done, found.start() - _BEFORE) : found.start()]
        before = "".join([*parts[-3:], near])[-_BEFORE:].replace(_BLANK, "")
        new = _rewritten(found, before.rpartition("\n")[2], left_out)
        if len(new) <= len(found[0]):
            parts += [text[done : found.start()], new, re.sub(r"[^\r\n]", _BLANK, found[0][len(new) :])]
            done = found.end()
    return "".join([*parts, text[done:]]), left_out


def _rewritten(found: re.Match[str], before: str, left_out: Counter[str]) -> str:
    """What stands in place of a mark and its text."""
    if found["struck"] or found["gone"]:
        left_out["deleted passage" if (found["gone"] or "").lower() == "del" else "struck passage"] += 1
        return ""
    if found["up"]:
        return raised(found["up"], before)
    if found["down"]:
        return lowered(found["down"], before)
    inner = _TAG.sub("", found["inner"])
    if found["name"].lower() == "sub":
        return lowered(inner, before)
    is_note = inner != found["inner"]
    return written(before + marked(inner, "note" if is_note else "raised"))[len(before) :]
