"""Styles of a Word document: heading levels, captions, tables of contents, text formatting."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.readers.markup import Node, name_of, parse_count
from corpus.readers.typography import Position, is_code_style, is_monospaced

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)")
_CONTENTS = re.compile(r"toc \d|toc heading|table of figures|table of authorities|index \d")
_BODY_LEVEL = 9
"""Outline level that marks body text."""
_MAX_FONT_SIZE = 3_276
"""Maximum font size, in half points."""

_LARGE = ((2, 32), (3, 28))
"""Heading levels of text without a heading style, each with its minimum font size in half points: 16 and 14 points,
clearly larger than body text."""


_RAISE = 4
"""Minimum shift, in half points, of raised or lowered text. Smaller shifts only align it."""

_OFF = ("0", "false", "off")
_POSITIONS: dict[str, Position] = {"superscript": "raised", "subscript": "lowered"}


@dataclass(frozen=True, slots=True)
class Look:
    """Formatting of text. A field is None, or empty for the font, if it is not set."""

    position: Position | None = None
    is_struck: bool | None = None
    font: str = ""
    is_baseline: bool = False
    """Whether it cancels raised or lowered text set by underlying formatting."""

    def over(self, below: Look) -> Look:
        """Return this formatting, with unset fields taken from the formatting `below`."""
        return Look(
            self.position if self.position or self.is_baseline else below.position,
            below.is_struck if self.is_struck is None else self.is_struck,
            self.font or below.font,
        )


PLAIN_LOOK = Look()


@dataclass(frozen=True, slots=True)
class Style:
    """The relevant properties of a style. `numbering` is the list and level of its paragraphs."""

    level: int | None = None
    is_title: bool = False
    is_caption: bool = False
    is_contents: bool = False
    numbering: tuple[str, int] | None = None
    is_code: bool = False
    look: Look = PLAIN_LOOK


PLAIN = Style()


def styles_of(root: Node | None) -> dict[str, Style]:
    """Return all styles, keyed by id, with their inherited properties."""
    nodes = {} if root is None else {node.get(f"{W}styleId"): node for node in root.iter(f"{W}style")}
    return {key: _style(chain_of(key, nodes)) for key in nodes if key}


def look_of(properties: Node) -> Look:
    """Return the formatting set by run properties."""
    position: Position | None = None
    struck: bool | None = None
    font, is_baseline = "", False
    for each in properties:
        value = each.get(f"{W}val") or ""
        match name_of(each):
            case "vertAlign":
                position, is_baseline = _POSITIONS.get(value), value == "baseline"
            case "position" if not position and value.lstrip("-").isdecimal():
                moved = parse_count(value.lstrip("-"), _MAX_FONT_SIZE) >= _RAISE
                position = ("lowered" if value.startswith("-") else "raised") if moved else None
            case "strike" | "dstrike":
                struck = bool(struck) or value not in _OFF
            case "rFonts":
                font = each.get(f"{W}ascii") or each.get(f"{W}hAnsi") or ""
    return Look(position, struck, font, is_baseline)


def is_typewritten(root: Node | None) -> bool:
    """Return whether the default font of the document is monospaced, so that a monospaced font does not indicate
    code."""
    if root is None:
        return False
    default = [each for each in root.iter(f"{W}style") if each.get(f"{W}default") in ("1", "true")]
    fonts = [*root.iterfind(f"{W}docDefaults//{W}rFonts")]
    fonts += [
        font
        for style in default
        if style.get(f"{W}type") == "paragraph"
        for font in style.iterfind(f"{W}rPr/{W}rFonts")
    ]
    return bool(fonts) and is_monospaced(fonts[-1].get(f"{W}ascii"))


def level_of(properties: Node | None) -> int | None:
    """Return the outline level (1-based) set by paragraph properties, or None for body text."""
    node = None if properties is None else properties.find(f"{W}outlineLvl")
    value = "" if node is None else node.get(f"{W}val") or ""
    depth = parse_count(value, _BODY_LEVEL, _BODY_LEVEL)
    return depth + 1 if depth < _BODY_LEVEL else None


def level_by_looks(paragraph: Node) -> int | None:
    """Return the level of a short line in large bold type, by its font size; None for any other line."""
    sizes = []
    for run in paragraph.iterfind(f"{W}r"):
        words = "".join(text.text or "" for text in run.iterfind(f"{W}t")).strip()
        bold, size = run.find(f"{W}rPr/{W}b"), run.find(f"{W}rPr/{W}sz")
        value = "" if size is None else size.get(f"{W}val") or ""
        if words and (bold is None or bold.get(f"{W}val") in ("0", "false") or not value.isdecimal()):
            return None
        sizes.extend([parse_count(value, _MAX_FONT_SIZE)] if words else [])
    for level, smallest in _LARGE:
        if sizes and min(sizes) >= smallest:
            return level
    return None


def numbering_of(properties: Node | None) -> tuple[str, int] | None:
    """Return the list and level (0-based) set by paragraph properties."""
    node = None if properties is None else properties.find(f"{W}numPr")
    if node is None:
        return None
    number, level = node.find(f"{W}numId"), node.find(f"{W}ilvl")
    if number is None:
        return None
    depth = "" if level is None else level.get(f"{W}val") or ""
    return number.get(f"{W}val") or "", parse_count(depth, _BODY_LEVEL, 0)


def chain_of(key: str, nodes: dict[str, Node]) -> list[Node]:
    """Return a style and its ancestors in `nodes`, nearest first."""
    chain: list[Node] = []
    while key in nodes and nodes[key] not in chain and len(chain) < 20:
        chain.append(nodes[key])
        base = nodes[key].find(f"{W}basedOn")
        key = "" if base is None else base.get(f"{W}val") or ""
    return chain


def _style(chain: list[Node]) -> Style:
    names = [_name(node) for node in chain]
    heading = next((match for name in names if (match := _HEADING.fullmatch(name))), None)
    properties = [node.find(f"{W}pPr") for node in chain]
    level = int(heading[1]) if heading else next(filter(None, map(level_of, properties)), None)
    return Style(
        level=level,
        is_title="title" in names,
        is_caption="caption" in names,
        is_contents=any(_CONTENTS.fullmatch(name) for name in names),
        numbering=next(filter(None, map(numbering_of, properties)), None),
        is_code=any(map(is_code_style, names)),
        look=_look(chain),
    )


def _look(chain: list[Node]) -> Look:
    look = PLAIN_LOOK
    for node in reversed(chain):
        properties = node.find(f"{W}rPr")
        look = look if properties is None else look_of(properties).over(look)
    return look


def _name(node: Node) -> str:
    name = node.find(f"{W}name")
    return "" if name is None else (name.get(f"{W}val") or "").lower()
