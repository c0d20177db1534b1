"""`ibid eval` with a small index: measures, comparisons, drafts and refusals."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import anyio
import click
import pytest
from click.testing import CliRunner, Result
from pypdfium2 import PdfDocument

from corpus.index.local import LocalIndex
from server.commands.group import ibid
from tests.doubles.chat_service import MODEL, ChatService
from tests.doubles.in_thread import in_thread

PUMPS = """# Pumps

## Impeller

The impeller turns at 2900 revolutions per minute. It is cast of bronze.

## Seal

The mechanical seal needs flushing water at 3 bar.
"""
VALVES = "# Valves\n\n## Safety valve\n\nThe safety valve opens at 16 bar.\n"
ASKED = [
    {"id": "speed", "question": "How fast does the impeller turn?", "document": "pumps.md",
     "answer": "At 2900 revolutions per minute."},
    {"id": "valve", "question": "At which pressure does the safety valve open?", "doc": "valves.md"},
    {"id": "none", "question": "Who won the chess tournament in Reykjavik?", "answerable": False},
]  # fmt: skip


def ask(*arguments: object) -> Result:
    return CliRunner().invoke(ibid, ["eval", *map(str, arguments)])


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index that these tests only read."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "pumps.md").write_text(PUMPS)
    (folder / "valves.md").write_text(VALVES)
    index = tmp_path_factory.mktemp("evaluated")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAG_DATA_DIR", str(index))
        environment.setenv("RAG_EMBEDDER", "none")
        assert CliRunner().invoke(ibid, ["ingest", str(folder)]).exit_code == 0
    return index


@pytest.fixture(autouse=True)
def shelf(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_DATA_DIR", str(filled))
    monkeypatch.setenv("RAG_EMBEDDER", "none")


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return written(tmp_path, *ASKED)


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return file


def measures(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)["runs"][-1]["measures"]
    return found


def test_each_measure_counts_the_questions_that_affect_it(questions: Path) -> None:
    got = measures(ask(questions, "--json"))
    assert (got["document_hit@5"]["mean"], got["document_hit@5"]["questions"]) == (1.0, 2)
    assert (got["refused_unanswerable"]["mean"], got["refused_unanswerable"]["questions"]) == (1.0, 1)
    assert (got["refused_answerable"]["mean"], got["refused_answerable"]["questions"]) == (0.0, 2)
    assert (got["answer_words"]["mean"], got["answer_words"]["questions"]) == (1.0, 1)
    assert got["citation_validity"]["mean"] == got["grounding"]["mean"] == 1.0
    assert "page_hit@1" not in got
    assert got["failed"] == {"questions": 3, "mean": 0.0, "low": None, "high": None}


def test_a_wrong_document_lowers_the_hit_rate(tmp_path: Path) -> None:
    rows = [ASKED[0], {**ASKED[1], "doc": "no-such-file.pdf", "pages": [2]}]
    got = measures(ask(written(tmp_path, *rows), "--json", "--no-answers"))
    assert got["document_hit@5"]["mean"] == got["mrr"]["mean"] == 0.5
    assert got["page_hit@10"]["mean"] == 0.0
    assert "grounding" not in got


def test_unknown_document_names_are_reported_and_others_are_not(tmp_path: Path) -> None:
    far = {**ASKED[2], "answerable": True, "document": "PUMPS.md"}
    file = written(tmp_path, {**ASKED[1], "doc": "valve.md"}, {**far, "pages": [9]}, ASKED[0])
    report = tmp_path / "report.html"
    result = ask(file, "--no-answers", "--html", report)
    said = "The index has no document that the questions call valve.md: those questions count as not found."
    assert said in result.stderr
    assert said in report.read_text(encoding="utf-8")
    (run,) = json.loads(ask(file, "--no-answers", "--json").stdout)["runs"]
    assert run["unknown_documents"] == ["valve.md"]


def test_an_interval_needs_at_least_eight_questions(tmp_path: Path) -> None:
    rows = [{**ASKED[n % 2], "id": str(n)} for n in range(8)]
    eight = measures(ask(written(tmp_path, *rows), "--json", "--no-answers"))
    seven = measures(ask(written(tmp_path, *rows[:7]), "--json", "--no-answers"))
    assert (eight["mrr"]["low"], seven["mrr"]["low"]) == (1.0, None)


def test_the_table_and_floors_decide_the_exit_code(questions: Path) -> None:
    fine = ask(questions, "--floor", "document_hit@5=0.9", "--floor", "failed=0")
    assert (fine.exit_code, "document_hit@5" in fine.stdout) == (0, True)
    missed = ask(questions, "--floor", "page_hit@5=0.8", "--floor", "refused_unanswerable=1.1")
    assert missed.exit_code == 1
    assert "page_hit@5: no question bears on it" in missed.stderr
    assert "refused_unanswerable: 1.000 is below 1.1" in missed.stderr


def test_two_settings_are_compared_question_by_question(questions: Path, tmp_path: Path) -> None:
    empty = {"RAG_DATA_DIR": str(tmp_path / "empty")}
    anyio.run(LocalIndex.open(tmp_path / "empty", None).aclose)
    found = json.loads(ask(questions, "--json", "--set", f"RAG_DATA_DIR={empty['RAG_DATA_DIR']}").stdout)
    assert [run["settings"] for run in found["runs"]] == [{}, empty]
    assert found["difference"]["mrr"] == {"questions": 2, "mean": -1.0, "low": None, "high": None}
    narrow = CliRunner().invoke(ibid, ["eval", str(questions), "--set", f"RAG_DATA_DIR={empty['RAG_DATA_DIR']}"],
                                env={"COLUMNS": "80", "FORCE_COLOR": "1"})  # fmt: skip
    heading = click.unstyle(narrow.stdout).splitlines()[0]
    assert heading.split() == ["measure", "as", "set", "changed", "difference", "95", "%", "questions"]
    assert len(heading) <= 80


class Page(HTMLParser):
    """Elements of a page that can run code or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_report_shows_hostile_questions_as_text(tmp_path: Path) -> None:
    evil = {
        "question": "<script>alert(1)</script> <img src=https://x.example/> impeller \x1b]0;x\x07",
        "doc": "pumps.md",
    }
    file = tmp_path / "report.html"
    assert ask(written(tmp_path, evil, ASKED[0]), "--html", file).exit_code == 0
    text = file.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "a", "form"} == set()
    assert "\x1b" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert [tag for tag, _ in page.tags].count("details") == 2


