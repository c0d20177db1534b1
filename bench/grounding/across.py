"""Measure the similarity of a claim in one language to its own paragraph in the other, and to other paragraphs of the
article.

The threshold of `corpus.verification.verify` is based on these values. The bench takes half a minute of CPU time, so it
runs only on request.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.grounding.measures import auroc
from bench.grounding.rows import Row, rows
from bench.tables import table
from corpus.embedding import Embedder, choose
from corpus.text.sentences import sentence_spans
from corpus.verification.verify import ALIKE

_PLACES = 24


async def across(folder: Path) -> str:
    """Return a table of the cosines between a claim, embedded as a query, and the nearest sentence of a paragraph,
    embedded as a passage."""
    embedder = choose("packaged")
    if embedder is None:
        return "The packaged embedder is not installed."
    pairs = list(_pairs([row for row in rows(folder, "xquad_perturb") if row.kind == "verbatim"]))
    near = [(await _nearest(claim, other, embedder), claim.place == other.place) for claim, other in pairs]
    await embedder.aclose()
    area = auroc([cosine for cosine, _ in near], [own for _, own in near])
    lines = []
    for name, wanted in (("its own paragraph", True), ("another of the article", False)):
        of_kind = [cosine for cosine, own in near if own == wanted]
        lifted = sum(cosine >= ALIKE for cosine in of_kind) / len(of_kind)
        lines.append([name, str(len(of_kind)), f"{min(of_kind):.3f}", f"{max(of_kind):.3f}", f"{lifted:.3f}"])
    head = ["compared with", "pairs", "least cosine", "greatest", f"at least {ALIKE}"]
    return f"{table(head, lines)}\n\nAUROC {area}."


def _pairs(verbatim: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return each claim paired with its own paragraph and with two others from the article in the other language, in
    both directions."""
    by_place = {(row.language, row.place): row for row in verbatim}
    places = sorted({place for _, place in by_place if ("en", place) in by_place and ("de", place) in by_place})
    found = []
    for place in places[:_PLACES]:
        others = [one for one in places if one != place and one.split("-")[0] == place.split("-")[0]][:2]
        for claimed, said in (("de", "en"), ("en", "de")):
            found += [(by_place[claimed, place], by_place[said, one]) for one in (place, *others)]
    return found


async def _nearest(claim: Row, other: Row, embedder: Embedder) -> float:
    spans = sentence_spans(other.evidence, other.language)
    vectors = await embedder.passages([other.evidence[start:end] for start, end in spans])
    return float((vectors @ await embedder.query(claim.claim)).max())
