"""Text and mail files of the fault corpus: each is decoded, or a warning says that the encoding is a guess."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from corpus.readers.sandbox.pool import ReadingProcesses
from server.commands.group import ibid

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


@pytest.mark.parametrize(
    ("name", "said", "is_guess"),
    [
        ("enc-cp1251.txt", "Мост открыт", True),
        ("enc-shift-jis.csv", "定員", True),
        ("mail-without-charset.eml", "für größere Boote", False),
    ],
)
async def test_characters_are_decoded_correctly(
    corpora: Path, reading: ReadingProcesses, name: str, said: str, is_guess: bool
) -> None:
    document = await reading.read(corpora / "faults" / name)
    assert said in " ".join(block.content for block in document.blocks)
    assert any("guess" in warning for warning in document.warnings) == is_guess


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "index"))
    monkeypatch.setenv("RAG_EMBEDDER", "none")
    return lambda *arguments: CliRunner().invoke(ibid, [str(one) for one in arguments]).output


@pytest.mark.parametrize("word", ["iskele", "ışıklar", "ısıtma"])
def test_turkish_words_are_found(corpora: Path, run: Callable[..., str], word: str) -> None:
    run("ingest", corpora / "faults" / "search-turkish.md")
    assert "search-turkish.md" in run("search", word)


def test_a_changed_japanese_word_is_not_found(corpora: Path, run: Callable[..., str]) -> None:
    run("ingest", corpora / "faults" / "verify-japanese")
    said = run("verify", corpora / "faults" / "verify-japanese.answer.md")
    assert "hozen.md" in said
    assert "found in source" not in said


def test_a_folder_reached_through_a_link_is_indexed_once(
    corpora: Path, run: Callable[..., str], tmp_path: Path
) -> None:
    run("ingest", corpora / "faults" / "same-name")
    (tmp_path / "link").symlink_to(corpora / "faults" / "same-name", target_is_directory=True)
    assert "2 unchanged" in run("ingest", tmp_path / "link")
    assert "2 of 2 documents" in run("list")


def test_files_with_one_name_are_cited_and_checked_separately(
    corpora: Path, run: Callable[..., str], tmp_path: Path
) -> None:
    run("ingest", corpora / "faults" / "same-name")
    answer = run("ask", "What is the bill for mooring?")
    assert "(Source: 2024/bill.pdf, S. 1)" in answer
    assert "(Source: 2025/bill.pdf, S. 1)" in answer
    (tmp_path / "answer.md").write_text(
        "The bill for mooring in the second year: 365 euros (Source: 2025/bill.pdf, S. 1).\n"
        "The bill for mooring in the second year: 365 euros (Source: 2024/bill.pdf, S. 1).\n"
    )
    checked = run("verify", tmp_path / "answer.md").splitlines()
    assert ["found in source" in line for line in checked if "365" in line] == [True, False]


def test_lines_without_a_full_stop_answer_with_the_right_machines_value(corpora: Path, run: Callable[..., str]) -> None:
    run("ingest", corpora / "faults" / "ask-lines")
    answer = run("ask", "What is the noise level of fan F10?")
    assert "51 dB(A)" in answer
    assert "64 dB" not in answer


def test_a_japanese_question_is_answered_by_the_best_hit(corpora: Path, run: Callable[..., str]) -> None:
    run("ingest", corpora / "faults" / "ask-japanese")
    answer = run("ask", "軸受はいつ給油しますか")
    assert "三か月ごと" in answer
    assert "倉庫" not in answer