def test_a_report_overwrites_no_other_file_and_contains_no_secret(questions: Path, tmp_path: Path) -> None:
    kept = tmp_path / "keep.txt"
    kept.write_text("mine")
    refused = ask(questions, "--html", kept)
    assert (refused.exit_code, kept.read_text()) == (2, "mine")
    report = tmp_path / "report.html"
    secret = ("--no-answers", "--set", "RAG_LLM_API_KEY=sk-quite-secret")
    for _ in range(2):  # a report of Ibid may be overwritten
        assert ask(questions, *secret, "--html", report).exit_code == 0
    shown = ask(questions, *secret, "--json")
    assert "sk-quite-secret" not in report.read_text(encoding="utf-8") + shown.output
    assert "RAG_LLM_API_KEY=********" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no question"),
        ("not json", "line 1 is not JSON"),
        ('{"question": "a"}\n{"asked": "b"}', "line 2: question: Field required"),
        ('{"question": "a", "pages": [1]}', 'line 1 names pages of no document. Add "document"'),
        ('{"id": "1", "question": "a"}\n{"id": "1", "question": "b"}', "two questions with the id '1'"),
        ('["a"]', "line 1: the line"),
    ],
)
def test_an_unreadable_file_is_reported_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(text)
    result = ask(file)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--floor", "hits=1"), "There is no measure 'hits'"),
        (("--floor", "mrr=much"), "'much' is not a number"),
        (("--set", "RAG_PAGE_LABEL"), "Write NAME=VALUE"),
        (("--set", "RAG_PAGE_LABLE=p."), "RAG_PAGE_LABEL"),
    ],
)
def test_usage_errors_are_reported(questions: Path, arguments: tuple[str, ...], said: str) -> None:
    result = ask(questions, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_drafts_ask_for_headings_of_each_document_in_turn(tmp_path: Path) -> None:
    file = tmp_path / "drafts.jsonl"
    made = ask(file, "--make", 3)
    assert made.exit_code == 0, made.stderr
    rows = [json.loads(one) for one in file.read_text(encoding="utf-8").splitlines()]
    assert {row["document"] for row in rows} == {"pumps.md", "valves.md"}
    assert all(row["draft"] for row in rows)
    assert {'What is "Pumps" about?', 'What does "Pumps" say about Impeller?'} <= {row["question"] for row in rows}
    assert not any("pages" in row for row in rows)
    assert "3 of the questions are drafts" in ask(file).stderr
    again = ask(file, "--make", 3)
    assert again.exit_code == 2
    assert "already exists" in again.stderr


def test_no_draft_asks_for_a_document_without_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "valves.md").write_text(VALVES)
    blank = PdfDocument.new()
    blank.new_page(200, 200)
    blank.save(folder / "blank.pdf")
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "index"))
    assert CliRunner().invoke(ibid, ["ingest", str(folder)]).exit_code == 0
    file = tmp_path / "drafts.jsonl"
    assert ask(file, "--make", 3).exit_code == 0
    assert "blank" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("says", "asks", "told"),
    [
        ("QUESTION: What cools the seal?\nANSWER: Flushing water at 3 bar.", "What cools the seal?", ""),
        ("I would rather not.", 'What is "Pumps" about?', "1 come from headings"),
    ],
)
def test_a_model_drafts_from_the_text_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, asks: str, told: str
) -> None:
    file = tmp_path / "drafts.jsonl"
    with in_thread(ChatService()) as service:
        monkeypatch.setenv("RAG_LLM_BASE_URL", service.base_url)
        monkeypatch.setenv("RAG_LLM_API_KEY", str(service.key))
        monkeypatch.setenv("RAG_LLM_MODEL", MODEL)
        service.says = lambda body: says
        made = ask(file, "--make", 1)
    row = json.loads(file.read_text(encoding="utf-8"))
    assert (row["question"], row["document"], row["draft"]) == (asks, "pumps.md", True)
    assert row.get("answer") == ("Flushing water at 3 bar." if not told else None)
    assert told in made.stderr


def test_no_draft_asks_for_a_heading_that_every_document_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    headings = (
        "Executive summary",
        "1 Overview",
        "Zusammenfassung",
        "Seal water",
        "Step",
        "Step",
        "Conclusions",
    )
    parts = [f"## {heading}\n\nThe flushing water keeps 3 bar.\n" for heading in headings]
    (folder / "seals.md").write_text("\n".join(["# Seals\n", *parts]))
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "index"))
    assert CliRunner().invoke(ibid, ["ingest", str(folder)]).exit_code == 0
    file = tmp_path / "drafts.jsonl"
    assert ask(file, "--make", 20).exit_code == 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [row["question"] for row in rows] == [
        'What is "Seals" about?',
        'What does "Seals" say about Seal water?',
    ]
