"""The page in a real browser. Skipped if Chromium is not installed; `.ci/run` tries to install it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from server.answer_page.page import page
from tests.answer_page.pages import LINE, gathered
from tests.doubles.chromium import Tab, a_tab, found

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    program = found()
    if os.name == "nt" or program is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with a_tab(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page") / "answer.html"
    made.write_text(page(gathered()), encoding="utf-8")
    return made


def test_document_text_runs_no_code_and_loads_nothing_from_outside(tab: Tab, file: Path) -> None:
    tab.asked_for.clear()
    tab.complaints.clear()
    tab.open(file)
    assert tab.run("document.title").startswith("Question ")
    assert tab.run("document.querySelectorAll('script, b, iframe, form, [onerror], [style]').length") == 0
    assert tab.run("[...document.images].every(one => one.src.startsWith('data:'))") is True
    assert tab.run("[...document.links].every(one => one.getAttribute('href').startsWith('#'))") is True
    assert [one for one in tab.asked_for if not one.startswith(("file:", "data:"))] == []
    assert tab.complaints == []


def test_the_outline_is_on_the_cited_line(tab: Tab, file: Path) -> None:
    tab.sized(1400, 900)
    tab.open(file)
    left, top, right, bottom = tab.run(
        "(() => { const s = document.querySelector('.sheet img').getBoundingClientRect(),"
        " b = document.getElementById('ev-1').getBoundingClientRect();"
        " return [(b.left-s.left)/s.width*300, (b.top-s.top)/s.height*400,"
        " (b.right-s.left)/s.width*300, (b.bottom-s.top)/s.height*400] })()"
    )
    assert left == pytest.approx(LINE[0], abs=4)
    assert top == pytest.approx(LINE[1], abs=4)
    assert right == pytest.approx(LINE[2], abs=4)
    assert bottom == pytest.approx(LINE[3], abs=4)


@pytest.mark.parametrize("width", [360, 1400])
def test_a_mark_links_to_its_evidence_and_back(tab: Tab, file: Path, width: int) -> None:
    tab.sized(width, 800)
    tab.open(file)
    tab.run("document.documentElement.style.scrollBehavior = 'auto'")
    seen = (
        "(id => { const b = document.getElementById(id).getBoundingClientRect();"
        " return b.bottom > 0 && b.top < innerHeight })"
    )
    tab.run("document.getElementById('at-1').click()")
    assert tab.run("location.hash") == "#ev-1"
    assert tab.run(f"{seen}('ev-1')") is True
    tab.run("document.querySelector('.notes a[href=\"#at-1\"]').click()")
    assert tab.run("location.hash") == "#at-1"
    assert tab.run(f"{seen}('at-1')") is True


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 768, 1600])
def test_the_page_fits_every_width_and_is_readable_in_light_and_dark(
    tab: Tab, file: Path, width: int, dark: bool
) -> None:
    tab.sized(width, 800, dark=dark)
    tab.open(file)
    assert tab.run("document.documentElement.scrollWidth") <= width
    # A long word must not run under another column.
    assert tab.run("(m => m.scrollWidth <= m.clientWidth)(document.querySelector('main'))") is True
    assert tab.run("document.querySelector('main').getBoundingClientRect().right") <= width
    assert tab.run(f"({_CONTRAST})()") >= 4.5


def test_words_of_a_scrollable_table_are_not_broken(tab: Tab, tmp_path: Path) -> None:
    said = "the valve is closed and the pump runs dry, so that it has to be filled again"
    text = f"| Code | Cause | Remedy |\n| --- | --- | --- |\n| E-04 | {said} | {said} |"
    made = gathered()
    (tmp_path / "table.html").write_text(
        page(replace(made, pages=(), answer=replace(made.answer, text=text, claims=()))), encoding="utf-8"
    )
    tab.sized(360, 800)
    tab.open(tmp_path / "table.html")
    lines = "parseFloat(getComputedStyle(c).lineHeight)"
    one_line = f"(c => c.clientHeight < 2.2 * {lines})(document.querySelector('th'))"
    assert tab.run(one_line) is True


def test_a_screen_reader_gets_verdicts_pages_and_navigation(tab: Tab, file: Path) -> None:
    tab.open(file)
    named = {node["name"]["value"] for node in _tree(tab) if node.get("name", {}).get("value")}
    for words in (
        "found in source",
        "partly in source",
        "not found in source",
        "value differs",
        "no such source",
    ):
        assert any(words in name for name in named), words
    assert "Claim 6: not cited" in named
    assert any(name.startswith("Page: manual ") for name in named)
    assert "Skip to the evidence" in named
    roles = {node.get("role", {}).get("value") for node in _tree(tab)}
    assert {"main", "complementary", "article", "heading", "link"} <= roles


def test_every_mark_is_reachable_by_keyboard(tab: Tab, file: Path) -> None:
    tab.open(file)
    marks = tab.run("document.querySelectorAll('a.mark[href]').length")
    assert marks == 6
    assert tab.run("[...document.querySelectorAll('a.mark')].every(one => one.tabIndex === 0)") is True


def _tree(tab: Tab) -> list[dict[str, dict[str, str]]]:
    nodes: list[dict[str, dict[str, str]]] = tab.tell("Accessibility.getFullAXTree")["nodes"]
    return nodes


_CONTRAST = """() => {
  const rgb = c => { const p = document.createElement('canvas').getContext('2d'); p.fillStyle = c; p.fillRect(0,0,1,1);
    return [...p.getImageData(0,0,1,1).data] };
  const light = c => { const [r,g,b] = rgb(c).slice(0,3).map(v => (v/=255) <= .03928 ? v/12.92 : ((v+.055)/1.055)**2.4);
    return .2126*r + .7152*g + .0722*b };
  const under = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (rgb(c)[3] === 255) return c } return 'white' };
  const texts = document.querySelectorAll('h1, p, .badge, .mark, figcaption, summary, q, .word, .caption, li');
  return Math.min(...[...texts].map(e => { const a = light(getComputedStyle(e).color), b = light(under(e));
    return (Math.max(a,b)+.05)/(Math.min(a,b)+.05) })) }"""
