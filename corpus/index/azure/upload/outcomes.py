"""The outcome of each document of an upload, and the report of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

PushKind = Literal["pushed", "updated", "unchanged", "waiting", "refused", "failed", "gone", "removed"]
KINDS: tuple[PushKind, ...] = (
    "pushed", "updated", "unchanged", "waiting", "refused", "failed", "gone", "removed",
)  # fmt: skip
UNDONE: frozenset[PushKind] = frozenset({"waiting", "refused", "failed"})


@dataclass(frozen=True, slots=True)
class PushOutcome:
    """`updated` changed only who may read it and what is known of it; `gone` is on the service and no longer here."""

    kind: PushKind
    doc_id: str
    name: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PushReport:
    """`without_picture` counts figures whose pictures were left out; `unseen` documents that the service holds and
    does not show, so that nothing is known of them."""

    outcomes: tuple[PushOutcome, ...]
    without_picture: int = 0
    unseen: int = 0

    @property
    def undone(self) -> tuple[PushOutcome, ...]:
        return tuple(one for one in self.outcomes if one.kind in UNDONE)


class PushProgress(Protocol):
    """Told what happens while it happens, on the event loop; it must not block."""

    def document_total(self, count: int) -> None: ...

    def document_waits(self, name: str, seconds: float) -> None:
        """An upload of it was cut short a moment ago, and what was under way may still arrive."""

    def document_done(self, outcome: PushOutcome) -> None: ...


def summary(outcomes: Sequence[PushOutcome]) -> str:
    """`3 pushed, 1 failed`, the kinds that did not occur left out."""
    counts = [(kind, sum(1 for one in outcomes if one.kind == kind)) for kind in KINDS]
    return ", ".join(f"{count} {kind}" for kind, count in counts if count) or "no documents"
