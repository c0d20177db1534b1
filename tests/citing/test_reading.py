"""Recognition of citations and claims, and the assignment of citations to claims."""

from __future__ import annotations

import pytest

from corpus.citing.protocol import Citable, CitedAnswer
from corpus.citing.reading import read_citations
from corpus.synthesis.confidence import NOTICE

SOURCES = (
    Citable(1, "boiler.pdf", 45, "33"),
    Citable(2, "boiler.pdf", 46, "34"),
    Citable(3, "budget (final).xlsx", 2),
    Citable(4, "notes.txt"),
    Citable(5, url="https://example.org/tide"),
)


def read(answer: str, language: str | None = "en") -> CitedAnswer:
    return read_citations(answer, SOURCES, language)


MARKERS = {
    "Rain fell [1].": (1,),
    "Rain fell[2][1].": (2, 1),
    "Rain fell [1], [3].": (1, 3),
    "Rain fell [1] and [3].": (1, 3),
    "Rain fell [1 and 3].": (1, 3),
    "Rain fell [1,2; 4].": (1, 2, 4),
    "Rain fell [4-2].": (2, 3, 4),
    "Rain fell [1]–[3].": (1, 2, 3),
    "Rain fell [1—2, 5].": (1, 2, 5),
    "Rain fell [#2].": (2,),
    "Rain fell [2, p. 46].": (2,),
    "Rain fell [^3].": (3,),
    "Rain fell [^3^].": (3,),
    "Rain fell [[4]].": (4,),
    "Rain fell [4](https://example.org/x).": (4,),
    "Rain fell [Source 2].": (2,),
    "Rain fell [sources: 2, 3].": (2, 3),
    "Rain fell (Quelle: 3).": (3,),
    "Rain fell (Source: [3], [4]).": (3, 4),
    "Rain fell [cite: 1].": (1,),
    "Rain fell ［2］.": (2,),
    "Rain fell 【3†source】.": (3,),
    "Rain fell 【2:7†boiler.pdf】.": (2,),
    "Rain fell [3†L1-L9].": (3,),
    "Rain fell [２].": (2,),
    "Rain fell².": (2,),
    "Rain fell.¹⁻³": (1, 2, 3),
    "Rain fell<sup>2,3</sup>.": (2, 3),
    "Rain fell (Source: boiler.pdf, S. 45).": (1,),
    "Rain fell (Source: boiler.pdf, S. 45 (printed 33)).": (1,),
    "Rain fell (Quelle: Boiler.PDF, Seite 46).": (2,),
    "Rain fell (Quelle: boiler.pdf, S. 46, gedruckt 34).": (2,),
    "Rain fell (boiler.pdf, Page 46).": (2,),
    "Rain fell [boiler.pdf, pp. 45-46].": (1, 2),
    "Rain fell (boiler.pdf).": (1, 2),
    "Rain fell (Source: boiler.pdf).": (1, 2),
    "Rain fell (Source: boiler.pdf, printed 34).": (2,),
    "Rain fell (Source: boiler.pdf, S. 45; notes.txt, lines 3-9).": (1, 4),
    "Rain fell (Sources: boiler.pdf, S. 46, notes.txt).": (2, 4),
    "Rain fell (Source: budget (final).xlsx, sheet Costs).": (3,),
    "Rain fell (Source: boiler.pdf, Section 4.2).": (1, 2),
    "Rain fell (Source: manuals/boiler.pdf, p. 45).": (1,),
    "Rain fell [Source: https://example.org/tide].": (5,),
    "Rain fell [Source: https://example.org/tide/].": (5,),
    "Rain fell *(Source: notes.txt)*.": (4,),
    "Rain fell.\nSource: boiler.pdf, S. 45": (1,),
}


@pytest.mark.parametrize("answer", MARKERS)
def test_a_marker_names_its_sources_and_is_removed_from_the_sentence(answer: str) -> None:
    found = read(answer)
    assert (found.citations, found.invalid) == (MARKERS[answer], ())
    assert [(claim.text, claim.citations) for claim in found.claims] == [("Rain fell.", MARKERS[answer])]


NO_MARKERS = [
    "Call `row[2]` twice.",
    "Built in 1974 (reopened 1990).",
    "The [harbour plan [2]](https://example.org/p) shows it.",
    "In [2019](https://example.org/y) it closed.",
    "It lies in $[1, 2]$ always.",
    "It lies in the interval [0, 1] always.",
    "It holds for x ∈ [1, 2] only.",
    r"Print \[2\] here.",
    "It covers 30 m² of wall.",
    "It makes 5·10³ turns.",
    "Here E = mc² holds.",
    "The text has [sic] errors.",
    "The group (3) won.",
    "Look at <!-- [1] --> the floor.",
    "It says (see chapter 3, p. 9) so.",
]


