"""A query that asks to see something: its words for pictures speak of the block, not of what the block says."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_ENGLISH = (
    "figures? diagrams? pictures? images? charts? plots? graphs? illustrations? drawings? schematics? photos?"
)
_GERMAN = "abbildung(?:en)? abb bild(?:er)? diagramme? grafik(?:en)? schaubild(?:er)? zeichnung(?:en)? skizzen? fotos?"
_FRENCH_SPANISH_ITALIAN = (
    "schémas? graphiques? dessins? diagrama[s]? gráfic[ao]s? imagen(?:es)? figuras? immagin[ei] figur[ae]"
)
_SHOW = "show zeige? zeig montre muestra mostra"
_WISH = re.compile(
    rf"\b(?:{'|'.join(' '.join((_ENGLISH, _GERMAN, _FRENCH_SPANISH_ITALIAN, _SHOW)).split())})\b",
    re.IGNORECASE,
)


def wants_figures(query: str) -> bool:
    """Whether the query names a kind of picture or asks to be shown something."""
    return bool(_WISH.search(query))


def towards_figures(scores: Mapping[int, float], figures: Collection[int], gain: float) -> dict[int, float]:
    """Scores, still 0..1, in which each of the `figures` has gained."""
    return {block: (score + gain * (block in figures)) / (1 + gain) for block, score in scores.items()}
