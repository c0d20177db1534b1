"""The inside of a paragraph: what a reader sees of its text, and the objects that hang on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from corpus.readers.markup import Node, counted, name_of
from corpus.readers.office.word.styles import W

_LEFT_OUT = {"del", "moveFrom", "instrText", "delText", "rPr", "pPr", "annotationRef", "sdtPr", "ruby"}
_OBJECTS = {"drawing", "pict", "object"}
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_TINY = 4
"""Half points."""


@dataclass(slots=True)
class Inside:
    """Text as shown, objects and notes in their order. `unseen` counts runs that nobody would see."""

    text: str = ""
    objects: list[Node] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unseen: int = 0


def inside(paragraph: Node, *, on_white: bool) -> Inside:
    """`on_white` tells whether white letters would be invisible there."""
    found = Inside()
    parts: list[str] = []
    _collect(paragraph, parts, found, on_white)
    found.text = "".join(parts).strip()
    return found


def _collect(node: Node, parts: list[str], found: Inside, on_white: bool) -> None:
    for child in node:
        name = name_of(child)
        if name == "t":
            parts.append(child.text or "")
        elif name == "r" and _is_unseen(child, on_white):
            found.unseen += any(text.text and text.text.strip() for text in child.iter(f"{W}t"))
        elif name in _BREAKS:
            parts.append("" if child.get(f"{W}type") == "page" else _BREAKS[name])
        elif name in _OBJECTS:
            found.objects.append(child)
        elif name == "AlternateContent":
            _collect(_alternative(child), parts, found, on_white)
        elif name in ("footnoteReference", "endnoteReference"):
            found.notes.append((name[: -len("Reference")], child.get(f"{W}id") or ""))
        elif name == "ruby":
            parts.append("".join(text.text or "" for text in child.iterfind(f"{W}rubyBase//{W}t")))
        elif name not in _LEFT_OUT and len(child):
            _collect(child, parts, found, on_white)


def _alternative(node: Node) -> Node:
    """The first choice, which newer programs show; older ones fall back to a copy of the same."""
    return next(iter(node), node)


def _is_unseen(run: Node, on_white: bool) -> bool:
    properties = run.find(f"{W}rPr")
    if properties is None:
        return False
    return any(_hides(each, properties, on_white) for each in properties)


def _hides(each: Node, properties: Node, on_white: bool) -> bool:
    value = each.get(f"{W}val") or ""
    match name_of(each):
        case "vanish":
            return value not in ("0", "false", "off")
        case "color":
            on_colour = properties.find(f"{W}shd") is not None or properties.find(f"{W}highlight") is not None
            return on_white and not on_colour and value.upper() == "FFFFFF"
        case "sz":
            return value.isdecimal() and counted(value, _TINY + 1) <= _TINY
    return False


def text_boxes(drawing: Node) -> Iterator[Node]:
    """The contents of text boxes in a drawing, outermost only."""
    for child in drawing:
        if name_of(child) == "txbxContent":
            yield child
        elif name_of(child) == "AlternateContent":
            yield from text_boxes(_alternative(child))
        else:
            yield from text_boxes(child)
