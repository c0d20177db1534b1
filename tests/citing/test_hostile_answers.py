"""Any answer can be read, and all positions of citations are within it."""

from __future__ import annotations

import pytest
import sentencex  # noqa: F401  # loaded here, or the first example of a property takes too long
from hypothesis import given
from hypothesis import strategies as st

from corpus.citing.protocol import Citable
from corpus.citing.reading import read_citations
from corpus.text.sentences import sentences

SOURCES = (Citable(1, "a.pdf", 3), Citable(2, "a.pdf", 4, "ii"), Citable(5, url="https://x.org/a"))
PARTS = st.sampled_from(
    [
        *(
            "[1]",
            "[1-9]",
            "[^2]",
            "(Source: a.pdf, S. 3)",
            "[Source: https://x.org/a]",
            "【1†x】",
            "<sup>2</sup>",
            "¹",
        ),
        *(
            "*",
            "**",
            "`",
            "```\n",
            "$",
            "\\",
            "[",
            "]",
            "(",
            ")",
            "|",
            "|---|\n",
            "- ",
            "> ",
            "# ",
            "<!--",
            "-->",
            "“",
        ),
        *("\n", "\n\n", "\r\n", "\x00", "\ud800", "Rain fell. ", "z. B. ", "。", "?", "...", "Sources:\n"),
    ]
)
ANSWERS = st.lists(st.one_of(PARTS, st.text(max_size=4)), max_size=40).map("".join)


@given(ANSWERS)
def test_claims_are_within_the_answer_and_cite_its_sources(answer: str) -> None:
    found = read_citations(answer, SOURCES, "en")
    assert set(found.citations) <= {1, 2, 5}
    for claim in found.claims:
        assert 0 <= claim.start < claim.end <= len(answer)
        assert claim.text
        assert set(claim.citations) <= set(found.citations)
        assert set(claim.invalid) <= set(found.invalid)
    assert [claim.start for claim in found.claims] == sorted(claim.start for claim in found.claims)


@given(ANSWERS, st.sampled_from(["de", "en", "zh", "xx", None]))
def test_sentences_follow_each_other_and_omit_only_space(text: str, language: str | None) -> None:
    last = 0
    for start, end in sentences(text, language):
        assert last <= start < end <= len(text)
        assert not text[last:start].strip()
        assert text[start:end] == text[start:end].strip()
        last = end
    assert not text[last:].strip()


LONG = [
    "[",
    "](",
    "[[a]",
    "(Source: ",
    "(a, ",
    "*",
    "`",
    "$",
    "<!--",
    "\t",
    "> ",
    "- ",
    "|",
    '"',
    "„",
    "\n",
    "\r\n",
]


@pytest.mark.parametrize("part", LONG)
def test_a_long_run_of_punctuation_is_read(part: str) -> None:
    assert read_citations(part * (100_000 // len(part)), SOURCES, "en").citations == ()


def test_ten_thousand_markers_and_huge_ranges_are_read() -> None:
    found = read_citations("Rain fell [1-999999999]. " * 10_000, SOURCES, "en")
    assert len(found.claims) == 10_000
    assert found.citations == (1, 2, 5)
