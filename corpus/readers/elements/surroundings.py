"""What stands around the figures of a document, found in one pass.

To look around from each figure takes for ever where there are thousands.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from corpus.readers.elements.protocol import Element, Figure, Heading, Page


def beside(indexed: Iterable[tuple[int, Element]], taken: Container[int]) -> dict[int, Element | None]:
    """For each figure what came last before it and is neither a figure nor a caption."""
    near: Element | None = None
    of: dict[int, Element | None] = {}
    for index, element in indexed:
        if isinstance(element, Figure):
            of[index] = near
        elif index not in taken:
            near = element
    return of


def headings_above(indexed: Iterable[tuple[int, Element]]) -> dict[int, str | None]:
    """For each figure the last heading before it on its page."""
    heading: str | None = None
    of: dict[int, str | None] = {}
    for index, element in indexed:
        match element:
            case Heading():
                heading = element.text
            case Page():
                heading = None
            case Figure():
                of[index] = heading
    return of
