"""Word documents (DOCX): python-docx opens the package, and the body is read in the order of display.

A Word document has no fixed pages: a place is given by its heading path.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.opc.part import PartFactory
from docx.package import Package
from docx.parts.document import DocumentPart

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN, opened_archive
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About, Elements
from corpus.readers.markup import DAMAGED, Node, iso_utc, parsed_xml
from corpus.readers.office.dead_relations import opened_whole
from corpus.readers.office.package import has_properties
from corpus.readers.office.word.asides import comments_of, headers_and_footers, notes_of
from corpus.readers.office.word.body import Body
from corpus.readers.office.word.numbering import Numbering
from corpus.readers.office.word.runs import Runs
from corpus.readers.office.word.styles import Style, W, is_typewritten, styles_of
from corpus.readers.office.word.unseen import without_deleted_rows, without_unseen
from corpus.readers.steps import Step

PartFactory.part_type_for.update(
    {  # python-docx knows plain documents only; these are the same inside
        f"application/vnd.{kind}.main+xml": DocumentPart
        for kind in (
            "ms-word.document.macroEnabled",
            "ms-word.template.macroEnabledTemplate",
            "openxmlformats-officedocument.wordprocessingml.template",
        )
    }
)

_DAMAGED = (*DAMAGED, *BROKEN, BadZipFile, OpcError, ValueError, AttributeError)


def read_docx(path: Path) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument where it is damaged, locked or no DOCX."""
    with opened_archive(path, "DOCX") as archive:
        document = _open(path, archive)
    about = _about(document)
    yield from steps_of(_elements(document, about), about)


def _elements(document: Any, about: About) -> Elements:
    part, root = document.part, document.element.body
    styles = _related(part, "styles")
    about.left_out["deleted passage"] += without_deleted_rows(root)
    about.unseen += without_unseen(root, styles)
    looks = styles_of(styles)
    notes = {
        key: text
        for kind in ("footnote", "endnote")
        if (notes_root := _related(part, f"{kind}s")) is not None
        for key, text in notes_of(_without_hidden(notes_root, styles, about), kind, Runs(looks))
    }
    comments_root = _related(part, "comments")
    comments = (
        {}
        if comments_root is None
        else comments_of(_without_hidden(comments_root, styles, about), Runs(looks))
    )
    headers, footers = _around(document, styles, looks, about)
    numbering = Numbering(_related(part, "numbering"))
    body = Body(part, looks, numbering, about, notes, comments, is_typewritten(styles))
    yield from headers
    yield from body.elements(root)
    yield from footers
    yield from comments.values()  # comments that no text refers to


def _around(document: Any, styles: Node | None, looks: dict[str, Style], about: About) -> Any:
    settings = _related(document.part, "settings")
    even_pages = settings is not None and settings.find(f"{W}evenAndOddHeaders") is not None

    def elements_of(part: Any) -> Elements:
        beside = About()  # a header must not set the document's title
        beside.unseen += without_unseen(part.element, styles)
        yield from Body(part, looks, Numbering(None), beside).elements(part.element)
        about.unseen += beside.unseen
        about.left_out += beside.left_out

    try:
        return headers_and_footers(document, even_pages, elements_of)
    except _DAMAGED:
        about.warnings.append("Headers and footers are damaged and were left out.")
        return [], []


def _without_hidden(root: Node, styles: Node | None, about: About) -> Node:
    about.unseen += without_unseen(root, styles)
    return root


def _open(path: Path, archive: ZipFile) -> Any:
    try:
        document = opened_whole(path, archive, lambda file: Package.open(file).main_document_part.document)
        if document.element.body is None:
            raise ValueError("no body")
    except _DAMAGED as error:
        raise UnreadableDocument("damaged: it cannot be read as DOCX") from error
    return document


def _about(document: Any) -> About:
    try:
        if not has_properties(document.part.package):
            return About()
        core = document.core_properties
        date = iso_utc(core.created or core.modified)
        return About(title=core.title or None, author=core.author or None, document_date=date)
    except _DAMAGED:
        return About()


def _related(part: Any, kind: str) -> Node | None:
    """Return the root of the only part of that kind; None where it is missing or damaged."""
    try:
        return parsed_xml(part.part_related_by(getattr(RELATIONSHIP_TYPE, kind.upper())).blob)
    except (KeyError, ValueError, UnreadableDocument):
        return None
