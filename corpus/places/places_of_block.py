"""Find the places of a block: its page, its sections, and the figure or table of its caption.

A block that only refers to a figure ("as Figure 3 shows") is not at that place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.headings import ENDED, SEPARATOR, last_heading
from corpus.places.place import FIRST, LAST, LETTERED, NUMBER, PART, ROMAN, Kind, Place, sheets_of, singular
from corpus.text.normalization import has_leader

_SLIDES = (".pptx", ".ppt", ".odp", ".key")
_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")

_LABEL = rf"(?P<label>{NUMBER}{PART}|{LETTERED}{PART}|{ROMAN}(?![^\W_])|[A-Z](?![^\W_]))(?![^\W_]|[.,]\d|\s?[%€$])"
_SHOWN: tuple[Kind, ...] = ("figure", "table")
_CAPTIONS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"[\s#*_>]{{0,6}}{singular(kind)}\s?{_LABEL}")) for kind in _SHOWN
)
_COLON = re.compile(r"\s?[:|]")
"""Pattern for the text after a caption's label, even if the previous line seems to continue, because table cells have
no full stop."""
_TITLE = re.compile(r"\s?[–—]|\*\*|\.(?=\s+\S)|\s-\s|\s+[\"“„»]?[A-ZÄÖÜ]|\s*$")
"""Pattern for the text after a caption's label at the start of a paragraph. A sentence that starts with such a label
instead continues with a verb."""
_MAX_CAPTIONS = 5
"""Maximum number of captions in a block. If more lines start with labels, the block is a list of figures."""
_PAGE_AT_END = re.compile(r"\s[0-9]{1,4}\s*$")
_MAX_LINE = 400
"""Maximum length in characters of a line that is searched for a caption or an equation number."""
_RUNS_ON = 30
"""Minimum length in characters of a line that continues on the next line. A shorter line is a title or a cell."""

_NUMBERED_HEADING = re.compile(r"(?P<label>[0-9]{1,2}(?:\.[0-9]{1,3}){0,5})\.?[\s:–—]+[\"“„»(.]?[^\W\d_]")
_ROMAN_HEADING = re.compile(rf"(?P<label>(?=[IVX]){ROMAN})\.\s+[^\W\d_]")
_LETTERED_HEADING = re.compile(rf"(?P<label>{LETTERED}|[A-Z](?=\s+[A-ZÄÖÜ]))\.?\s+[^\W\d_]")
_PARTS: tuple[Kind, ...] = ("section", "appendix")
_NAMED_HEADING: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf"{singular(kind)}\s?(?P<label>{NUMBER}|{LETTERED}|{ROMAN}|[A-Z])(?![^\W_])")) for kind in _PARTS
)
_EQUATION = re.compile(
    r"(?:[^\W\d_]\s{1,9}\((?P<dotted>[0-9]{1,3}\.[0-9]{1,3}[a-z]?)"
    r"|(?:[^\w\s(]|[²³¹⁰-⁹₀-₉])\s{1,9}\((?P<label>[0-9]{1,3}(?:\.[0-9]{1,3}){0,2}[a-z]?))\)$"
)
"""Pattern for an equation number at the end of a line. After a letter it needs a dot, because "v (3)" is a function
call."""
_END_MATTER = re.compile(r"(?i:references|bibliography|literatur|literaturverzeichnis|quellen|index)$")
_MAX_NAME = 14
"""Maximum length in characters of a line that is only "Chapter 12". Its title is on the line below and becomes the
heading."""
_RELATION = re.compile(r"[=<>≤≥≈∝]")


def places_of(block: Block, document: Document) -> frozenset[Place]:
    """Return the places of the block. A block in section 3.2 is also in section 3, and figure 3a is part of figure
    3."""
    places = {*_pages(block, document), *_sections(block, document), *_captions(block)}
    if block.block_type == "text":
        places |= _equations(block.content)
    if _is_kind(document, "Spreadsheet", _SHEETS):
        places |= _sheets(block.heading or "")
    return frozenset(places | {wider for place in places for wider in _parents(place)})


def _parents(place: Place) -> Iterator[Place]:
    while place.kind != "slide" and (wider := place.wider):
        yield wider
        place = wider


def _is_kind(document: Document, kind: str, suffixes: tuple[str, ...]) -> bool:
    return document.document_type == kind or document.filename.lower().endswith(suffixes)


def _pages(block: Block, document: Document) -> Iterator[Place]:
    number = block.page_number
    if block.page_label and block.page_label.strip():
        label = Place.at("page", block.page_label)
        if label.label:
            yield label
    if number is None:
        return
    labels = [str(number)]
    if number == 1:
        labels.append(FIRST)
    if number == document.page_count:
        labels.append(LAST)
    for label_text in labels:
        yield Place("page", label_text)
        if _is_kind(document, "Slides", _SLIDES):
            yield Place("slide", label_text)


def _sections(block: Block, document: Document) -> list[Place]:
    """Return the sections of the headings above the block. An appendix or the list of references ends the outer
    sections, because document readers put it below the last section."""
    places: list[Place] = []
    for heading in map(str.strip, (block.heading or "").split(SEPARATOR)):
        here = list(_part(heading, document))
        if _END_MATTER.match(heading) or any(place.kind == "appendix" for place in here):
            places.clear()
        places += here
    first = block.content[:_MAX_LINE].partition("\n")[0].strip()
    places += [place for place in _part_by_name(first) if len(first) <= _MAX_NAME]
    return places


def _part(heading: str, document: Document) -> Iterator[Place]:
    yield from _part_by_name(heading)
    if match := _NUMBERED_HEADING.match(heading) or _ROMAN_HEADING.match(heading):
        yield Place.at("section", match["label"])
    elif (match := _LETTERED_HEADING.match(heading)) and _is_lettered(match["label"], document):
        yield Place.at("appendix", match["label"])


def _part_by_name(heading: str) -> Iterator[Place]:
    for kind, pattern in _NAMED_HEADING:
        if match := pattern.match(heading):
            yield Place.at(kind, match["label"])


def _is_lettered(label: str, document: Document) -> bool:
    """Return whether the label of a heading is a letter. In "A Third Heading" and "I Love ...", the letter is a word,
    unless another heading starts with the next letter."""
    if label not in ("A", "I"):
        return True
    following = chr(ord(label) + 1)
    return any(re.match(rf"{following}\.?\s", entry.title) for entry in document.outline)


def _captions(block: Block) -> Iterator[Place]:
    of_caption = [_caption(text) for text in (block.image_caption, last_heading(block.heading))]
    places = [place for place in of_caption if place]
    yield from places
    if block.block_type == "image" and places:
        return  # its content is the text in the picture and descriptions of it
    lines = list(_caption_lines(block.content))
    is_list = len(lines) > 1 and all(_PAGE_AT_END.search(line) for line, _ in lines)
    if len(lines) <= _MAX_CAPTIONS and not is_list:
        yield from (place for _, place in lines)


def _caption_lines(content: str) -> Iterator[tuple[str, Place]]:
    before = ""
    for line in content.split("\n"):
        runs_on = len(before) > _RUNS_ON and not ENDED.search(before)
        marks = (_COLON,) if runs_on else (_COLON, _TITLE)
        if (place := _caption(line, marks)) and not has_leader(line):
            yield line, place
        before = line.strip()


def _caption(text: str | None, marks: tuple[re.Pattern[str], ...] | None = None) -> Place | None:
    """Return the figure or table whose label starts the text. If `marks` are given, one of these patterns must match
    after the label."""
    head = (text or "")[:_MAX_LINE]
    for kind, pattern in _CAPTIONS:
        match = pattern.match(head)
        if match and (marks is None or any(mark.match(head, match.end()) for mark in marks)):
            return Place.at(kind, match["label"])
    return None


def _equations(content: str) -> set[Place]:
    places = set()
    for line in content.split("\n"):
        text = line[-_MAX_LINE:].rstrip()
        if text.endswith(")") and (match := _EQUATION.search(text)) and _RELATION.search(text):
            places.add(Place.at("equation", match["dotted"] or match["label"]))
    return places


def _sheets(heading: str) -> frozenset[Place]:
    """Return the sheet of a chart or a note. The heading of such a block is the name of its sheet."""
    first = heading.split(SEPARATOR, 1)[0].strip()
    if not first or (ranges := sheets_of(heading)):
        return ranges if first else frozenset()
    return frozenset({Place.at("sheet", first)})
