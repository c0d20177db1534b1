"""The rules of a page's own style sheets, those with simple selectors: names of elements, classes, ids.

What holds under a condition alone (a medium, a state, a place in the page) is not applied, and takes back what a simple
rule hides: a reader can have it shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from corpus.readers.markup import Node, name_of
from corpus.readers.web.declarations import Declared, declared

_MOST_LETTERS = 1_000_000
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|<!--|-->", re.DOTALL)
_PARTS = re.compile(r"(?<![^{};])[^{};]*+[{};]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]{1,100})*)", re.IGNORECASE)
_NAMES = re.compile(r"[.#][\w-]{1,100}")
_HIDING = ("display", "visibility", "opacity")


@dataclass(frozen=True, slots=True)
class _Rule:
    """`names` are classes and ids with their marks."""

    element: str
    names: frozenset[str]
    said: Declared
    order: tuple[int, int, int, int]


@dataclass(slots=True)
class Rules:
    """Asked for an element, they give what they say of it. `colours_elsewhere`: there may be grounds unknown here."""

    colours_elsewhere: bool = False
    _by_key: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    _shown: set[str] = field(default_factory=set)

    def of(self, node: Node) -> Declared:
        """The declarations of all rules that fit, the strongest last."""
        if not self._by_key:
            return {}
        name = name_of(node).lower()
        names = {f".{each}" for each in (node.get("class") or "").split()}
        names |= {f"#{node.get('id')}"} if node.get("id") else set()
        fitting = [
            rule
            for key in (name, "*", *names)
            for rule in self._by_key.get(key, ())
            if rule.names <= names and rule.element in ("", "*", name)
        ]
        said: Declared = {}
        for rule in sorted(fitting, key=lambda rule: rule.order):
            is_conditional = bool(rule.names & self._shown)
            said |= {
                key: value for key, value in rule.said.items() if not (is_conditional and key in _HIDING)
            }
        return said

    def take(self, sheet: str) -> None:
        """Adds those of a style sheet."""
        for selectors, said in _parts_of(sheet[:_MOST_LETTERS]):
            self._add(selectors, said)

    def _add(self, selectors: str, said: Declared) -> None:
        for selector in map(str.strip, selectors.split(",")):
            simple = _SIMPLE.fullmatch(selector)
            if not simple or not selector:
                self.colours_elsewhere |= any(key.startswith("background") for key in said)
                if any(said.get(key, "none") not in ("none", "hidden", "0") for key in _HIDING):
                    self._shown.update(_NAMES.findall(re.split(r"[\s>+~]", selector)[-1]))
                continue
            names = frozenset(_NAMES.findall(simple[2]))
            element = (simple[1] or "").lower()
            ids = sum(name.startswith("#") for name in names)
            order = (ids, len(names) - ids, bool(element), sum(map(len, self._by_key.values())))
            self._by_key[min(names, default=element)].append(_Rule(element, names, said, order))


@lru_cache(maxsize=16)  # the pages of a book share their sheets
def _parts_of(sheet: str) -> tuple[tuple[str, Declared], ...]:
    """Selectors and what they say."""
    parts = list[tuple[str, Declared]]()
    depth, selector, body = 0, "", ""
    for found in _PARTS.finditer(_COMMENT.sub("", sheet)):
        part, end = found[0][:-1], found[0][-1]
        if end == "{":
            depth += 1
            selector, body = (part.strip(), "") if depth == 1 else (selector, "")
        elif end == "}":
            if depth == 1 and not selector.startswith("@"):
                parts.append((selector, declared(body + part)))
            depth, body = max(0, depth - 1), ""
        elif depth:
            body += part + ";"
    return tuple(parts)


def rules_of(root: Node) -> Rules:
    """Those of the page's own sheets; sheets elsewhere are not fetched."""
    rules = Rules()
    rules.colours_elsewhere = any(
        "stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link")
    )
    for sheet in root.iter("style"):
        if (sheet.get("media") or "all").lower() in ("all", "screen"):
            rules.take(sheet.text_content() if hasattr(sheet, "text_content") else sheet.text or "")
    return rules
