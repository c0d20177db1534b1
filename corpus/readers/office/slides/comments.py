"""Comments on slides: legacy ones and threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from corpus.errors import UnreadableDocument
from corpus.readers.elements.protocol import Paragraph
from corpus.readers.markup import Node, name_of, parsed_xml


def comment_authors(presentation: Any) -> dict[str, str]:
    """Return the authors' names by id."""
    authors: dict[str, str] = {}
    for root in _parts(presentation.part, "/commentAuthors", "/authors"):
        for node in root:
            if name_of(node) in ("cmAuthor", "author"):
                authors[node.get("id") or ""] = " ".join((node.get("name") or "").split())
    return authors


def comments_of(slide: Any, authors: dict[str, str]) -> Iterator[Paragraph]:
    """Yield a slide's comments in order, replies after what they answer."""
    for root in _parts(slide.part, "/comments"):
        for node in root.iter("{*}cm", "{*}reply"):
            author = authors.get(node.get("authorId") or "", "")
            if text := " ".join(_words(node)):
                yield Paragraph(f"Comment ({author}): {text}" if author else f"Comment: {text}")


def _parts(part: Any, *kinds: str) -> Iterator[Node]:
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.endswith(kinds):
            try:
                yield parsed_xml(relation.target_part.blob)
            except UnreadableDocument:
                continue


def _words(comment: Node) -> Iterator[str]:
    for child in comment:
        if name_of(child) == "text":
            yield from (child.text or "").split()
        elif name_of(child) == "txBody":
            for paragraph in child.iter("{*}p"):
                yield from "".join(text.text or "" for text in paragraph.iter("{*}t")).split()
