"""A claim in another language than its source may be close in meaning, but its values are still compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from corpus.citing.protocol import Claim
from corpus.embedding.protocol import Vectors
from corpus.verification.protocol import CheckedClaim, SourceText
from corpus.verification.verify import lift_by_meaning, verify

pytestmark = pytest.mark.anyio

SOURCE = SourceText(
    1,
    "The storage tank must be emptied before winter. Every filter has to be replaced after 500 hours of work.",
    "en",
)
TANK = "Vor dem Wintereinbruch ist das Wasser vollständig aus dem Speicher abzulassen."
FILTER = "Nach spätestens 700 Arbeitsstunden sind sämtliche Luftsiebe auszuwechseln."
CATS = "Katzen schlafen gern auf warmen Fensterbänken und träumen von Mäusen."


class ByTopic:
    """An embedder with one direction for each topic, because a real one takes seconds to load."""

    id = "topics"
    dimensions = 3
    topics = ("tank", "speicher"), ("filter", "luftsiebe"), ("katzen",)

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def query(self, text: str) -> Vectors:
        self.seen.append(text)
        return self._vector(text)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    async def aclose(self) -> None: ...

    def _vector(self, text: str) -> Vectors:
        named = [any(word in text.lower() for word in topic) for topic in self.topics]
        return np.asarray(named, dtype=np.float32)


def check(*texts: str, sources: Sequence[SourceText] = (SOURCE,)) -> tuple[CheckedClaim, ...]:
    return verify([Claim(text, 0, len(text), "sentence", (1,)) for text in texts], sources, "de")


async def test_a_claim_close_in_meaning_is_partly_found_with_the_sentence() -> None:
    checked = check(TANK, CATS)
    assert [one.verdict for one in checked] == ["not_found", "not_found"]
    tank, cats = await lift_by_meaning(checked, [SOURCE], ByTopic(), "de")
    assert tank.verdict == "partly"
    assert tank.evidence is not None
    assert tank.evidence.text == "The storage tank must be emptied before winter."
    assert SOURCE.text[tank.evidence.start : tank.evidence.end] == tank.evidence.text
    assert cats == checked[1]


async def test_a_differing_number_stays_a_mismatch() -> None:
    checked = check(FILTER)
    assert (checked[0].verdict, checked[0].missing) == ("value_mismatch", ("700",))
    assert await lift_by_meaning(checked, [SOURCE], ByTopic(), "de") == checked


async def test_nothing_is_embedded_if_the_languages_are_the_same() -> None:
    german = SourceText(1, "Der Speicher fasst Öl. Er steht im Keller neben der Heizung des Hauses.", "de")
    embedder = ByTopic()
    checked = check("Sommerliche Wärme schadet Speicher und Pflanzen gleichermaßen sehr.", sources=[german])
    assert await lift_by_meaning(checked, [german], embedder, "de") == checked
    assert embedder.seen == []
