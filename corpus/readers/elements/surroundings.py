"""Find what surrounds each figure, in one pass: searching from each figure would take quadratic time."""

from __future__ import annotations

from collections.abc import Container, Iterable

from corpus.readers.elements.protocol import Element, Figure, Heading, Page


def beside(indexed: Iterable[tuple[int, Element]], captions: Container[int]) -> dict[int, Element | None]:
    """Return, for each figure, the last element before it that is neither a figure nor a caption."""
    near: Element | None = None
    of: dict[int, Element | None] = {}
    for index, element in indexed:
        if isinstance(element, Figure):
            of[index] = near
        elif index not in captions:
            near = element
    return of


def headings_above(indexed: Iterable[tuple[int, Element]]) -> dict[int, str | None]:
    """Return, for each figure, the last heading before it on its page."""
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
