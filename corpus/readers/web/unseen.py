"""Remove hidden elements from a page's tree, so that no heading, cell or caption contains their text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from corpus.readers.markup import Node, name_of
from corpus.readers.web.declarations import (
    Colour,
    Declared,
    are_alike,
    colour_of,
    declared,
    is_clear,
    is_out_of_sight,
    is_tiny,
)
from corpus.readers.web.inline import DELETED, form_text, is_struck, name_by_looks, say_instead, written_out
from corpus.readers.web.rules import Rules, rules_of

SILENT = {
    "script", "style", "template", "noscript", "head", "nav", "iframe", "object", "embed", "canvas", "svg", "button",
    "select", "input", "textarea", "dialog", "audio", "video", "map", "rt", "rp",
}  # fmt: skip
"""Elements that are no page text, or none that a reader sees there."""

_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Look:
    """How text looks within an element. A colour is None where it is unknown."""

    is_invisible: bool = False
    is_tiny: bool = False
    is_clear: bool = False
    colour: Colour | None = _BLACK
    ground: Colour | None = _WHITE

    @property
    def is_unseen(self) -> bool:
        """Whether text of this look is invisible."""
        alike = self.colour is not None and self.ground is not None and are_alike(self.colour, self.ground)
        return self.is_invisible or self.is_tiny or self.is_clear or alike


def without_unseen(root: Node, left_out: Counter[str]) -> int:
    """Remove hidden elements and return how many passages had text. Elements that are no page text are not counted.

    Struck and deleted text is removed too and counted in `left_out`. Form fields become their values.
    """
    rules = rules_of(root)
    waiting: list[tuple[Node, _Look]] = [(root, _Look(ground=None if rules.colours_elsewhere else _WHITE))]
    dropped: list[Node] = []
    count = 0
    while waiting:
        node, around = waiting.pop()
        style = _style_of(node, rules)
        look = _look(node, style, around)
        if look.is_unseen:
            count += _empty(node)
        for child in node:
            if not isinstance(child.tag, str) or (name_of(child) in SILENT and not form_text(child)):
                if name_of(child) == "svg" and any(
                    (text.text or "").strip() for text in child.iter("text", "tspan")
                ):
                    left_out["drawing"] += 1
                elif name_of(child) == "textarea" and child.text_content().strip():
                    left_out["form field"] += 1
                dropped.append(child)
                continue
            child_style = _style_of(child, rules)
            if _is_hidden(child) or is_out_of_sight(child_style):
                count += bool("".join(child.itertext()).strip()) and name_of(child) not in SILENT
                dropped.append(child)
            elif name_of(child) in DELETED or is_struck(child_style):
                if "".join(child.itertext()).strip():
                    left_out[DELETED.get(name_of(child), "struck passage")] += 1
                dropped.append(child)
            else:
                if text := form_text(child):
                    say_instead(child, text)
                name_by_looks(child, child_style)
                waiting.append((child, look))
    for node in dropped:
        _drop(node)
    written_out(root)
    return count


def _style_of(node: Node, rules: Rules) -> Declared:
    return rules.of(node) | declared(node.get("style") or "")


def _is_hidden(node: Node) -> bool:
    return node.get("hidden") is not None or (node.get("aria-hidden") == "true" and not len(node))


def _look(node: Node, style: Declared, around: _Look) -> _Look:
    look = around
    if visibility := style.get("visibility"):
        look = replace(look, is_invisible=visibility in ("hidden", "collapse"))
    if (tiny := is_tiny(style.get("font-size", ""))) is not None:
        look = replace(look, is_tiny=tiny)
    if colour := style.get("color") or (node.get("color") or node.get("text") or "").strip().lower():
        if colour not in ("inherit", "currentcolor"):
            look = replace(look, colour=colour_of(colour), is_clear=is_clear(colour))
    elif name_of(node) in ("a", "mark"):
        look = replace(look, colour=None, is_clear=False)
    return _grounded(node, style, look)


def _grounded(node: Node, style: Declared, look: _Look) -> _Look:
    ground = style.get("background-color") or style.get("background") or (node.get("bgcolor") or "").lower()
    if style.get("background-image", "none") != "none" or node.get("background"):
        return replace(look, ground=None)
    if not ground or ground in ("none", "inherit", "initial", "unset") or is_clear(ground):
        return look
    return replace(look, ground=colour_of(ground))


def _empty(node: Node) -> bool:
    """Remove the element's own words; its children may look different."""
    parts = [node.text, *(child.tail for child in node)]
    node.text = None
    for child in node:
        child.tail = " " if child.tail else None
    return any(part and part.strip() for part in parts)


def _drop(node: Node) -> None:
    """Remove an element and keep the text after it."""
    parent, before = node.getparent(), node.getprevious()
    if parent is None:
        return
    tail = node.tail or ""
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(node)
