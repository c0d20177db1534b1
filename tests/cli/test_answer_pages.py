"""`ibid ask --html` and `ibid verify`, as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.synthesis.answer import Source
from server.commands.ask_terminal import file_address, linked
from tests.values import hit, text_block

ANSWER = """The impeller turns at 2900 revolutions per minute (Source: pumps.md).
The impeller turns at 3900 revolutions per minute (Source: pumps.md).
The impeller is made of cheese and wood [1].

[1] (Source: pumps.md, lines 1-3)
"""


def test_an_answer_is_written_as_one_page(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    page = tmp_path / "answer.html"
    result = run("ask", "How fast does the impeller turn?", "--html", page)
    assert result.exit_code == 0
    written = page.read_text(encoding="utf-8")
    assert "2900 revolutions" in written
    assert '<p class="verdict answered">Answered: very likely, 1 source.</p>' in written
    assert run("ask", "How fast does the impeller turn?", "--html", page).exit_code == 0


def test_a_quotation_has_no_check_mark(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    page, checked, mine = (tmp_path / name for name in ("answer.html", "checked.html", "mine.md"))
    run("ask", "How fast does the impeller turn?", "--html", page)
    written = page.read_text(encoding="utf-8")
    assert "✓" not in written
    assert "found in source" not in written
    assert "2900 revolutions per minute.</mark>" in written
    mine.write_text(ANSWER.splitlines()[0])
    run("verify", mine, "--html", checked)
    assert "✓ 1" in checked.read_text(encoding="utf-8")


def test_a_page_without_an_answer_says_so_first_and_once(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    page = tmp_path / "answer.html"
    run("ask", "What is the capital of France in the impeller?", "--html", page)
    body = page.read_text(encoding="utf-8").split("<main>")[1].strip()
    assert body.startswith('<header><p class="verdict unanswered">Your documents do not seem to answer this.</p>')
    assert "seems to answer" not in body


def test_a_file_that_is_not_an_answer_page_is_left_alone_unless_forced(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    other = tmp_path / "letter.html"
    other.write_text("<p>Dear reader</p>")
    result = run("ask", "impeller", "--html", other)
    assert result.exit_code == 2
    assert "is not a page that Ibid wrote" in result.output
    assert other.read_text() == "<p>Dear reader</p>"
    assert run("ask", "impeller", "--html", other, "--force").exit_code == 0
    assert "ibid answer page" in other.read_text(encoding="utf-8")


def test_a_users_own_answer_is_checked_claim_by_claim(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    file = tmp_path / "mine.md"
    file.write_text(ANSWER)
    result = run("verify", file)
    assert result.exit_code == 1
    assert [row.split("\t")[0] for row in result.output.splitlines()[:3]] == [
        "found in source", "value differs", "not found in source",
    ]  # fmt: skip
    assert "3900" in result.output.splitlines()[1].split("\t")[3]


def test_a_missing_source_is_reported(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    file, page = tmp_path / "mine.md", tmp_path / "mine.html"
    file.write_text("The impeller turns at 2900 revolutions per minute (Source: no-such.md).\n")
    result = run("verify", file)
    verdict, _, sources, _ = result.output.splitlines()[0].split("\t")
    assert (verdict, sources) == ("no such source", "no such source: no-such.md")
    assert run("verify", file, "--html", page).exit_code == 1
    assert "No such source: <span>no-such.md</span>" in page.read_text(encoding="utf-8")


def test_one_check_can_be_written_as_json_and_as_a_page(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    file, page = tmp_path / "mine.md", tmp_path / "mine.html"
    file.write_text(ANSWER.splitlines()[0])
    result = run("verify", file, "--json", "--html", page)
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["counts"] == {"found": 1}
    assert told["claims"][0]["evidence"]["source"].startswith("pumps.md")
    assert "mine.md, checked" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["", "  \n", "x" * 50_000])
def test_an_answer_that_cannot_be_checked_is_refused_in_a_sentence(run, notes, tmp_path, text: str) -> None:
    run("ingest", notes)
    file = tmp_path / "mine.md"
    file.write_text(text)
    result = run("verify", file)
    assert result.exit_code == 2
    assert "answer" in result.output


def test_a_citation_on_a_terminal_is_a_link_to_its_page(tmp_path: Path) -> None:
    path = tmp_path / "a manual.pdf"
    one = hit(text_block("Text.", page=4), source_path=str(path))
    source = Source(1, "(Source: a manual.pdf, S. 4)", one)
    address = f"{path.as_uri()}#page=4"
    assert file_address(source) == address
    assert linked("It turns [1]. *(Source: a manual.pdf, S. 4)*", [source]) == (
        f"It turns [\\[1\\]](<{address}>). *[(Source: a manual.pdf, S. 4)](<{address}>)*"
    )
    assert linked("Of nobody [2].", [source]) == "Of nobody [2]."
