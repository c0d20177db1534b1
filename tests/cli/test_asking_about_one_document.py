"""`ibid ask` about "the report" lists the candidate documents, like the tool, and does not merge them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def reports(run, tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    for quarter, what in (("q1", "spring"), ("q2", "summer")):
        text = f"# Report {quarter.upper()}\n\nThe harvest of {what} was counted on the last day of the quarter."
        (folder / f"{quarter}-report.md").write_text(text)
    run("ingest", folder, "--type", "Report")
    return folder


@pytest.mark.parametrize("question", ["Summarise the report", "Fasse den Bericht zusammen"])
def test_candidate_documents_are_listed_and_none_is_answered_from(run, reports: Path, question: str) -> None:
    answer = run("ask", question)
    assert answer.exit_code == 2
    assert "may mean any of 2 documents" in answer.output
    assert "--document" in answer.output
    assert "q1-report.md" in answer.output
    assert "q2-report.md" in answer.output
    assert "harvest" not in answer.output


def test_no_page_is_written_either(run, reports: Path, tmp_path: Path) -> None:
    assert run("ask", "Summarise the report", "--html", tmp_path / "answer.html").exit_code == 2
    assert not (tmp_path / "answer.html").exists()


def test_the_named_document_is_summarised(run, reports: Path) -> None:
    answer = run("ask", "Summarise the report", "--document", "q2-report.md")
    assert answer.exit_code == 0
    assert "harvest of summer" in answer.output
    assert "q1-report.md" not in answer.output


def test_an_id_from_the_options_selects_a_document_too(run, reports: Path) -> None:
    told = run("ask", "Summarise the report").output
    doc_id = next(line.rpartition("doc_id ")[2].strip() for line in told.splitlines() if "q1-" in line)
    assert "harvest of spring" in run("ask", "Summarise the report", "--document", doc_id).output


def test_several_named_documents_are_all_answered_from(run, reports: Path) -> None:
    both = ("--document", "q1-report.md", "--document", "q2-report.md")
    answer = run("ask", "When was the harvest counted?", *both)
    assert "q1-report.md" in answer.output
    assert "q2-report.md" in answer.output
    assert "q2-report.md" not in run("ask", "When was the harvest counted?", *both[:2]).output


def test_an_ambiguous_or_unknown_name_is_reported_with_the_next_step(run, reports: Path) -> None:
    several = run("ask", "Summarise the report", "--document", "report")
    assert several.exit_code == 2
    assert "'report' fits 2 documents" in several.output
    none = run("ask", "Summarise the report", "--document", "nope.pdf")
    assert none.exit_code == 2
    assert "`ibid list`" in none.output
