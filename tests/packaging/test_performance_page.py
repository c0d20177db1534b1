"""docs/performance.md contains exactly the numbers that the benches recorded."""

import re
from xml.etree import ElementTree

from bench.performance.__main__ import DRAWINGS, PAGE, made
from bench.performance.page import filled
from bench.performance.records import Record, kept

SEARCH = Record(
    "growth",
    "python -m bench growth",
    "2026-01-01",
    {
        "processor": "some",
        "cores": 2,
        "memory_gb": 4,
        "system": "Linux",
        "load_before": 0.1,
        "load_after": 0.2,
    },
    {"python": "3.11"},
    [
        {"part": "floor", "blocks": 10, "what": "int8", "ms": 2.0},
        {"part": "search", "blocks": 10, "what": "both", "ms": 5.0},
    ],
)


def test_page_and_drawings_match_the_stored_numbers():
    expected = made(kept())
    stale = [file.name for file, text in expected.items() if not file.exists() or file.read_text("utf-8") != text]
    assert not stale, f"run make performance: {stale}"


def test_every_drawing_has_its_numbers():
    assert set(DRAWINGS.glob("*.svg")) == {file for file in made(kept()) if file.suffix == ".svg"}


def test_every_drawing_is_complete_and_follows_light_and_dark():
    for drawing in DRAWINGS.glob("*.svg"):
        text = drawing.read_text("utf-8")
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "prefers-color-scheme:dark" in text


def test_a_marked_table_has_its_rows_and_their_ratio_to_the_reference():
    mark = "<!-- begin: table growth search | columns: what, ms | beside: what=int8 | of: ms | same: blocks -->"
    page = filled(f"before\n{mark}\nold\n<!-- end -->\nafter", {"growth": SEARCH})
    assert "| what | ms | times int8 |" in page
    assert "| both | 5.00 | 2.50 |" in page
    assert "old" not in page
    assert page.startswith("before")
    assert page.endswith("after")


def test_a_bench_that_the_page_does_not_name_is_at_its_end():
    page = filled("<!-- begin: others -->\n<!-- end -->", {"growth": SEARCH})
    assert "### growth" in page
    assert "`python -m bench growth`, 2026-01-01" in page


def test_every_record_says_where_when_and_how_it_was_made():
    for name, record in kept().items():
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", record.date), name
        assert record.command.startswith("python -m bench "), name
        assert record.rows, name
        assert record.versions["python"], name
        assert record.machine["processor"], name


def test_the_page_shows_no_marker_comments():
    """Every marker comment is closed, so that none of it is visible."""
    text = PAGE.read_text("utf-8")
    assert text.count("<!-- begin: ") == text.count("<!-- end -->") == len(re.findall(r"^<!-- ", text, re.M)) / 2