@pytest.mark.parametrize("answer", NO_MARKERS)
def test_text_that_only_looks_like_a_marker_cites_nothing(answer: str) -> None:
    found = read(answer)
    assert (found.citations, found.invalid) == ((), ())
    assert len(found.uncited) == 1


INVALID = {
    "Rain fell [9].": ("9",),
    "Rain fell [0].": ("0",),
    "Rain fell [2019].": ("2019",),
    "Rain fell [4-7].": ("6", "7"),
    "Rain fell [1-999999999].": ("6-999999999",),
    "Rain fell (Source: lost.pdf, S. 3).": ("lost.pdf, S. 3",),
    "Rain fell (lost.pdf, p. 3).": ("lost.pdf, p. 3",),
    "Rain fell (Source: boiler.pdf, S. 99).": ("boiler.pdf, S. 99",),
    "Rain fell [Source: https://example.org/ebb].": ("https://example.org/ebb",),
    "Rain fell (Source: Unknown source).": ("Unknown source",),
}


@pytest.mark.parametrize("answer", INVALID)
def test_a_marker_without_a_source_is_reported_as_written(answer: str) -> None:
    found = read(answer)
    assert found.invalid == found.claims[0].invalid == INVALID[answer]
    assert found.uncited == ()


UNCITED: dict[str, list[str]] = {
    "Rain fell [1]. Snow fell.": ["Snow fell."],
    "Rain fell. [1] Snow fell.": ["Snow fell."],
    "Rain fell.[1] Snow fell.": ["Snow fell."],
    "Rain fell.\n[1] Snow fell.": ["Snow fell."],
    "[1] Rain fell. Snow fell.": ["Snow fell."],
    "Who came? Nobody came.": ["Nobody came."],
    "# Weather\n\nRain fell.": ["Rain fell."],
    "Weather\n=======\n\nRain fell.": ["Rain fell."],
    "**Weather**\n\n**Rain** fell.": ["Rain fell."],
    "A grid of 4*6 cells and 3*7 more.": ["A grid of 4*6 cells and 3*7 more."],
    "Prices without tax*.": ["Prices without tax*."],
    "*Rain* fell.": ["Rain fell."],
    "The list:\n\n1. rain\n2. snow [2]\n   - **hail**": ["rain", "hail"],
    "- [x] Oil the hinge\n- Rain fell [1]. Snow fell.": ["Oil the hinge", "Snow fell."],
    "> Rain fell.\n> Snow fell [2].": ["Rain fell."],
    "| A | B |\n|---|---|\n| x [1] | y |\n| **z** | w |": ["| z | w |"],
    "A | B\n--|--\nx | y [1]\nz | w": ["z | w"],
    "```\nRain fell [1].\n```\nSnow fell.": ["Snow fell."],
    "Rain fell [1].\n\n    v[2] = 3\n": [],
    "Rain fell [1].\n\n[^1]: boiler.pdf, a long guide.\n    More of it.": [],
    "Rain fell [1].\n\n## Sources\n\n1. A guide to rain.\n2. [Tides](https://x.org).": [],
    "Regen fiel [1].\n\n**Quellen:**\n- [1] boiler.pdf\n- [2] notes.txt": [],
    "Rain fell [1].\n\n[1] (Source: boiler.pdf, S. 45)  \n[2] (Source: notes.txt)": [],
    "Rain fell. Snow fell.\n\n*(Source: boiler.pdf, S. 45)*": [],
    "Rain fell. Snow fell.\n*(Source: boiler.pdf, S. 45)*": [],
    "Rain fell.\n\n![Cloud [3]](c.png)\n\n*(Source: boiler.pdf, S. 45)*": ["Rain fell."],
    "- rain\n- snow\n\n(Source: notes.txt)": [],
    "Rain fell [1].\n\nReferences\n\n1. A guide, 2019.\n2. Tides, 2020.": [],
    "Rain fell.¹\n\n¹ boiler.pdf\n² notes.txt": [],
    "Rain fell. Snow fell.\n\n[2]": ["Rain fell."],
    "Rain fell [1].\n\n## Sources\n\nSnow fell on Friday": ["Snow fell on Friday"],
    "Rain fell [1].\n\n## References\n\n- boiler.pdf, p. 45.\n- Snow fell.": ["Snow fell."],
    "Rain fell [1].\n\n## Sources\n\n[1] boiler.pdf\nSnow fell.": ["Snow fell."],
    "Rain fell [1].\n\n## Sources\n\n| [1] | boiler.pdf |\n| Snow | fell |": ["| Snow | fell |"],
    "Rain fell [1].\n\nQuelle:\nSnow fell on Friday": ["Snow fell on Friday"],
    "Rain fell [1].\n\nSources: Snow fell on Friday.": ["Sources: Snow fell on Friday."],
    "Rain fell [1].\n\n- Literature\n\nReferences\n\n- Snow fell.": ["Literature", "Snow fell."],
    "Rain fell [1].\n\nSources: boiler.pdf, notes.txt": [],
    "Rain fell [1].\n\n## Sources\n\nWood, A. (2019). Rain. Ghent.": [],
    "Rain fell [^1].\n\n[^1]\\: boiler.pdf, S. 45": [],
    "Rain fell [1].\n\n[1]\\: https://example.org/tide": [],
    "Rain fell [1].\n\n[note]\\: Snow fell.": ["[note]: Snow fell."],
    "Not found in the provided sources.": [],
    "In den Quellen nicht gefunden.": [],
    NOTICE: [],
    "See [the plan](https://x.org) and `a_b`.": ["See the plan and a_b."],
    "It was $4 [1]. Now it is $5.": ["Now it is $5."],
    "桥很长[1]。河很宽。": ["河很宽。"],
    "البحر واسع [2]. السماء صافية.": ["السماء صافية."],
    "La mer est haute [1]. Mme Petit l'a vue.": ["Mme Petit l'a vue."],
}


