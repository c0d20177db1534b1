"""The content of a paragraph: its visible text, and the objects attached to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from corpus.readers.formulas import EQUATION_FIELD, omml_text
from corpus.readers.markup import Node, name_of, parse_count
from corpus.readers.office.text.docx_styles import PLAIN_LOOK, Look, Style, W, look_of
from corpus.readers.typography import decode_symbols, is_monospaced, mark_position, resolve_marks, strip_marks

_LEFT_OUT = {"moveFrom", "instrText", "delText", "rPr", "pPr", "annotationRef", "sdtPr"}
_OBJECTS = {"drawing", "pict", "object"}
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_TINY = 4
"""Largest font size that counts as unreadable, in half points."""

_PRIVATE = range(0xE000, 0xF900)


@dataclass(slots=True)
class Inside:
    """The visible text, objects, notes and comments in a paragraph, in order. `unseen` counts hidden runs."""

    text: str = ""
    objects: list[Node] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    unseen: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    is_monospaced: bool = False
    """Whether all words are in a monospaced font."""


class Runs:
    """Reads runs. `styles` contains the document's styles, keyed by id."""

    def __init__(self, styles: dict[str, Style]) -> None:
        self._styles = styles

    def inside(self, paragraph: Node, *, on_white: bool) -> Inside:
        """Read a paragraph and preserve surrounding space. `on_white` is true if white text would be invisible."""
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        base = self._look("" if style is None else style.get(f"{W}val") or "")
        return _Collector(self, base, on_white).collect_paragraph(paragraph)

    def look(self, run: Node, base: Look) -> Look:
        """Return the formatting of a run in a paragraph that has the formatting `base`."""
        properties = run.find(f"{W}rPr")
        if properties is None:
            return base
        style = properties.find(f"{W}rStyle")
        if style is not None:
            base = self._look(style.get(f"{W}val") or "").over(base)
        return look_of(properties).over(base)

    def _look(self, style: str) -> Look:
        return self._styles[style].look if style in self._styles else PLAIN_LOOK


class _Collector:
    """Collects the content of a paragraph in one pass."""

    def __init__(self, runs: Runs, base: Look, on_white: bool) -> None:
        self._runs, self._base, self._on_white = runs, base, on_white
        self._inside = Inside()
        self._parts: list[str] = []
        self._dropped_kind: str | None = None
        self._fonts: set[bool] = set()

    def collect_paragraph(self, paragraph: Node) -> Inside:
        self._collect(paragraph, self._base)
        self._inside.text = resolve_marks("".join(self._parts))
        self._inside.is_monospaced = self._fonts == {True}
        return self._inside

    def _collect(self, node: Node, look: Look) -> None:  # noqa: PLR0912  one case per kind of element
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
                self._inside.notes.append((name[: -len("Reference")], child.get(f"{W}id") or ""))
            elif name == "commentReference":
                self._inside.comments.append(child.get(f"{W}id") or "")
            elif name == "fldChar":
                self._say(_form_field(child), look)
            elif name == "instrText":
                self._inside.left_out["equation"] += bool(EQUATION_FIELD.match(child.text or ""))
            elif name == "ruby":
                self._say("".join(text.text or "" for text in child.iterfind(f"{W}rubyBase//{W}t")), look)
            elif name not in _LEFT_OUT and len(child):
                self._collect(child, look)

    def _run(self, run: Node) -> None:
        if _is_unseen(run, self._on_white):
            self._inside.unseen += any(text.text and text.text.strip() for text in run.iter(f"{W}t"))
            return
        look = self._runs.look(run, self._base)
        if look.is_struck:
            count_before, dropped = len(self._parts), self._dropped_kind
            self._collect(run, look)
            self._dropped_kind = dropped
            if "".join(self._parts[count_before:]).strip():
                self._count("struck passage")
            del self._parts[count_before:]
            return
        self._collect(run, look)

    def _say(self, text: str, look: Look) -> None:
        if not text:
            return
        self._dropped_kind = None if text.strip() else self._dropped_kind
        if text.strip():
            self._fonts.add(is_monospaced(look.font))
        self._parts.append(mark_position(decode_symbols(strip_marks(text), look.font), look.position))

    def _say_formula(self, node: Node) -> None:
        text = omml_text(node)
        self._dropped_kind = None
        if self._parts and self._parts[-1][-1:].isalnum() and text:
            text = f" {text}"
        self._parts.append(text)

    def _symbol(self, node: Node, look: Look) -> None:
        try:
            letter = chr(int(node.get(f"{W}char") or "", 16))
        except (ValueError, OverflowError):
            return
        sign = decode_symbols(letter, node.get(f"{W}font"))
        if ord(sign[0]) in _PRIVATE:
            self._inside.left_out["symbol"] += 1
            return
        self._say(sign, Look(look.position))

    def _object(self, node: Node) -> None:
        programs = [each.get("ProgID") or "" for each in node.iter("{*}OLEObject")]
        if any(program.startswith(("Equation", "MathType")) for program in programs):
            self._inside.left_out["equation"] += 1
        self._inside.objects.append(node)

    def _drop(self, kind: str, node: Node) -> None:
        if any(text.text and text.text.strip() for text in node.iter(f"{W}delText", f"{W}t")):
            self._count(kind)

    def _count(self, kind: str) -> None:
        """Count a passage. Adjacent runs of one kind count as one passage."""
        self._inside.left_out[kind] += self._dropped_kind != kind
        self._dropped_kind = kind


def _form_field(node: Node) -> str:
    """Return the displayed content of a legacy form field: its tick, or the selected entry."""
    box = node.find(f"{W}ffData/{W}checkBox")
    if box is not None:
        state = box.find(f"{W}checked")
        state = box.find(f"{W}default") if state is None else state
        return "☒" if state is not None and state.get(f"{W}val") not in ("0", "false", "off") else "☐"
    entries = node.findall(f"{W}ffData/{W}ddList/{W}listEntry")
    if not entries:
        return ""
    result = node.find(f"{W}ffData/{W}ddList/{W}result")
    place = parse_count("0" if result is None else result.get(f"{W}val"), len(entries) - 1, 0)
    return entries[place].get(f"{W}val") or ""


def _alternative(node: Node) -> Node:
    """Return the first choice, which newer programs show. The fallback is a copy of it."""
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
            return value.isdecimal() and parse_count(value, _TINY + 1) <= _TINY
    return False


def text_boxes(drawing: Node) -> Iterator[Node]:
    """Yield the contents of the outermost text boxes in a drawing."""
    for child in drawing:
        if name_of(child) == "txbxContent":
            yield child
        elif name_of(child) == "AlternateContent":
            yield from text_boxes(_alternative(child))
        else:
            yield from text_boxes(child)
