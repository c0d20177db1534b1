"""What is said of a document without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.ingestion.describing import kind_of, summaries, title_of
from corpus.readers.promise import ReadBlock, ReadDocument


def read(*texts: str, headings: tuple[str | None, ...] = (), **changes: str) -> ReadDocument:
    names = (*headings, *[None] * len(texts))
    blocks = (
        ReadBlock(place=f"p1-{n}", block_type="text", content=text, heading=names[n])
        for n, text in enumerate(texts)
    )
    return ReadDocument(blocks=tuple(blocks), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("xyz-pump-technical-manual.pdf", "Manual"),
        ("Employee_Handbook.pdf", "Manual"),
        ("xyz-pumpe-wartungshandbuch.pdf", "Manual"),
        ("Quartalsbericht 3.pdf", "Report"),
        ("project-titan-q1-report.pdf", "Report"),
        ("notes.md", "Note"),
        ("invoice.pdf", "Document"),
    ],
)
def test_the_kind_is_read_off_the_name(name: str, kind: str) -> None:
    assert kind_of(Path(name), read()) == kind


def test_a_text_with_abstract_and_references_is_a_paper() -> None:
    paper = read("Abstract We study pumps.", "Body.", "[1] A book.", headings=(None, None, "References"))
    assert kind_of(Path("2310.05634v2.pdf"), paper) == "Paper"


def test_without_a_title_the_file_name_serves() -> None:
    assert title_of(Path("my_file name.pdf"), read()) == "my file name"
    assert title_of(Path("x.pdf"), read(title="Real title")) == "Real title"


def test_summaries_are_the_documents_own_opening_sentences() -> None:
    sentences = [
        f"Sentence number {n} says a thing that somebody may want to know about pumps." for n in range(40)
    ]
    brief, standard = summaries(read("1 Intro ........ 3", " ".join(sentences)))
    assert brief == " ".join(sentences[:3])
    assert standard.startswith(brief)
    assert len(standard) <= 1600
    assert standard.count("\n\n") == 1


def test_an_abstract_comes_before_what_stands_above_it() -> None:
    title_page = "This page was left blank by the printer and tells nobody anything at all."
    abstract = "We show that pumps can be understood by reading a single page of text."
    brief, _ = summaries(read(title_page, abstract, headings=(None, "Abstract")))
    assert brief == abstract


def test_a_document_without_prose_has_no_summary() -> None:
    assert summaries(read("1 2 3 4 5", "A ..... 7")) == ("", "")
