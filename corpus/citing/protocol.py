"""What reading an answer gives: its claims, and for each the sources that it cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClaimKind = Literal["sentence", "item", "row"]


@dataclass(frozen=True, slots=True)
class Citable:
    """What a numbered source can be called by in an answer: its number, its file and page, its address."""

    number: int
    file: str | None = None
    page: int | None = None
    page_label: str | None = None
    url: str | None = None
    written: str | None = None
    """Its citation as `corpus.citations` writes it; a marker written so names this source, or those at its place."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable sentence, list item or table row.

    `text` is without markers, emphasis and list marks; a row keeps its bars. `start` and `end` are offsets into
    the answer, in code points, markers included. `citations` are numbers of sources in order of first
    appearance; `invalid` are the markers that name no source, as they name it (`7`, `other.pdf, S. 3`).
    """

    text: str
    start: int
    end: int
    kind: ClaimKind
    citations: tuple[int, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def is_cited(self) -> bool:
        """Whether any marker stands at the claim, whatever it names."""
        return bool(self.citations or self.invalid)


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """The claims of an answer in their order. `citations` and `invalid` also hold markers that stand at no claim."""

    claims: tuple[Claim, ...]
    citations: tuple[int, ...]
    invalid: tuple[str, ...]

    @property
    def uncited(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if not claim.is_cited)
