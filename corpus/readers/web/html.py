"""HTML: headings, text, tables and pictures beside the file. No script runs, and nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.decoding import TEXT_BYTES, decode
from corpus.readers.elements.block_builder import steps_of
from corpus.readers.elements.protocol import About
from corpus.readers.files import NeighbourFiles, file_bytes
from corpus.readers.markup import Node, iso_utc
from corpus.readers.protocol import Step
from corpus.readers.web.flow import Flow, tree_of
from corpus.readers.web.neighbour_pictures import pictures_beside

_DATES = (
    "article:published_time", "date", "dc.date", "dcterms.created", "dcterms.date", "pubdate",
    "article:modified_time",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator")


def read_html(path: Path, neighbours: NeighbourFiles | None = None) -> Iterator[Step]:
    """Yield blocks with heading paths. Raises UnreadableDocument where it is too long or nested too deeply."""
    if path.stat().st_size > TEXT_BYTES:
        raise UnreadableDocument(f"a page of more than {TEXT_BYTES // 1_000_000} MB")
    text, warnings = decode(file_bytes(path, TEXT_BYTES))
    root = tree_of(text)
    about = about_page(root)
    about.warnings.extend(warnings)
    yield from steps_of(Flow(about, pictures_beside(neighbours or NeighbourFiles(path.parent))).elements(root), about)


def about_page(root: Node) -> About:
    """Return the metadata in a page's head."""
    meta_values: dict[str, str] = {}
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        meta_values.setdefault(name, (meta.get("content") or "").strip())
    title = root.find(".//head/title")
    return About(
        title=(title.text_content().strip() if title is not None else "") or meta_values.get("og:title") or None,
        author=_first(meta_values, _AUTHORS),
        document_date=_date(_first(meta_values, _DATES)),
    )


def _first(values: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((values[name] for name in names if values.get(name)), None)


def _date(text: str | None) -> str | None:
    try:
        return iso_utc(datetime.fromisoformat(text)) if text else None
    except ValueError:
        return None
