"""The inside of a paragraph: what a reader sees of its text, and the objects that hang on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from corpus.readers.fonts import is_monospaced
from corpus.readers.formulas import EQUATION_FIELD, omml_text
from corpus.readers.markup import Node, counted, name_of
from corpus.readers.office.word.styles import LOOKS_PLAIN, Look, Style, W, look_of
from corpus.readers.raised_text import marked, without_marks, written
from corpus.readers.symbol_fonts import in_symbol_font

_LEFT_OUT = {"moveFrom", "instrText", "delText", "rPr", "pPr", "annotationRef", "sdtPr"}
_OBJECTS = {"drawing", "pict", "object"}
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_TINY = 4
"""Half points."""

_PRIVATE = range(0xE000, 0xF900)


@dataclass(slots=True)
class Inside:
    """Text as shown, objects, notes and comments in their order. `unseen` counts runs that nobody would see."""

    text: str = ""
    objects: list[Node] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    unseen: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    is_monospaced: bool = False
    """Whether all of its words are."""


class Runs:
    """`styles` are those of the document, by id."""

    def __init__(self, styles: dict[str, Style]) -> None:
        self._styles = styles

    def inside(self, paragraph: Node, *, on_white: bool) -> Inside:
        """`on_white` tells whether white letters would be invisible there. The text keeps the space around it."""
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        base = self._look("" if style is None else style.get(f"{W}val") or "")
        return _Collector(self, base, on_white).collected(paragraph)

    def look(self, run: Node, base: Look) -> Look:
        """How the letters of a run look in a paragraph whose own look is `base`."""
        properties = run.find(f"{W}rPr")
        if properties is None:
            return base
        style = properties.find(f"{W}rStyle")
        if style is not None:
            base = self._look(style.get(f"{W}val") or "").over(base)
        return look_of(properties).over(base)

    def _look(self, style: str) -> Look:
        return self._styles[style].look if style in self._styles else LOOKS_PLAIN


class _Collector:
    """Goes through one paragraph."""

    def __init__(self, runs: Runs, base: Look, on_white: bool) -> None:
        self._runs, self._base, self._on_white = runs, base, on_white
        self._found = Inside()
        self._parts: list[str] = []
        self._dropped: str | None = None
        self._fonts: set[bool] = set()

    def collected(self, paragraph: Node) -> Inside:
        self._collect(paragraph, self._base)
        self._found.text = written("".join(self._parts))
        self._found.is_monospaced = self._fonts == {True}
        return self._found

    def _collect(self, node: Node, look: Look) -> None:  # noqa: PLR0912  one case a kind of element
        for child in node:
            name = name_of(child)
            if name == "t":
                self._say(child.text or "", look)
            elif name == "r":
                self._run(child)
            elif name in ("del", "delText"):
                self._drop("deleted passage", child)
            elif name in ("oMathPara", "oMath"):
                self._say_formula(child)
            elif name == "sym":
                self._symbol(child, look)
            elif name in _BREAKS:
                self._parts.append("" if child.get(f"{W}type") == "page" else _BREAKS[name])
            elif name in _OBJECTS:
                self._object(child)
            elif name == "AlternateContent":
                self._collect(_alternative(child), look)
            elif name in ("footnoteReference", "endnoteReference"):
                self._found.notes.append((name[: -len("Reference")], child.get(f"{W}id") or ""))
            elif name == "commentReference":
                self._found.comments.append(child.get(f"{W}id") or "")
            elif name == "fldChar":
                self._say(_form_field(child), look)
            elif name == "instrText":
                self._found.left_out["equation"] += bool(EQUATION_FIELD.match(child.text or ""))
            elif name == "ruby":
                self._say("".join(text.text or "" for text in child.iterfind(f"{W}rubyBase//{W}t")), look)
            elif name not in _LEFT_OUT and len(child):
                self._collect(child, look)

    def _run(self, run: Node) -> None:
        if _is_unseen(run, self._on_white):
            self._found.unseen += any(text.text and text.text.strip() for text in run.iter(f"{W}t"))
            return
        look = self._runs.look(run, self._base)
        if look.is_struck:
            kept, dropped = len(self._parts), self._dropped
            self._collect(run, look)
            self._dropped = dropped
            if "".join(self._parts[kept:]).strip():
                self._count("struck passage")
            del self._parts[kept:]
            return
        self._collect(run, look)

    def _say(self, text: str, look: Look) -> None:
        if not text:
            return
        self._dropped = None if text.strip() else self._dropped
        if text.strip():
            self._fonts.add(is_monospaced(look.font))
        self._parts.append(marked(in_symbol_font(without_marks(text), look.font), look.position))

    def _say_formula(self, node: Node) -> None:
        text = omml_text(node)
        self._dropped = None
        if self._parts and self._parts[-1][-1:].isalnum() and text:
            text = f" {text}"
        self._parts.append(text)

    def _symbol(self, node: Node, look: Look) -> None:
        try:
            letter = chr(int(node.get(f"{W}char") or "", 16))
        except (ValueError, OverflowError):
            return
        sign = in_symbol_font(letter, node.get(f"{W}font"))
        if ord(sign[0]) in _PRIVATE:
            self._found.left_out["symbol"] += 1
            return
        self._say(sign, Look(look.position))

    def _object(self, node: Node) -> None:
        programs = [each.get("ProgID") or "" for each in node.iter("{*}OLEObject")]
        if any(program.startswith(("Equation", "MathType")) for program in programs):
            self._found.left_out["equation"] += 1
        self._found.objects.append(node)

    def _drop(self, kind: str, node: Node) -> None:
        if any(text.text and text.text.strip() for text in node.iter(f"{W}delText", f"{W}t")):
            self._count(kind)

    def _count(self, kind: str) -> None:
        """Runs beside each other are one passage."""
        self._found.left_out[kind] += self._dropped != kind
        self._dropped = kind


def _form_field(node: Node) -> str:
    """What a form field of the old kind shows: its tick, or the entry that was chosen."""
    box = node.find(f"{W}ffData/{W}checkBox")
    if box is not None:
        said = box.find(f"{W}checked")
        said = box.find(f"{W}default") if said is None else said
        return "☒" if said is not None and said.get(f"{W}val") not in ("0", "false", "off") else "☐"
    entries = node.findall(f"{W}ffData/{W}ddList/{W}listEntry")
    if not entries:
        return ""
    result = node.find(f"{W}ffData/{W}ddList/{W}result")
    place = counted("0" if result is None else result.get(f"{W}val"), len(entries) - 1, 0)
    return entries[place].get(f"{W}val") or ""


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
