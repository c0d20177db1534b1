"""Metrics of the comparison with other servers."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.peers import processes
from bench.peers.development import hit
from bench.peers.given_vectors import DrawnVectors
from bench.peers.material import Synthetic
from bench.peers.promise import Material
from bench.peers.qmd import searches
from bench.questions import Question
from bench.reports import rows_of

ASKED = [Question("set", "Where?", "a.pdf", frozenset({3}), "en")]


def test_a_repeated_page_counts_once():
    again = [[("a.pdf", 1), ("a.pdf", 1), ("b.pdf", 3), ("a.pdf", 3)]]
    assert hit(ASKED, again, 3) == 1.0
    assert hit(ASKED, again, 2) == 0.0


def test_the_text_of_a_page_is_traced_to_it_however_a_server_writes_its_path():
    material = Material(Path("pdfs"), Path("texts"), {"a-b": "A b.pdf"})
    assert material.page_of("pages/a-b/p0012.md") == ("A b.pdf", 12)
    assert material.page_of("/tmp/texts/a-b/p0012.md") == ("A b.pdf", 12)


def test_a_question_becomes_keywords_together_and_separately():
    asked = [search["query"] for search in searches("How does the pump start?")]
    assert asked == ["pump start", "pump", "start"]


def test_synthetic_questions_are_reproducible_and_name_a_page_of_a_file():
    one, again = (Synthetic(200).questions(5) for _ in range(2))
    assert one == again
    assert all(1 <= page <= 2 and name.startswith("report-") for _, (name, page) in one)


@pytest.mark.anyio
async def test_random_vectors_have_unit_length_and_are_reproducible():
    one, again = [await DrawnVectors(_Named()).passages(["a", "b"]) for _ in range(2)]
    assert one.shape == (2, 8)
    assert np.allclose(np.linalg.norm(one, axis=1), 1.0)
    assert np.array_equal(one, again)
    assert not np.array_equal(one[0], one[1])


class _Named:
    id, dimensions = "named", 8


def test_cpu_time_of_a_process_is_measured_from_outside():
    work = "for n in range(3_000_000): pass\nprint(flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        child.stdout.readline()
        assert child.pid in processes.children()
        spent = processes.processor_seconds(processes.tree(child.pid))
        child.communicate("\n")
    assert 0.01 < spent < 60


def test_tables_of_a_report_become_rows_under_their_headings():
    text = "# Title\n\n| a | b |\n| --- | --- |\n| x | 1,200 |\n\n## Part\n\n| a |\n| --- |\n| 0.5 |\n"
    assert rows_of(text) == [{"part": "", "a": "x", "b": 1200}, {"part": "Part", "a": 0.5}]
