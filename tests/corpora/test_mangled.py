"""Documents that were re-saved or mangled are read correctly, or a warning says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.mangled import Trial, judged, trials
from corpus.readers.protocol import ReadBlock, ReadDocument

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

COUNT, SEED = 40, 2
"""Size and seed of a sample of the files that `python -m bench mangled` tries."""


def told(text: str, *warnings: str) -> ReadDocument:
    return ReadDocument(blocks=(ReadBlock(place="t1", block_type="text", content=text),), warnings=warnings)


def verdict(before: str, after: ReadDocument | str, *out: str) -> str:
    return judged("mangle", "file", told(before), after, out).verdict


def test_a_trial_passes_only_with_the_words_in_order() -> None:
    words = " ".join(f"word{n}" for n in range(60))
    turned = " ".join(f"word{n}" for n in reversed(range(60)))
    assert verdict(words, told(words)) == "right"
    assert verdict(words, told(turned)) == "silent"
    assert verdict(words, told("word1")) == "silent"
    assert verdict(words, told("word1", "The text of page 1 makes no sense.")) == "warned"
    assert verdict(words, "is damaged") == "warned"


def test_removed_text_must_be_reported() -> None:
    assert verdict("The toll is four six euros.", told("The toll is six euros."), "four") == "silent"
    assert verdict("The toll is four six euros.", told("The toll is six euros.", "Left out: 1"), "four") == "right"


async def test_nothing_is_lost_silently(corpora: Path, tmp_path: Path) -> None:
    done = await trials(corpora, COUNT, SEED, tmp_path)
    assert len(done) == COUNT
    silent: list[Trial] = [trial for trial in done if trial.verdict == "silent"]
    assert not silent
