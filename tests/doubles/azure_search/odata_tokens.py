"""Tokens of a filter. Each token has its end position, because the service reports it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<space>\s+)
    | (?P<string>'(?:[^']|'')*')
    | (?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)(?!\w))
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|-INF\b)
    | (?P<word>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
    | (?P<mark>[(),:/])
    """,
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True)
class Token:
    kind: str
    """string, moment, number, word or mark; `end` after the last token; `bad` if no token can be read"""
    text: str
    end: int


def tokens_of(text: str) -> list[Token]:
    """Return all tokens up to the end, or up to the first invalid position, which is then the last token."""
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if not found:
            return [*tokens, Token("bad", text[place:], len(text))]
        place = found.end()
        if found.lastgroup and found.lastgroup != "space":
            tokens.append(Token(found.lastgroup, found.group(), place))
    return [*tokens, Token("end", "", len(text))]
