"""The first pass over a filter: its syntax only, without names and types."""

from __future__ import annotations

from tests.doubles.azure_search.errors import bad_filter
from tests.doubles.azure_search.odata_nodes import (
    Call,
    Compared,
    Constant,
    Joined,
    Negated,
    Node,
    Path,
    Quantified,
)
from tests.doubles.azure_search.odata_tokens import Token, tokens_of

MAX_NESTING = 100
MAX_CHAIN = 400
COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")
_CONSTANT_WORDS = ("true", "false", "null", "NaN", "INF")


def parse(text: str) -> Node:
    """Return the filter as a tree. Refuse an invalid filter with the end of the first token that is not allowed at its
    position."""
    parser = _Parser(text)
    tree = parser.either(0)
    if parser.next.kind != "end":
        raise parser.error()
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._place = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._place]

    def error(self) -> Exception:
        return bad_filter(f"Syntax error at position {self.next.end} in '{self._text}'.")

    def either(self, depth: int) -> Node:
        return self._joined("or", depth)

    def _joined(self, operator: str, depth: int) -> Node:
        parts = [self._part(operator, depth)]
        while self._takes("word", operator):
            parts.append(self._part(operator, depth))
            if len(parts) > MAX_CHAIN:
                raise _too_deep()
        return parts[0] if len(parts) == 1 else Joined(operator, tuple(parts))

    def _part(self, operator: str, depth: int) -> Node:
        return self._joined("and", depth) if operator == "or" else self._comparison(depth)

    def _comparison(self, depth: int) -> Node:
        left = self._unary(depth)
        if self.next.kind != "word" or self.next.text not in COMPARISONS:
            return left
        operator = self._take("word")
        return Compared(left, operator, self._unary(depth))

    def _unary(self, depth: int) -> Node:
        if depth > MAX_NESTING:
            raise _too_deep()
        # "not" binds tighter than a comparison: "not x gt 5" is "(not x) gt 5", which the second pass refuses.
        if self._takes("word", "not"):
            return Negated(self._unary(depth + 1))
        if self._takes("mark", "("):
            inner = self.either(depth + 1)
            self._take("mark", ")")
            return inner
        return self._word(depth) if self.next.kind == "word" else self._constant()

    def _constant(self) -> Node:
        kind = self.next.kind
        if kind not in ("string", "moment", "number"):
            raise self.error()
        text = self._take(kind)
        return Constant(kind, text[1:-1].replace("''", "'") if kind == "string" else text)

    def _word(self, depth: int) -> Node:
        name = self._take("word")
        if name in _CONSTANT_WORDS:
            return Constant("word", name)
        if self._takes("mark", "("):
            return Call(name, self._arguments(depth))
        while self._takes("mark", "/"):
            step = self._take("word")
            if step in ("any", "all") and self._takes("mark", "("):
                return self._quantified(name, step == "all", depth)
            name += "/" + step
        return Path(name)

    def _arguments(self, depth: int) -> tuple[Node, ...]:
        found = [self.either(depth + 1)]
        while self._takes("mark", ","):
            found.append(self.either(depth + 1))
        self._take("mark", ")")
        return tuple(found)

    def _quantified(self, path: str, every: bool, depth: int) -> Node:
        if not every and self._takes("mark", ")"):
            return Quantified(path, every, None, None)
        variable = self._take("word")
        self._take("mark", ":")
        body = self.either(depth + 1)
        self._take("mark", ")")
        return Quantified(path, every, variable, body)

    def _takes(self, kind: str, text: str) -> bool:
        if (self.next.kind, self.next.text) != (kind, text):
            return False
        self._place += 1
        return True

    def _take(self, kind: str, text: str | None = None) -> str:
        token = self.next
        if token.kind != kind or (text is not None and token.text != text):
            raise self.error()
        self._place += 1
        return token.text


def _too_deep() -> Exception:
    return bad_filter("Recursion depth exceeded allowed limit.")
