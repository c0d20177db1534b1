"""The output on a terminal of any width, and in a pipe."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from corpus.citing.protocol import Claim
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim, Evidence
from server.answer_page.page_data import AnswerData
from server.commands import verify
from server.commands.terminal import Part, unbroken, wrapped
from tests.values import hit, text_block

PROSE = "The impeller turns at 2900 revolutions per minute, and 叶轮以每分钟2900转的速度旋转,轴承每4000小时更换一次。"
NAME = "/data/quarterly report of the [bold]northern station.pdf"


def shown(*parts: str | Part, hanging: int = 0, width: int | None = 60) -> list[str]:
    return wrapped(parts, hanging, width).plain.split("\n")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_prose_keeps_to_the_width_and_its_indent(width: int) -> None:
    lines = shown("note     ", f"{PROSE} {PROSE} {PROSE}", hanging=9, width=width)
    assert len(lines) > 1
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.startswith(" " * 9) and line[9] != " " for line in lines[1:])
    together = "".join(lines).replace(" ", "")
    assert together == f"note{PROSE}{PROSE}{PROSE}".replace(" ", "")


def test_a_path_is_never_wrapped() -> None:
    for name in (NAME, "/data/" + "n" * 200 + " and more.pdf"):
        assert name in "\n".join(shown("added     ", unbroken(name), ": a reason to know", hanging=10, width=60))


def test_a_pipe_gets_one_line() -> None:
    assert shown("failed ", unbroken(NAME), ": ", PROSE * 9, hanging=4, width=None) == [f"failed {NAME}: {PROSE * 9}"]


def test_foreign_markup_and_terminal_commands_are_text() -> None:
    (only,) = shown("[red]", unbroken("a\x1b[31m\u202eb\nc"), width=None)
    assert only == "[red]a[31mb c"


def test_a_narrow_terminal_drops_an_indent_that_would_leave_no_room() -> None:
    assert all(len(line) <= 25 for line in shown("word " * 20, hanging=20, width=25))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_claim_is_next_to_its_verdict_and_its_file_name_is_complete(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(file=StringIO(), force_terminal=True, color_system=None, width=width)
    monkeypatch.setattr(verify, "output", lambda: console)
    name = "an-annual-report-of-the-station.pdf"
    source = Source(1, f"(Source: {name}, S. 4)", hit(text_block("Text.", page=4)))
    claim = Claim(PROSE, 0, len(PROSE), "sentence", (1,))
    checked = CheckedClaim(claim, "value_mismatch", 0.2, Evidence(1, "x", 0, 1, 0.2), ("2900", "minute"))
    verify.print_claims(AnswerData("Mine", PROSE, (checked,), (source,)))
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert name in said
    assert "≠ value differs" in said
    assert "1 claim: 1 value differs." in said
    assert all(cell_len(line) <= width for line in said.split("\n"))
