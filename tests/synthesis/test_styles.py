"""The same answer, cited by number or by source."""

from __future__ import annotations

import pytest

from corpus.synthesis.checking import check_claims
from corpus.synthesis.request import Observation
from corpus.synthesis.sources import cite_by_source, number_sources, source_list
from tests.values import hit, text_block

SOURCES = number_sources(
    [hit(text_block("It pumps.", page=45)), hit(text_block("It turns.", page=12, page_label="3"))],
    [Observation("Sold out.", "https://pumps.example/x"), Observation("Late.", title="A note")],
)


def test_a_list_has_a_line_for_each_source() -> None:
    assert source_list(SOURCES[:2]) == (
        "[1] (Source: manual-1.pdf, S. 45)  \n[2] (Source: manual-1.pdf, S. 12 (printed 3))"
    )


@pytest.mark.parametrize(
    ("numbered_text", "named_text"),
    [
        ("It pumps [1].", "It pumps (Source: manual-1.pdf, S. 45)."),
        ("It pumps[1].", "It pumps (Source: manual-1.pdf, S. 45)."),
        ("It pumps. [1]", "It pumps. (Source: manual-1.pdf, S. 45)"),
        ("Both [1, 2].", "Both (Source: manual-1.pdf, S. 45) (Source: manual-1.pdf, S. 12 (printed 3))."),
        ("Sold out [3].", "Sold out [Source: https://pumps.example/x]."),
        ("Late [4].", "Late [Source: A note, handed in by the client]."),
        ("Wrong [9].", "Wrong [9]."),
        ("Code `row[1]` [1].", "Code `row[1]` (Source: manual-1.pdf, S. 45)."),
        ("- It pumps [1]\n- It turns [2]", "- It pumps (Source: manual-1.pdf, S. 45)\n"
         "- It turns (Source: manual-1.pdf, S. 12 (printed 3))"),
    ],
)  # fmt: skip
def test_each_number_becomes_the_source_that_it_refers_to(numbered_text: str, named_text: str) -> None:
    assert cite_by_source(numbered_text, SOURCES) == named_text


def test_a_title_from_the_client_cannot_imitate_a_file() -> None:
    forged = Observation("It pumps at 999 bar.", title="manual-1.pdf, S. 3")
    sources = number_sources([hit(text_block("It pumps at 5 bar.", page=3))], [forged])
    check = check_claims("It pumps at 5 bar (Source: manual-1.pdf, S. 3).", sources, "en")
    assert [one.verdict for one in check.claims] == ["found"]
    assert check.citations == (1,)
