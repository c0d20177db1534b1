"""The simple query syntax: words, +, |, -, "phrases", prefix*, ( ), and \\ before a literal character.

Nothing is a syntax error: a single quote or parenthesis without its partner is ignored. Operators have no precedence
and apply from left to right.
"""

from __future__ import annotations

from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.text_query import Combined, Everything, Phrase, Prefix, Query, Words

_ENDS = frozenset('"|+()')
_MAX_NESTING = 100


def parse_simple(text: str, *, every: bool) -> Query | None:
    """Return the query; None if it contains nothing to search for."""
    return _Simple(text, "must" if every else "should").group(0, len(text))


class _Simple:
    def __init__(self, text: str, default: str) -> None:
        self._text = text
        self._default = default
        self._closing = _closing(text)

    def group(self, place: int, end: int) -> Query | None:
        top: Query | None = None
        joiner: str | None = None
        last: str | None = None
        negated = False
        while place < end:
            letter = self._text[place]
            if letter == "-":
                negated, place = not negated, place + 1
                continue
            if letter in "+|":
                joiner = joiner or ({"+": "must", "|": "should"}[letter] if top is not None else None)
            if letter in "+|)" or letter.isspace():
                negated, place = False, place + 1
                continue
            branch, place = self._branch(place, end)
            if branch is None:
                negated = False
                continue
            branch = Combined(should=(Everything(),), must_not=(branch,)) if negated else branch
            used = joiner or self._default
            top = branch if top is None else _joined(top, branch, used, goes_on=last == used)
            last = used if top is not branch else None
            joiner, negated = None, False
        return top

    def _branch(self, place: int, end: int) -> tuple[Query | None, int]:
        letter = self._text[place]
        if letter == "(":
            close = self._closing.get(place)
            return (None, place + 1) if close is None else (self.group(place + 1, close), close + 1)
        if letter == '"':
            close = self._find('"', place + 1, end)
            if close is None:
                return None, place + 1
            return Phrase(_unescaped(self._text[place + 1 : close])), close + 1
        return self._word(place, end)

    def _word(self, place: int, end: int) -> tuple[Query | None, int]:
        letters: list[str] = []
        starred = False
        while place < end and not ((letter := self._text[place]) in _ENDS or letter.isspace()):
            starred = letter == "*"
            if letter == "\\" and place + 1 < end:
                place += 1
                letter = self._text[place]
            letters.append(letter)
            place += 1
        word = "".join(letters)
        if starred:
            return (Prefix(word[:-1]) if word != "*" else Everything()), place
        return Words(word), place

    def _find(self, wanted: str, place: int, end: int) -> int | None:
        while place < end and self._text[place] != wanted:
            place += 2 if self._text[place] == "\\" else 1
        return place if place < end else None


def _closing(text: str) -> dict[int, int]:
    """Return the position of the closing parenthesis for each opening one."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    place = 0
    while place < len(text):
        if text[place] == "(":
            opened.append(place)
        elif text[place] == ")" and opened:
            pairs[opened.pop()] = place
        if len(opened) > _MAX_NESTING:
            raise bad_parameter("The search text is nested too deeply.", "search")
        place += 2 if text[place] == "\\" else 1
    return pairs


def _joined(top: Query, branch: Query, how: str, *, goes_on: bool) -> Query:
    before = (top,)
    if goes_on and isinstance(top, Combined):
        before = top.must if how == "must" else top.should  # type: ignore[assignment]
    parts = (*before, branch)
    return Combined(must=parts) if how == "must" else Combined(should=parts)


def _unescaped(text: str) -> str:
    letters = iter(text)
    return "".join(next(letters, "") if letter == "\\" else letter for letter in letters)
