"""Output to a terminal, a pipe or a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from server import cli
from server.commands.terminal import marked_up, one_line

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
START = [sys.executable, "-c", "from server.cli import main; main()"]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "RAG_DATA_DIR": str(tmp_path / "index"), "RAG_EMBEDDER": "none", "PYTHONUTF8": "1"}


def ibid(shell: dict[str, str], *arguments: str, **how: object) -> subprocess.CompletedProcess[bytes]:
    command = [*START, *arguments]
    return subprocess.run(command, env=shell, timeout=60, check=False, capture_output=not how, **how)  # type: ignore[call-overload, no-any-return]


Said = subprocess.CompletedProcess[bytes]
Here = Callable[..., Said]


@pytest.mark.skipif(os.name == "nt", reason="pairs of terminals are of POSIX")
def test_a_server_started_by_hand_prints_that_it_waits(shell: dict[str, str]) -> None:
    ours, theirs = os.openpty()
    with subprocess.Popen([*START, "serve"], env=shell, stdin=theirs, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as server:  # fmt: skip
        assert server.stderr is not None
        said = server.stderr.readline()
        server.kill()
    os.close(ours)
    os.close(theirs)
    assert b"waits for an MCP client" in said
    assert b"ibid install CLIENT" in said


@pytest.fixture
def here(shell: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Here:
    """Run commands in this process, for tests that depend only on the output."""
    for name, value in shell.items():
        monkeypatch.setenv(name, value)

    def ibid(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["ibid", *arguments])
        status = cli._run()
        return subprocess.CompletedProcess(arguments, int(status or 0), *capfdbinary.readouterr())

    return ibid


def test_a_file_name_cannot_control_the_terminal(tmp_path: Path, here: Here) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "esc\x1b]0;owned\x07\x1b[31m\u202ered.txt").write_text("The impeller turns.")
    output = b""
    for command in (
        ["ingest", str(tmp_path / "docs")],
        ["list"],
        ["search", "impeller"],
        ["ask", "impeller"],
    ):
        run = here(*command)
        output += run.stdout + run.stderr
    assert b"red.txt" in output
    assert b"\x1b" not in output
    assert "\u202e".encode() not in output


def test_a_message_cannot_control_the_terminal(tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_USER_ID", odd := "no\x1b[31m\u202ered\nError: fake")
    for command in (
        ["ingest", str(tmp_path / odd)],
        ["remove", odd],
        [odd],
        ["list", "--sort-by", odd],
        ["config"],
    ):
        run = here(*command)
        output = run.stdout + run.stderr
        assert b"\x1b" not in output
        assert "\u202e".encode() not in output
        assert b"\nError: fake" not in output or command[0] == odd
        assert b"Traceback" not in output


def test_an_emoji_in_a_name_is_shown_unchanged(tmp_path: Path, here: Here) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / ":warning:[b].txt").write_text("The impeller turns :smile:.")
    for command in (["ingest", str(tmp_path / "docs")], ["list"], ["search", "impeller"]):
        assert b":warning:[b].txt" in here(*command).stdout
    assert b":smile:" in here("search", "impeller").stdout


def test_a_terminal_without_some_characters_shows_replacements(tmp_path: Path, shell: dict[str, str]) -> None:
    (tmp_path / "Prüfung ★.txt").write_text("The impeller turns ★ fast.")
    plain = {**shell, "PYTHONIOENCODING": "ascii"}
    for command in (["ingest", str(tmp_path / "Prüfung ★.txt")], ["list"], ["ask", "impeller"]):
        run = ibid(plain, *command)
        assert run.returncode == 0, run.stderr
        assert b"Pr" in run.stdout


def test_a_name_too_long_and_an_invalid_home_are_one_message(here: Here) -> None:
    for command in (["ingest", "x" * 300], ["ingest", "~nosuchuser/x"], ["remove", "~nosuchuser/x"]):
        run = here(*command)
        assert run.returncode in (1, 2)
        assert command[1][:11].encode() in run.stdout + run.stderr
        assert b"Traceback" not in run.stderr


def test_a_figure_folder_that_cannot_be_created_is_reported(tmp_path: Path, here: Here) -> None:
    here("ingest", str(DOCUMENTS / "xyz-pump-technical-manual.pdf"))
    (tmp_path / "file").write_text("")
    run = here("ask", "cutaway of the pump with flow path", "--figures", str(tmp_path / "file" / "x"))
    assert run.returncode == 1
    assert str(tmp_path / "file" / "x").encode() in run.stderr
    assert run.stderr.count(b"\n") == 1


def test_a_name_that_is_not_valid_text_is_shown_and_stops_nothing(tmp_path: Path, shell: dict[str, str]) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("The impeller turns.")
    Path(os.fsdecode(os.fsencode(tmp_path / "docs") + b"/inv\xff.txt")).write_text("x")
    run = ibid(shell, "ingest", str(tmp_path / "docs"))
    assert run.returncode == 1
    assert b"1 added, 1 failed" in run.stdout
    assert b"Traceback" not in run.stderr


def test_ask_writes_the_unchanged_markdown_of_the_answer_into_a_pipe(tmp_path: Path, shell: dict[str, str]) -> None:
    (tmp_path / "a.txt").write_text("The [red]impeller[/red] :warning: turns [/bold] on.")
    ibid(shell, "ingest", str(tmp_path / "a.txt"))
    assert ibid(shell, "ask", "impeller").stdout.decode() == (
        "# Answer to: impeller\n\n"
        r"The \[red\]impeller\[/red\] :warning: turns \[/bold\] on."
        "\n\n*(Source: a.txt, line 1)*\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_is_reported_in_one_line_without_a_traceback(shell: dict[str, str]) -> None:
    with open("/dev/full", "wb") as full:
        run = ibid(shell, "config", stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1
    assert b"No space left" in run.stderr
    assert b"Traceback" not in run.stderr


def test_a_closed_pipe_gets_no_more_output(shell: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        run = ibid(shell, "config", stdout=closed, stderr=subprocess.PIPE)
    assert run.stderr == b""


@pytest.mark.parametrize("setting", ["/proc/nope", "~nosuchuser/x", "FILE"])
def test_an_invalid_data_folder_is_reported_with_the_fix(
    setting: str, tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RAG_DATA_DIR", setting.replace("FILE", str(tmp_path / "file")))
    run = here("list")
    assert run.returncode == 2
    assert b"RAG_DATA_DIR" in run.stderr
    assert b"Traceback" not in run.stderr


def test_foreign_text_is_one_harmless_line() -> None:
    assert one_line("a\x1b[31mb\nc\td\udcff\ud800\u2028e\x9b2J") == "a[31mb c d\ufffd\ufffd e2J"
    assert marked_up("[bold]x") == "\\[bold]x"


@pytest.mark.parametrize(("bad", "good"), [(3, 25), (3, 45)])
def test_a_pipe_gets_each_failure_once(  # type: ignore[no-untyped-def]
    run, notes: Path, bad: int, good: int
) -> None:
    for n in range(bad):
        (notes / f"bad{n}.pdf").write_text("This is no PDF.")
    for n in range(good):
        (notes / f"good{n}.txt").write_text(f"The text number {n}.")
    said = run("ingest", notes).output.replace("\n", " ")
    assert said.count("bad1.pdf: not a PDF") == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes that end with their reader are of POSIX")
def test_a_closed_pipe_is_not_a_failure(shell: dict[str, str]) -> None:
    with subprocess.Popen([*START, "list", "--help"], env=shell, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
        assert one.stdout is not None
        assert one.stderr is not None
        one.stdout.close()
        assert (one.stderr.read(), one.wait(60)) == (b"", 0)
