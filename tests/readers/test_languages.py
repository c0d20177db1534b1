"""The language of blocks and documents."""

from __future__ import annotations

from typing import cast

import pytest

from corpus.readers.languages import language_of, with_languages
from corpus.readers.protocol import ReadBlock

GERMAN = "Die Pumpe fördert das Wasser durch den Kühler und zurück in den Behälter, und das bei jeder Drehzahl. " * 3
ENGLISH = "The pump moves the water through the cooler and back into the tank, and does so at any speed. " * 3


def blocks(*texts: str) -> list[ReadBlock]:
    return [ReadBlock(place=f"t{n}", block_type="text", content=text) for n, text in enumerate(texts)]


def at_the_end(*texts: str) -> tuple[list[ReadBlock], str | None]:
    """Return the blocks and the language, which come after all signs of life."""
    steps = with_languages(blocks(*texts))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(tuple[list[ReadBlock], str | None], end.value)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "de"),
        (ENGLISH, "en"),
        ("吾輩は猫である。名前はまだ無い。", "ja"),
        ("Hi", None),
        ("12 34 " * 50, None),
    ],
)
def test_a_text_has_a_language_or_is_too_short(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_short_blocks_get_the_language_of_the_document() -> None:
    settled_blocks, main = at_the_end(GERMAN, "Stop!", GERMAN)
    assert main == "de"
    assert [block.language for block in settled_blocks] == ["de", "de", "de"]


def test_a_document_may_be_in_two_languages() -> None:
    settled_blocks, main = at_the_end(GERMAN, ENGLISH, GERMAN)
    assert main == "de"
    assert [block.language for block in settled_blocks] == ["de", "en", "de"]


def test_a_language_of_a_small_part_is_ignored() -> None:
    settled_blocks, _ = at_the_end(*[ENGLISH] * 30, GERMAN)
    assert {block.language for block in settled_blocks} == {"en"}


def test_a_document_without_words_has_no_language() -> None:
    assert at_the_end("1 2 3") == (blocks("1 2 3"), None)
