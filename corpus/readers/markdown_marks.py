"""Rewrite raised, lowered and struck text of Markdown in equally many characters, so that offsets stay."""

from __future__ import annotations

import re
from collections import Counter

from corpus.readers.markdown_unseen import BLANK, end_of_code, end_of_fence
from corpus.readers.raised_text import lowered, marked, raised, written

_BEFORE = 40
"""Characters before raised text that decide how it is written."""

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
    """Return a text of equal length with `10⁶` for `10^6^` and `<sup>`, and without struck text, which is counted.

    Code stays as it is.
    """
    left_out = Counter[str]()
    parts, done, place = list[str](), 0, 0
    while match := _STEP.search(text, place):
        place = match.end()
        if match["fence"]:
            place = end_of_fence(text, match)
            continue
        if match["code"]:
            place = end_of_code(text, match)
            continue
        near = text[max(done, match.start() - _BEFORE) : match.start()]
        before = "".join([*parts[-3:], near])[-_BEFORE:].replace(BLANK, "")
        new = _replacement(match, before.rpartition("\n")[2], left_out)
        if len(new) <= len(match[0]):
            parts += [text[done : match.start()], new, re.sub(r"[^\r\n]", BLANK, match[0][len(new) :])]
            done = match.end()
    return "".join([*parts, text[done:]]), left_out


def _replacement(match: re.Match[str], before: str, left_out: Counter[str]) -> str:
    """Return the replacement for a mark and its text."""
    if match["struck"] or match["gone"]:
        left_out["deleted passage" if (match["gone"] or "").lower() == "del" else "struck passage"] += 1
        return ""
    if match["up"]:
        return raised(match["up"], before)
    if match["down"]:
        return lowered(match["down"], before)
    inner = _TAG.sub("", match["inner"])
    if match["name"].lower() == "sub":
        return lowered(inner, before)
    is_note = inner != match["inner"]
    return written(before + marked(inner, "note" if is_note else "raised"))[len(before) :]
