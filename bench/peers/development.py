"""Measure how often the right page is found on the development corpora."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench import record
from bench.peers import material, session
from bench.peers.measuring import Failed
from bench.peers.promise import Page, Peer
from bench.questions import Question, questions

PART, CUTS, RESULTS = "pages", (1, 5, 10), 50


def compared(peers: Sequence[Peer], corpora: Path, folder: Path) -> list[record.Row]:
    given, asked = material.development(corpora, folder / "development"), questions(corpora)
    rows: list[record.Row] = []
    for peer in peers:
        state = state_of(peer, folder)
        try:
            cost, found = session.run(peer, given, state, [question.text for question in asked], RESULTS)
            if len(found.pages) < len(asked):
                raise Failed(f"only {len(found.pages)} of {len(asked)} questions in time")
        except Failed as error:
            rows.append(session.failed(PART, peer, error))
            continue
        hits = {f"page_hit@{cut}": round(hit(asked, found.pages, cut), 3) for cut in CUTS}
        rows.append({"part": PART, "questions": len(asked), **cost, **hits})
        print(f"{peer.name}, {peer.mode}: {hits}", flush=True)
    return rows


def state_of(peer: Peer, folder: Path) -> Path:
    return folder / "state" / f"development-{peer.name}-{peer.mode}"


def hit(asked: Sequence[Question], pages: Sequence[Sequence[Page]], cut: int) -> float:
    """Return the fraction of questions with a correct page among the first distinct pages of the results."""
    found = sum(_right(question, list(dict.fromkeys(row))[:cut]) for question, row in zip(asked, pages, strict=True))
    return found / len(asked)


def _right(question: Question, pages: Sequence[Page]) -> bool:
    return any(name == question.doc and page in question.pages for name, page in pages)
