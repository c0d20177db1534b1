"""Office documents of the development corpora: questions can be answered, and the text is the same in each format."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.protocol import ReadBlock, ReadDocument
from corpus.readers.sandbox.pool import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

GOLD = {
    "giraffe": ("giraffe", "driving a car", "at the beach"),
    "laptop": ("cat", "laptop", "in a home office"),
    "minivan": ("minivan", "gray", "beige", "black"),
    "bullet": ("section one", "first bullet", "second bullet", "third bullet"),
    "charts": ("2 tables", "2 charts"),
}
"""Words that must be in one block, keyed by a word of the question."""

NOT_THERE = {
    ("multimodal_test.docx", "minivan"),
    ("multimodal_test.pptx", "minivan"),
    ("multimodal_test.pptx", "bullet"),
    ("multimodal_test.pptx", "charts"),
}
"""Files that do not contain this text, neither as characters nor in a picture, although the PDF does."""


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


def words(block: ReadBlock) -> str:
    """Return the words in a comparable form. The font of this PDF has "@" for "ff"."""
    text = " ".join(filter(None, (block.heading, block.image_caption, block.content)))
    return " ".join(text.replace("@", "ff").replace("|", " ").lower().split())


async def test_the_questions_are_answerable_from_one_block(corpora: Path, reading: ReadingProcesses) -> None:
    rows = [json.loads(line) for line in (corpora / "office" / "questions.jsonl").read_text().splitlines()]
    documents = {name: await reading.read(corpora / "office" / name) for name in {row["doc"] for row in rows}}
    missing = {
        (row["doc"], word)
        for row in rows
        for word, gold in GOLD.items()
        if word in row["question"].lower()
        and not any(all(part in words(block) for part in gold) for block in documents[row["doc"]].blocks)
    }
    assert missing == NOT_THERE


async def test_the_same_sentences_are_in_the_docx_and_the_pdf(corpora: Path, reading: ReadingProcesses) -> None:
    docx, pdf = [await reading.read(corpora / "office" / f"multimodal_test.{kind}") for kind in ("docx", "pdf")]
    inside = said_by(pdf)
    sentences = list(sentences_of(docx.blocks))
    found = [sentence for sentence in sentences if letters(sentence) in inside]
    print(f"{len(found)} of {len(sentences)} sentences of the DOCX stand in the PDF")
    assert len(sentences) >= 15
    assert len(found) >= 0.85 * len(sentences)


def sentences_of(blocks: Iterable[ReadBlock]) -> Iterable[str]:
    for block in blocks:
        if block.block_type == "text":
            for sentence in re.split(r"(?<=[.!?])\s+|\n(?=- )|\n\|[ -|]+\|\n|\|", block.content):
                if len(letters(sentence)) > 15:
                    yield sentence


def said_by(document: ReadDocument) -> str:
    return "".join(letters(words(block)) for block in document.blocks)


def letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docx-tables.docx", "| Header Col 1 | Header Col 2 |"),
        ("fake-power-point-table.pptx", "| Purple | Orange | Yellow |"),
        ("stanley-cups.xlsx", "| Maple Leafs | TOR | 13 |"),
        ("stanley-cups.csv", "| Maple Leafs | TOR | 13 |"),
        ("simple-table.md", "Bananas | 1.89 | 6"),
        ("fake.odt", "| Leader | Sarah | Mark | Ryan |"),
        ("fake-doc.rtf", "| Row 1, Cell 1 | Row 1, Cell 2 |"),
        ("fake-html.html", "| Row 2, Cell 1 | Row 2, Cell 2 |"),
        ("fake-email.eml", "Roses are red"),
        ("winter-sports.epub", "Sun-seeker"),
    ],
)
async def test_a_sample_of_each_format_is_read(corpora: Path, reading: ReadingProcesses, name: str, text: str) -> None:
    document = await reading.read(corpora / "office" / name)
    assert text in "\n".join(block.content for block in document.blocks)


@pytest.mark.parametrize(
    ("name", "captions"),
    [
        ("woods_frost.docx", {"Figure 1: Snowy Woods", "Figure 2: Robert Frost"}),
        ("multimodal_test.pptx", {None}),
    ],
)
async def test_pictures_become_figures_with_their_captions(
    corpora: Path, reading: ReadingProcesses, name: str, captions: set[str | None]
) -> None:
    document = await reading.read(corpora / "office" / name)
    assert {block.image_caption for block in document.blocks if block.block_type == "image"} == captions


HOSTILE = {
    "billion-laughs.docx": "entities",
    "zip-bomb-100mb.docx": "refused",
    "xxe.docx": "entities",
    "truncated.docx": "damaged",
    "html-named.docx": "damaged",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_office_file_is_refused_with_the_reason(
    corpora: Path, reading: ReadingProcesses, name: str
) -> None:
    with pytest.raises(UnreadableDocument, match=HOSTILE[name]):
        await reading.read(corpora / "nasty" / "files" / name)


async def test_archive_names_that_lead_outside_write_nothing(corpora: Path, reading: ReadingProcesses) -> None:
    document = await reading.read(corpora / "nasty" / "files" / "zip-path-traversal.docx")
    assert document.warnings == ()


async def test_a_table_in_utf_16_has_its_columns(corpora: Path, reading: ReadingProcesses) -> None:
    document = await reading.read(corpora / "nasty" / "files" / "utf16-bom.csv")
    assert document.blocks[0].content == "| Teil | Preis |\n| --- | --- |\n| Pumpe | 12,50 € |"
