"""The small client of examples/, run as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.doubles.raw_stdio import environment
from tests.examples.conftest import ROOT
from tests.patience import PATIENCE

CLIENT = ROOT / "examples" / "ask_over_stdio.py"


def asked(question: str, samples: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    shell = environment(**samples)
    del shell["RAG_LOG_LEVEL"]
    return subprocess.run([sys.executable, str(CLIENT), question], env=shell | {"PYTHONUTF8": "1"}, cwd=folder,
                          capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False)  # fmt: skip


def test_the_example_prints_the_answer_and_no_log(samples: dict[str, str], tmp_path: Path) -> None:
    done = asked("What are the main risks in Project Titan in the third quarter?", samples, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "(Source: project-titan-q3-report.pdf, S. " in done.stdout
    assert done.stdout.rstrip().endswith(("Answered: very likely.", "Answered: likely.", "Answered: unsure."))


def test_a_failed_call_is_reported_in_words(samples: dict[str, str], tmp_path: Path) -> None:
    done = asked("Summarize the report", samples, tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert "project-titan-q2-report.pdf" in done.stderr
    assert "{" not in done.stderr
