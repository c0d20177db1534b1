"""Question counts of each measure, if they differ between the two settings."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from corpus.evaluation.metrics import AnswerFacts, Outcome
from corpus.evaluation.questions import EvalQuestion
from corpus.evaluation.run import Run
from server.commands.eval import table
from server.commands.eval_report import page


def run(*exists: bool, **settings: str) -> Run:
    """Run with a figure among the hits of these questions, and with a figure in each answer that should show one."""
    asked = EvalQuestion(question="Where is the seal?")
    return Run(
        tuple(Outcome(asked, written=AnswerFacts("x", "compose", 0.5, 5.0, False, one, one, 1, 0)) for one in exists),
        settings,
    )  # fmt: skip


def test_a_difference_reports_the_number_of_questions_of_both_settings() -> None:
    runs = run(True, True, False), run(True, False, True, RAG_OCR="off")
    console = Console(file=StringIO(), width=100)
    console.print(table(runs))
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    (multimodal,) = (line for line in shown.splitlines() if line.startswith("multimodal"))
    assert multimodal.endswith("2, 2 (1)")
    assert "Questions as 6, 5 (4)" in shown
    assert '<td class="number">2, 2 (1)</td>' in page(runs, "Mine", "today")


def test_nothing_is_explained_if_both_rest_on_the_same_questions() -> None:
    runs = run(True, True), run(True, True, RAG_OCR="off")
    assert "Questions as" not in page(runs, "Mine", "today")
    assert '<div class="wide" role="region" aria-label="Numbers" tabindex="0">' in page(runs, "Mine", "today")
