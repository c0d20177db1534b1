"""Tokens of the full query syntax."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_FIRST = r"(?:\\.|[^\s+\-!(){}\[\]^\"~:\\/])"
_WORD = rf"{_FIRST}(?:{_FIRST}|[+\-])*"
_ALONE = r"(?=[\s()!\"/]|$)"
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<and>(?:AND|&&){_ALONE})
    | (?P<or>(?:OR|\|\|){_ALONE})
    | (?P<not>NOT{_ALONE}|!)
    | (?P<sign>[+\-])
    | (?P<group>[()])
    | (?P<phrase>"(?:\\.|[^"\\])*")
    | (?P<regex>/(?:\\/|[^/])*/)
    | (?P<boost>\^\d+(?:\.\d+)?)
    | (?P<fuzzy>~(?:\d+(?:\.\d+)?)?)
    | (?P<field>[A-Za-z_]\w*(?:/\w+)*:)
    | (?P<word>{_WORD})
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENERS = '"/'


@dataclass(frozen=True)
class Token:
    kind: str
    """word, prefix, wildcard, phrase, regex, field, boost, fuzzy, ( ) + - AND OR NOT or end"""
    text: str
    start: int


def full_tokens(text: str, refused: Callable[[int], Exception]) -> list[Token]:
    """Return all tokens and `end`. `refused` creates the error for a position where no token can be read."""
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if not found:
            # At the end of the text, report an expression that was opened and never closed.
            raise refused(len(text) + 1 if text[place] in _OPENERS else place)
        if found.lastgroup != "space":
            tokens.append(_token(found, refused))
        place = found.end()
    return [*tokens, Token("end", "", len(text))]


def _token(found: re.Match[str], refused: Callable[[int], Exception]) -> Token:
    kind, text, start = found.lastgroup or "", found.group(), found.start()
    match kind:
        case "and" | "or" | "not":
            return Token(kind.upper(), text, start)
        case "sign" | "group":
            return Token(text, text, start)
        case "phrase":
            return Token(kind, _unescaped(text[1:-1]), start)
        case "regex":
            return Token(kind, text[1:-1].replace("\\/", "/"), start)
        case "field":
            return Token(kind, text[:-1], start)
        case "boost" | "fuzzy":
            return Token(kind, text[1:], start)
    return _word(text, start, refused)


def _word(text: str, start: int, refused: Callable[[int], Exception]) -> Token:
    bare = re.sub(r"\\.", "_", text)
    if bare[0] in "*?" and bare != "*":
        raise refused(start)
    if "?" in bare or "*" in bare[:-1]:
        return Token("wildcard", text, start)
    if bare.endswith("*"):
        return Token("prefix", _unescaped(text[:-1]), start)
    return Token("word", _unescaped(text), start)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
