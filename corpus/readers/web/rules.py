"""Rules of a page's own style sheets with simple selectors: element names, classes, ids.

Rules under a condition (a medium, a state, an ancestor) are not applied, and cancel what a simple rule hides: a
reader can make it visible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from corpus.readers.markup import Node, name_of
from corpus.readers.web.declarations import Declared, declared

_MOST_LETTERS = 1_000_000
"""Characters of a style sheet that are parsed."""
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|<!--|-->", re.DOTALL)
_PARTS = re.compile(r"(?<![^{};])[^{};]*+[{};]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]*|\*)?((?:[.#][\w-]{1,100})*)", re.IGNORECASE)
_NAMES = re.compile(r"[.#][\w-]{1,100}")
_HIDING = ("display", "visibility", "opacity")


@dataclass(frozen=True, slots=True)
class _Rule:
    """`names` are classes and ids, with their `.` and `#`. `order` is CSS specificity, then position."""

    element: str
    names: frozenset[str]
    style: Declared
    order: tuple[int, int, int, int]


@dataclass(slots=True)
class Rules:
    """`of` returns an element's declarations. `colours_elsewhere`: some backgrounds are unknown."""

    colours_elsewhere: bool = False
    _by_key: dict[str, list[_Rule]] = field(default_factory=lambda: defaultdict(list))
    _conditional_names: set[str] = field(default_factory=set)

    def of(self, node: Node) -> Declared:
        """Return the declarations of all matching rules, the strongest last."""
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
        style: Declared = {}
        for rule in sorted(fitting, key=lambda rule: rule.order):
            is_conditional = bool(rule.names & self._conditional_names)
            style |= {
                key: value for key, value in rule.style.items() if not (is_conditional and key in _HIDING)
            }
        return style

    def take(self, sheet: str) -> None:
        """Add the rules of a style sheet."""
        for selectors, style in _parts_of(sheet[:_MOST_LETTERS]):
            self._add(selectors, style)

    def _add(self, selectors: str, style: Declared) -> None:
        for selector in map(str.strip, selectors.split(",")):
            simple = _SIMPLE.fullmatch(selector)
            if not simple or not selector:
                self.colours_elsewhere |= any(key.startswith("background") for key in style)
                if any(style.get(key, "none") not in ("none", "hidden", "0") for key in _HIDING):
                    self._conditional_names.update(_NAMES.findall(re.split(r"[\s>+~]", selector)[-1]))
                continue
            names = frozenset(_NAMES.findall(simple[2]))
            element = (simple[1] or "").lower()
            ids = sum(name.startswith("#") for name in names)
            order = (ids, len(names) - ids, bool(element), sum(map(len, self._by_key.values())))
            self._by_key[min(names, default=element)].append(_Rule(element, names, style, order))


@lru_cache(maxsize=16)  # the pages of a book share their sheets
def _parts_of(sheet: str) -> tuple[tuple[str, Declared], ...]:
    """Split a sheet into selectors and declarations."""
    parts = list[tuple[str, Declared]]()
    depth, selector, body = 0, "", ""
    for match in _PARTS.finditer(_COMMENT.sub("", sheet)):
        part, end = match[0][:-1], match[0][-1]
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
    """Return the rules of the page's own sheets; external ones are not fetched."""
    rules = Rules()
    rules.colours_elsewhere = any(
        "stylesheet" in (link.get("rel") or "").lower() for link in root.iter("link")
    )
    for sheet in root.iter("style"):
        if (sheet.get("media") or "all").lower() in ("all", "screen"):
            rules.take(sheet.text_content() if hasattr(sheet, "text_content") else sheet.text or "")
    return rules