@pytest.mark.parametrize("answer", UNCITED)
def test_a_claim_without_its_own_marker_is_uncited(answer: str) -> None:
    assert [claim.text for claim in read(answer, None).uncited] == UNCITED[answer]


@pytest.mark.parametrize(
    ("answer", "uncited"),
    [
        ("Dr. Vogt kam am 3. Mai 2021 [1]. Der 2. Versuch gelang.", ["Der 2. Versuch gelang."]),
        ("Er maß z. B. Druck u. a. Werte [1]. Nr. 7 fehlt.", ["Nr. 7 fehlt."]),
        ("Das Tor ist zu (Quelle: boiler.pdf, S. 45). Es ist alt.", ["Es ist alt."]),
        ("Es kam Öl, Gas usw. Das genügte [2].", ["Es kam Öl, Gas usw."]),
    ],
)
def test_german_abbreviations_and_ordinals_do_not_end_a_sentence(answer: str, uncited: list[str]) -> None:
    assert [claim.text for claim in read(answer, "de").uncited] == uncited


def test_a_list_of_sources_cites_nothing() -> None:
    assert read("Rain fell [1].\n\nSources:\n[1] boiler.pdf\n[4] notes.txt").citations == (1,)


def test_markers_in_headings_and_questions_count_only_for_the_answer() -> None:
    found = read("## Rain [1]\n\nWho came [2]? Nobody came [3].")
    assert found.citations == (1, 2, 3)
    assert [(claim.text, claim.citations) for claim in found.claims] == [("Nobody came.", (3,))]


def test_a_claim_is_located_in_the_answer_with_its_markers() -> None:
    answer = "Foreword?\r\n\r\n- **Rain** fell. [1] Snow\r\n  fell [2]."
    first, second = read(answer).claims
    assert answer[first.start : first.end] == "Rain** fell. [1]"
    assert answer[second.start : second.end] == "Snow\r\n  fell [2]."
    assert (first.kind, second.text) == ("item", "Snow fell.")


def test_all_files_with_one_name_are_cited() -> None:
    twins = (Citable(1, "a.pdf", 3), Citable(2, "a.pdf", 3), Citable(3, "a.pdf", 4))
    assert read_citations("It is so (Source: a.pdf, S. 3).", twins).citations == (1, 2)


def test_sources_without_a_name_are_cited_as_unknown() -> None:
    assert read_citations("It is so (Source: Unknown source).", [Citable(1)]).citations == (1,)


HIJACKING = (
    Citable(1, "manual.pdf", 3),
    Citable(2, "manual.pdf, S. 3.txt"),
    Citable(3, "manual.pdf.txt"),
    Citable(4, "plan.txt"),
)


@pytest.mark.parametrize(
    ("marker", "citations"),
    [
        ("manual.pdf, S. 3", (1,)),
        ("manual.pdf", (1,)),
        ("manual.pdf, S. 9", ()),
        ("manual.pdf, S. 3.txt", (2,)),
        ("manual.pdf.txt", (3,)),
        ("plan", (4,)),
    ],
)
def test_a_full_name_takes_precedence_over_one_without_its_extension(marker: str, citations: tuple[int, ...]) -> None:
    assert read_citations(f"It is so (Source: {marker}).", HIJACKING).citations == citations
