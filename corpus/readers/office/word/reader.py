"""A DOCX read: python-docx opens the package, and the body is gone through as it is shown.

A Word document has no pages of its own: a place in it is its heading path.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError

from corpus.errors import UnreadableDocument
from corpus.readers.archives import BROKEN, opened_archive
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About
from corpus.readers.markup import DAMAGED, Node, iso_utc, parsed_xml
from corpus.readers.office.dead_relations import opened_whole
from corpus.readers.office.word.body import Body, notes_of
from corpus.readers.office.word.numbering import Numbering
from corpus.readers.office.word.styles import styles_of
from corpus.readers.office.word.unseen import without_unseen
from corpus.readers.steps import Step

_DAMAGED = (*DAMAGED, *BROKEN, BadZipFile, OpcError, ValueError, AttributeError)


def read_docx(path: Path) -> Iterator[Step]:
    """Blocks with heading paths; UnreadableDocument when it is damaged, locked or no DOCX."""
    with opened_archive(path, "DOCX") as archive:
        document = _opened(path, archive)
    about = _about(document)
    part = document.part
    styles = _related(part, "styles")
    about.unseen += without_unseen(document.element.body, styles)
    notes = {
        key: text
        for kind in ("footnote", "endnote")
        if (root := _related(part, f"{kind}s")) is not None
        for key, text in notes_of(_seen(root, styles, about), kind)
    }
    body = Body(part, styles_of(styles), Numbering(_related(part, "numbering")), notes, about)
    yield from steps_of(body.elements(document.element.body), about)


def _seen(root: Node, styles: Node | None, about: About) -> Node:
    about.unseen += without_unseen(root, styles)
    return root


def _opened(path: Path, archive: ZipFile) -> Any:
    try:
        document = opened_whole(path, archive, Document)
        if document.element.body is None:
            raise ValueError("no body")
    except _DAMAGED as error:
        raise UnreadableDocument("damaged: it cannot be read as DOCX") from error
    return document


def _about(document: Any) -> About:
    try:
        core = document.core_properties
        date = iso_utc(core.created or core.modified)
        return About(title=core.title or None, author=core.author or None, document_date=date)
    except _DAMAGED:
        return About()


def _related(part: Any, kind: str) -> Node | None:
    """The root of the one part of that kind, None where there is none or it is damaged."""
    try:
        return parsed_xml(part.part_related_by(getattr(RELATIONSHIP_TYPE, kind.upper())).blob)
    except (KeyError, ValueError, UnreadableDocument):
        return None
