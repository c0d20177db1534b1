"""PowerPoint presentations (PPTX), including both kinds of comments: legacy comments and threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pptx.opc.package import PartFactory
from pptx.package import Package
from pptx.parts.presentation import PresentationPart

from corpus.errors import UnreadableDocument
from corpus.readers.archives import open_archive
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.element import About, Element, Elements, Figure, Heading, Page, Paragraph, Table
from corpus.readers.markup import Node, iso_utc, name_of, parse_xml
from corpus.readers.office.package import has_properties, open_repaired
from corpus.readers.office.slide_shapes import BROKEN_SHAPE, Surroundings, frame_text, shape_elements
from corpus.readers.protocol import Step


def comment_authors(presentation: Any) -> dict[str, str]:
    """Return the names of comment authors, keyed by id."""
    authors: dict[str, str] = {}
    for root in _parts(presentation.part, "/commentAuthors", "/authors"):
        for node in root:
            if name_of(node) in ("cmAuthor", "author"):
                authors[node.get("id") or ""] = " ".join((node.get("name") or "").split())
    return authors


def slide_comments(slide: Any, authors: dict[str, str]) -> Iterator[Paragraph]:
    """Yield the comments on a slide in order, each followed by its replies."""
    for root in _parts(slide.part, "/comments"):
        for node in root.iter("{*}cm", "{*}reply"):
            author = authors.get(node.get("authorId") or "", "")
            if text := " ".join(_words(node)):
                yield Paragraph(f"Comment ({author}): {text}" if author else f"Comment: {text}")


def _parts(part: Any, *kinds: str) -> Iterator[Node]:
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.endswith(kinds):
            try:
                yield parse_xml(relation.target_part.blob)
            except UnreadableDocument:
                continue


def _words(comment: Node) -> Iterator[str]:
    for child in comment:
        if name_of(child) == "text":
            yield from (child.text or "").split()
        elif name_of(child) == "txBody":
            for paragraph in child.iter("{*}p"):
                yield from "".join(text.text or "" for text in paragraph.iter("{*}t")).split()


PartFactory.part_type_for.update(
    {  # formats with macros, which python-pptx refuses although their content is the same
        f"application/vnd.ms-powerpoint.{kind}.macroEnabled.main+xml": PresentationPart
        for kind in ("slideshow", "template")
    }
)

_MAX_NAMED = 20
"""Maximum number of slide numbers that a warning lists."""
_NOTES = Heading("Notes", 2, listed=False)
_SHAPES = {"sp", "pic", "graphicFrame", "grpSp", "cxnSp"}


def read_pptx(path: Path) -> Iterator[Step]:
    """Yield blocks with slide numbers. Raises UnreadableDocument if the file is damaged, encrypted or not in PPTX
    format."""
    with open_archive(path, "PPTX") as archive:
        try:
            presentation = open_repaired(path, archive, lambda file: Package.open(file).main_document_part.presentation)
            slides = list(presentation.slides)
        except BROKEN_SHAPE as error:
            raise UnreadableDocument("damaged: it cannot be read as PPTX") from error
    about = _about(presentation, len(slides))
    size = (presentation.slide_width or 0, presentation.slide_height or 0)
    yield from steps_of(_elements(slides, size, about, _authors(presentation)), about)


def _authors(presentation: Any) -> dict[str, str]:
    try:
        return comment_authors(presentation)
    except BROKEN_SHAPE:
        return {}


def _about(presentation: Any, count: int) -> About:
    about = About()
    try:
        if has_properties(presentation.part.package):
            core = presentation.core_properties
            about.title, about.author = _title(core.title), core.author or None
            about.document_date = iso_utc(core.created or core.modified)
    except BROKEN_SHAPE:
        about = About()
    about.page_count = count
    return about


def _title(title: str | None) -> str | None:
    """Return the title from the metadata, unless it is the program's default."""
    return title if title and title not in ("PowerPoint Presentation", "PowerPoint-Präsentation") else None


def _elements(slides: list[Any], size: tuple[int, int], about: About, authors: dict[str, str]) -> Elements:
    hidden, wordless = [], []
    for number, slide in enumerate(slides, 1):
        if slide.element.get("show") in ("0", "false"):
            hidden.append(number)
            continue
        try:
            elements = list(_slide(slide, size, about))
            elements[_place_of_comments(elements) :] = [
                *slide_comments(slide, authors),
                *elements[_place_of_comments(elements) :],
            ]
        except BROKEN_SHAPE:
            about.warnings.append(f"Slide {number} is damaged and was left out.")
            continue
        kinds = {type(element) for element in elements}
        if Figure in kinds and not kinds & {Heading, Paragraph, Table}:
            wordless.append(number)
        yield Page(number)
        yield from elements
    for numbers, what in ((hidden, "is hidden and was left out"), (wordless, "holds pictures without text")):
        if numbers:
            about.warnings.append(_sentence(numbers, what))


def _place_of_comments(elements: list[Element]) -> int:
    """Return the index at which the notes begin."""
    notes = (place for place, element in enumerate(elements) if element == _NOTES)
    return next(notes, len(elements))


def _slide(slide: Any, size: tuple[int, int], about: About) -> Iterator[Element]:
    _without_alternatives(slide, about)
    title_shape = slide.shapes.title
    title = None
    if title_shape is not None and title_shape.has_text_frame:
        title = frame_text(title_shape.text_frame, about) or None
    if title:
        yield Heading(title)
    others = (shape for shape in slide.shapes if title_shape is None or shape.shape_id != title_shape.shape_id)
    around = _surroundings(slide, size)
    yield from shape_elements(others, title, about, around)
    notes = _notes(slide)
    if notes:
        yield _NOTES
        yield Paragraph(notes)


def _without_alternatives(slide: Any, about: About) -> None:
    """Replace each set of alternatives with the one that is displayed. Files contain alternatives for equations and
    other features of newer programs.

    Charts of the newest kind have no values in the slide. Instead, they contain a picture or a notice for older
    programs.
    """
    for node in list(slide._element.iter("{*}AlternateContent")):
        parent = node.getparent()
        if parent is None or name_of(parent) not in ("spTree", "grpSp"):
            continue
        first = next(iter(node), None)
        shapes = [] if first is None else [child for child in first if name_of(child) in _SHAPES]
        is_new_chart = first is not None and any("chartex" in str(each.tag) for each in first.iter())
        if is_new_chart:
            about.left_out["chart"] += 1
            shapes = []
        elif not shapes:
            shapes = [child for child in node[-1] if name_of(child) in _SHAPES] if len(node) > 1 else []
        for shape in shapes:
            node.addprevious(shape)
        parent.remove(node)


def _surroundings(slide: Any, size: tuple[int, int]) -> Surroundings | None:
    """Return the surroundings of the slide, or None if its layout is missing."""
    try:
        return Surroundings(slide, size) if all(size) else None
    except (*BROKEN_SHAPE, KeyError):
        return None


def _notes(slide: Any) -> str:
    try:
        frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        return "" if frame is None else frame.text.replace("\v", "\n").strip()
    except BROKEN_SHAPE:
        return ""


def _sentence(numbers: list[int], what: str) -> str:
    """Return a warning such as "Slides 3, 4 are hidden and were left out"; in the singular for one slide."""
    if len(numbers) == 1:
        return f"Slide {numbers[0]} {what}."
    listing = ", ".join(map(str, numbers[:_MAX_NAMED])) + (" and more" if len(numbers) > _MAX_NAMED else "")
    plural = what.replace("is ", "are ").replace("was ", "were ").replace("holds", "hold")
    return f"Slides {listing} {plural}."
