"""Runs within a cell's text: raised, lowered, struck, or in the background's colour."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from zipfile import ZipFile

from lxml import etree

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.elements.protocol import About
from corpus.readers.markup import DAMAGED, Node, name_of, parse_xml
from corpus.readers.office.package import related_parts
from corpus.readers.raised_text import Position, mark_position, resolve_marks

WHITE = "FFFFFF"
POSITIONS: dict[str | None, Position] = {"superscript": "raised", "subscript": "lowered"}
_MARKS = (b"vertAlign", b"strike", WHITE.encode(), b'theme="0"')
"""A part without any of these has no relevant run; most have none and are large."""
_INLINE = re.compile(rb"<c\s(?=[^>]{0,200}inlineStr)[^>]{0,200}?r=[\"']([A-Z]{1,3}\d{1,7})[\"'][^>]{0,200}>\s{0,9}<is>")


class Run(NamedTuple):
    """Text of one format. `colour` is six hexadecimal digits, None for the default."""

    text: str
    position: Position | None = None
    is_struck: bool = False
    colour: str | None = None


class RichText(str):
    """A cell's text as openpyxl returns it, with its runs."""

    runs: tuple[Run, ...] = ()


def text_of_runs(runs: Sequence[Run], ground: str | None, about: About) -> str:
    """Return the text without struck and invisible runs, which are counted. `ground` is None where unknown."""
    text = ""
    for (is_struck, is_unseen), group in groupby(
        runs, lambda run: (run.is_struck, run.colour is not None and run.colour == ground)
    ):
        words = [run for run in group if run.text]
        has_text = any(run.text.strip() for run in words)
        if is_unseen:
            about.unseen += has_text
        elif is_struck:
            about.left_out["struck passage"] += has_text
        else:
            text += "".join(mark_position(run.text, run.position) for run in words)
    return resolve_marks(text)


def rich_texts(archive: ZipFile) -> Iterator[tuple[int, RichText]]:
    """Yield a workbook's shared texts with such runs, each with its index."""
    for part in related_parts(archive, "xl/workbook.xml", "sharedStrings"):
        data = read_entry(archive, part) or b""
        if not any(mark in data for mark in _MARKS):
            continue
        try:
            nodes = etree.iterparse(
                io.BytesIO(data), tag="{*}si", resolve_entities=False, no_network=True, load_dtd=False
            )
            for place, (_, node) in enumerate(nodes):
                runs = tuple(_run(run) for run in node.iterchildren("{*}r"))
                if any(run[1:] != Run("")[1:] for run in runs):
                    yield place, _rich(runs)
                node.clear()
        except DAMAGED:
            return


def inline_texts(sheet: bytes) -> dict[str, RichText]:
    """Return texts with such runs that a sheet stores in its cells, by coordinate."""
    texts: dict[str, RichText] = {}
    if not any(mark in sheet for mark in _MARKS):
        return texts
    for match in _INLINE.finditer(sheet):
        end = sheet.find(b"</is>", match.end())
        if end < 0:
            break
        inner = sheet[match.end() : end]
        if b"<r>" not in inner:
            continue
        try:
            node = parse_xml(b"<is>" + inner + b"</is>")
        except UnreadableDocument:
            continue
        texts[match[1].decode()] = _rich(tuple(_run(run) for run in node.iterchildren("{*}r")))
    return texts


def _rich(runs: tuple[Run, ...]) -> RichText:
    text = RichText("".join(run.text for run in runs))
    text.runs = runs
    return text


def _run(node: Node) -> Run:
    text = "".join(each.text or "" for each in node.iterchildren("{*}t"))
    form = {name_of(each): each for holder in node.iterchildren("{*}rPr") for each in holder}
    position = POSITIONS.get(form["vertAlign"].get("val")) if "vertAlign" in form else None
    is_struck = "strike" in form and form["strike"].get("val", "1") not in ("0", "false")
    colour = None
    if "color" in form:
        colour = (form["color"].get("rgb") or "")[-6:].upper() or (
            WHITE if form["color"].get("theme") == "0" and not form["color"].get("tint") else None
        )
    return Run(text, position, is_struck, colour)
