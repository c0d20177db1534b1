"""Follow-up questions keep the document and the subject of the previous question."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.library import Library
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.request import SynthesisRequest, Turn
from corpus.synthesis.retrieval import file_names, previous_question
from tests.shelf import a_document
from tests.values import text_block

TEXTS = {
    "titan": [
        "The main risks of Project Titan are a late supplier and a missing permit.",
        "Both risks are mitigated by a second supplier and by an early talk with the authority.",
    ],
    "clinic": [
        "The main risks of the clinic are infections and falls.",
        "Infections are mitigated by washing hands. Falls are mitigated by rails at each bed.",
        "How risks are mitigated in the clinic is reviewed every month, and risks that are not mitigated are told.",
    ],
    "gecko-101": ["The Gecko 101 weighs 12 kg. The Gecko 101 is a small climbing robot for walls."],
    "gecko-202": ["The Gecko 202 weighs 31 kg. The Gecko 202 is a climbing robot for steel."],
    "lease": ["The landlord is the Lindner company.", "The rent is due on the third day of each month."],
}


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    index = LocalIndex.open(tmp_path, None)
    for name, texts in TEXTS.items():
        blocks = [text_block(text, page=page, doc_id=name) for page, text in enumerate(texts, 1)]
        await index.replace(a_document(name, access_control_list=("*",)), [NewBlock(one) for one in blocks])
    yield Library(index, None)
    await index.aclose()


async def asked(library: Library, *turns: str) -> Synthesis:
    """Return the answer to the last turn, after earlier questions and answers in turn."""
    *earlier, question = turns
    roles = ("user", "assistant")
    history = tuple(Turn(roles[n % 2], text) for n, text in enumerate(earlier))  # type: ignore[arg-type]
    return await library.synthesize(SynthesisRequest(question, history=history, mode="compose"), ANONYMOUS)


def cited(made: Synthesis) -> set[str]:
    return {one.hit.document.doc_id for one in made.sources if one.hit}


@pytest.mark.anyio
async def test_a_pronoun_stays_in_the_document_that_the_last_answer_cited(library: Library) -> None:
    made = await asked(
        library,
        "What are the main risks of Project Titan?",
        "A late supplier and a missing permit. (Source: titan.pdf, S. 1)",
        "How are they mitigated?",
    )
    assert cited(made) == {"titan"}


@pytest.mark.anyio
async def test_a_new_subject_gets_the_same_question(library: Library) -> None:
    made = await asked(
        library,
        "How much does the Gecko 101 weigh?",
        "It weighs 12 kg. (Source: gecko-101.pdf, S. 1)",
        "And the Gecko 202?",
    )
    assert "31 kg" in made.answer
    assert "12 kg" not in made.answer


@pytest.mark.anyio
async def test_a_short_independent_question_leaves_the_document(library: Library) -> None:
    made = await asked(
        library,
        "What are the main risks of Project Titan?",
        "A late supplier. (Source: titan.pdf, S. 1)",
        "Who is the landlord?",
    )
    assert "Lindner" in made.answer


@pytest.mark.anyio
async def test_a_citation_of_an_unreadable_file_changes_nothing(library: Library) -> None:
    made = await asked(
        library,
        "What are the main risks of the clinic?",
        "Falls. (Source: secret.pdf, S. 9)",
        "How are they mitigated?",
    )
    assert "clinic" in cited(made)
    assert not any("secret" in warning for warning in made.warnings)


@pytest.mark.anyio
async def test_filters_of_the_client_take_precedence(library: Library) -> None:
    history = (
        Turn("user", "What are the main risks of Project Titan?"),
        Turn("assistant", "A late supplier. (Source: titan.pdf, S. 1)"),
    )
    request = SynthesisRequest("How are they mitigated?", Filters(doc_id=("clinic",)), history=history, mode="compose")
    assert cited(await library.synthesize(request, ANONYMOUS)) == {"clinic"}


@pytest.mark.parametrize(
    ("before", "follow_up", "understood"),
    [
        ("How heavy is the Gecko 101 robot?", "And the Gecko 202?", "How heavy is the Gecko 202 robot?"),
        ("How loud is the F10 fan?", "What about the F20?", "How loud is the F20 fan?"),
        ("What was the revenue in 2022?", "And in 2023?", "What was the revenue in 2023?"),
        ("How much does Acme pay for rent?", "and Globex?", "How much does Globex pay for rent?"),
        ("Wer ist der Vermieter?", "Und der Mieter?", "Wer ist der Mieter?"),
        ("Wie laut ist der Lüfter F10?", "Und der F20?", "Wie laut ist der Lüfter F20?"),
        ("How does Acme compare with Globex?", "And Initech?", "How does Acme compare with Globex?"),
        ("How heavy is it?", "Why?", "How heavy is it?"),
    ],
)
def test_a_what_about_question_repeats_the_previous_question_for_another_subject(
    before: str, follow_up: str, understood: str
) -> None:
    assert previous_question(follow_up, [Turn("user", before), Turn("assistant", "So.")]) == understood


def test_two_follow_ups_in_a_row_both_refer_to_the_first_question() -> None:
    history = [
        Turn("user", "How much does the Gecko 101 robot weigh when it is empty?"),
        Turn("user", "And the Gecko 202?"),
    ]
    assert (
        previous_question("And the Gecko 303?", history) == "How much does the Gecko 303 robot weigh when it is empty?"
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It turns (Source: pump.pdf, S. 4 (printed 12)).", ["pump.pdf"]),
        ("[1] (Source: a\\_b (old).md, lines 3-9)", ["a_b (old).md"]),
        ("*(Source: notes.md, Pumps, lines 1-3)*", ["notes.md, Pumps", "notes.md"]),
        ("*(Source: 2024/bill.pdf, S. 1)*", ["2024/bill.pdf", "bill.pdf"]),
        ("(Source: Smith, Jones.pdf)", ["Smith, Jones.pdf", "Smith"]),
        ("".join(f"(Source: {n}.md, line 1)" for n in range(4)), []),
    ],
)
def test_the_files_of_the_last_answer_are_those_that_it_cites(text: str, names: list[str]) -> None:
    history = [Turn("assistant", "(Source: older.pdf, S. 1)"), Turn("user", "And?"), Turn("assistant", text)]
    assert [first for first, *_ in file_names(history)][: len(names)] == names
    assert not any("older" in name for way in file_names(history) for name in way)


def test_an_answer_without_citations_is_about_the_files_of_the_previous_one() -> None:
    history = [
        Turn("assistant", "(Source: older.pdf, S. 1)"),
        Turn("user", "And?"),
        Turn("assistant", "Yes."),
    ]
    assert file_names(history)[0] == ("older.pdf",)


def test_several_files_are_each_named_once() -> None:
    pages = "".join(f"(Source: a.pdf, S. {page})" for page in range(1, 9))
    history = [Turn("assistant", f"{pages} (Source: x/b.pdf, S. 2)")]
    assert file_names(history) == (("a.pdf", "x/b.pdf"), ("a.pdf", "b.pdf"))
