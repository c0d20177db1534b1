"""What the styles of a Word document say of its paragraphs: heading levels, captions, tables of contents."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.readers.markup import Node, counted

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)")
_CONTENTS = re.compile(r"toc \d|toc heading|table of figures|table of authorities|index \d")
_DEEPEST = 9
_HUGE = 3_276
"""The largest size of a font, in half points."""

_LARGE = ((2, 32), (3, 28))
"""Level and size in half points of headings that have no style."""


@dataclass(frozen=True, slots=True)
class Style:
    """`numbering` is the list and level that each paragraph of the style has a number of."""

    level: int | None = None
    is_title: bool = False
    is_caption: bool = False
    is_contents: bool = False
    numbering: tuple[str, int] | None = None


PLAIN = Style()


def styles_of(root: Node | None) -> dict[str, Style]:
    """By style id, with what a style inherits."""
    nodes = {} if root is None else {node.get(f"{W}styleId"): node for node in root.iter(f"{W}style")}
    return {key: _style(chain_of(key, nodes)) for key in nodes if key}


def level_of(properties: Node | None) -> int | None:
    """The outline level that paragraph properties set, from 1; None when they set none or say "body text"."""
    node = None if properties is None else properties.find(f"{W}outlineLvl")
    value = "" if node is None else node.get(f"{W}val") or ""
    depth = counted(value, _DEEPEST, _DEEPEST)
    return depth + 1 if depth < _DEEPEST else None


def level_by_looks(paragraph: Node) -> int | None:
    """The level of a short line in large bold letters, by their size; None for any other."""
    sizes = []
    for run in paragraph.iterfind(f"{W}r"):
        words = "".join(text.text or "" for text in run.iterfind(f"{W}t")).strip()
        bold, size = run.find(f"{W}rPr/{W}b"), run.find(f"{W}rPr/{W}sz")
        value = "" if size is None else size.get(f"{W}val") or ""
        if words and (bold is None or bold.get(f"{W}val") in ("0", "false") or not value.isdecimal()):
            return None
        sizes.extend([counted(value, _HUGE)] if words else [])
    for level, smallest in _LARGE:
        if sizes and min(sizes) >= smallest:
            return level
    return None


def numbering_of(properties: Node | None) -> tuple[str, int] | None:
    """The list and the level (from 0) that paragraph properties name."""
    node = None if properties is None else properties.find(f"{W}numPr")
    if node is None:
        return None
    number, level = node.find(f"{W}numId"), node.find(f"{W}ilvl")
    if number is None:
        return None
    depth = "" if level is None else level.get(f"{W}val") or ""
    return number.get(f"{W}val") or "", counted(depth, _DEEPEST, 0)


def chain_of(key: str, nodes: dict[str, Node]) -> list[Node]:
    """The style and those of `nodes`, by id, that it is based on, nearest first."""
    chain: list[Node] = []
    while key in nodes and nodes[key] not in chain and len(chain) < 20:
        chain.append(nodes[key])
        base = nodes[key].find(f"{W}basedOn")
        key = "" if base is None else base.get(f"{W}val") or ""
    return chain


def _style(chain: list[Node]) -> Style:
    names = [_name(node) for node in chain]
    heading = next((found for name in names if (found := _HEADING.fullmatch(name))), None)
    properties = [node.find(f"{W}pPr") for node in chain]
    level = int(heading[1]) if heading else next(filter(None, map(level_of, properties)), None)
    return Style(
        level=level,
        is_title="title" in names,
        is_caption="caption" in names,
        is_contents=any(_CONTENTS.fullmatch(name) for name in names),
        numbering=next(filter(None, map(numbering_of, properties)), None),
    )


def _name(node: Node) -> str:
    name = node.find(f"{W}name")
    return "" if name is None else (name.get(f"{W}val") or "").lower()
