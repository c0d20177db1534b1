"""Small faults of the command line: wrong usage exits with 2, reading commands create nothing, and nothing happens
twice."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections import Counter
from io import StringIO
from pathlib import Path

import click
import pytest
from rich.console import Console

from corpus.ingestion.report import Outcome, Report
from server.commands.ask import MAX_FOLDERS, PREFIX, temporary_folder
from server.commands.group import ibid
from server.commands.ingest import tell_report
from server.commands.progress import MAX_LINES
from server.logs import configure_command_logs, configure_logs
from server.settings.model import Settings, load_settings

QUESTION = '{"question": "How fast does the impeller turn?"}'


@pytest.mark.parametrize("name", ["FOO", "foo", "RAG_TOPK", "PATH"])
def test_eval_refuses_an_unknown_setting(run, notes: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    (notes / "questions.jsonl").write_text(QUESTION)
    run("ingest", notes)
    ran = run("eval", notes / "questions.jsonl", "--set", f"{name}=1", "--no-answers")
    assert ran.exit_code == 2
    assert f"{name} is not a setting." in ran.output


@pytest.mark.parametrize("command", ["eval", "verify", "ingest"])
def test_a_missing_file_is_a_usage_error(run, notes: Path, command: str) -> None:  # type: ignore[no-untyped-def]
    run("ingest", notes)
    ran = run(command, notes / "missing.jsonl")
    assert ran.exit_code == 2
    assert "missing.jsonl" in ran.output


@pytest.mark.parametrize(
    "command",
    [
        ["status"], ["list"], ["search", "pump"], ["ask", "pump"], ["remove", "pumps.md"], ["verify", "FILE"],
        ["eval", "FILE"], ["eval", "NEW", "--make", "3"], ["index", "check"], ["index", "rebuild"],
        ["index", "export", "NEW"], ["status", "--json"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_command_that_adds_nothing_creates_no_index(run, tmp_path: Path, command: list[str]) -> None:  # type: ignore[no-untyped-def]
    """Otherwise a mistyped RAG_DATA_DIR would look like an index that lost its documents."""
    (tmp_path / "questions.jsonl").write_text(QUESTION)
    places = {"FILE": str(tmp_path / "questions.jsonl"), "NEW": str(tmp_path / "new.jsonl")}
    ran = run(*[places.get(word, word) for word in command])
    assert ran.exit_code == 2
    assert f"There is no index in {tmp_path / 'index'}." in ran.output
    assert not (tmp_path / "index").exists()


def test_a_failed_file_can_be_removed_from_the_list(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("bad.pdf", "worse.pdf"):
        (notes / name).write_text("This is no PDF.")
    run("ingest", notes)
    assert "`ibid remove FILE` removes a file from this list" in " ".join(run("status").output.split())
    ran = run("remove", "bad.pdf", "pumps.md", "--json")
    assert ran.exit_code == 0
    assert json.loads(ran.output)["dismissed"] == [str(notes / "bad.pdf")]
    assert "bad.pdf" not in run("status").output
    assert run("remove", notes / "worse.pdf").output == f"dismissed {notes / 'worse.pdf'}\n"
    assert "Failed" not in run("status").output
    assert run("remove", "nothing.pdf").exit_code == 2


def headed(run, notes: Path, version: int, application: int) -> Path:  # type: ignore[no-untyped-def]
    run("ingest", notes)
    file = Path(json.loads(run("status", "--json").output)["index"]) / "index.sqlite3"
    with sqlite3.connect(file) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(f"PRAGMA application_id = {application}")
    return file


@pytest.mark.parametrize("version", [0, 1, 2])
def test_an_index_whose_header_has_an_older_format_can_be_used(run, notes: Path, version: int) -> None:  # type: ignore[no-untyped-def]
    headed(run, notes, version, 0x49424944)
    assert run("status").exit_code == 0
    assert "2900" in run("search", "impeller").output


def test_an_unusable_index_names_another_fix_than_the_failed_command(run, notes: Path) -> None:  # type: ignore[no-untyped-def]
    file = headed(run, notes, 3, 0x49424944)
    with sqlite3.connect(file) as connection:
        connection.execute("ALTER TABLE documents RENAME COLUMN title TO heading")
    for command in (["status"], ["list"], ["search", "impeller"]):
        ran = run(*command)
        assert ran.exit_code == 1
        assert "`ibid status`" not in ran.output
        assert "`ibid index import FILE --replace`" in ran.output


@pytest.mark.parametrize("terminal", [True, False])
def test_a_failure_is_reported_once_if_nothing_scrolls_away(terminal: bool) -> None:
    bad = Outcome("failed", Path("secret.pdf"), detail="encrypted, needs a password")
    files = [bad, *(Outcome("added", Path(f"good-{n}.pdf")) for n in range(MAX_LINES))]
    console = Console(file=StringIO(), force_terminal=terminal, color_system=None, width=80)
    tell_report(Report(tuple(files), Counter()), (), console)
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().count("secret.pdf") == terminal


@pytest.mark.parametrize(("level", "lines"), [(None, 0), ("INFO", 1), ("WARNING", 1)])
def test_a_command_logs_no_warning_that_it_prints_as_a_note(
    monkeypatch: pytest.MonkeyPatch, level: str | None, lines: int
) -> None:
    if level:
        monkeypatch.setenv("RAG_LOG_LEVEL", level)
    buffer = StringIO()
    monkeypatch.setattr("sys.stderr", buffer)
    configure_command_logs(load_settings())
    logging.getLogger("ibid").warning("llm.request")
    assert len(buffer.getvalue().splitlines()) == lines


def test_only_a_few_figure_folders_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = [temporary_folder() for _ in range(40)]
    kept = set(tmp_path.glob(f"{PREFIX}*"))
    assert len(kept) == MAX_FOLDERS
    assert made[-1] in kept


def test_many_similar_warnings_become_one_with_their_count(run, notes: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from corpus.readers.sandbox.pool import ReadingProcesses

    read = ReadingProcesses.read
    warnings = (*(f"Page {n}: a table was left as text." for n in range(1, 101)), "The file has no title.")

    async def warned(self, *args, **more):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        return replace(await read(self, *args, **more), warnings=warnings)

    monkeypatch.setattr(ReadingProcesses, "read", warned)
    for output in (run("ingest", notes).output, run("status").output):
        assert "Page 1: a table was left as text. (and 99 more like this)" in " ".join(output.split())
        assert "Page 2:" not in output
        assert "The file has no title." in output
    (document,) = json.loads(run("status", "--json").output)["documents"]
    assert len(document["warnings"]) == 101


def options() -> list[tuple[str, click.Option]]:
    def walk(command: click.Command, path: str) -> list[tuple[str, click.Option]]:
        own = [(path, option) for option in command.params if isinstance(option, click.Option)]
        names = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
        for name in names:
            assert isinstance(command, click.Group)
            inner = command.get_command(click.Context(command), name)
            assert inner
            own += walk(inner, f"{path} {name}")
        return own

    return walk(ibid, "ibid")


def test_every_option_has_a_description() -> None:
    silent = [f"{path} {option.opts[0]}" for path, option in options() if not option.help]
    assert not silent
    plain = {option.help for _, option in options() if "--json" in option.opts}
    assert "The same as JSON." not in plain


def test_no_color_also_applies_to_log_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    for value, coloured in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", value)
        out = Terminal()
        configure_logs(Settings(), stream=out)
        logging.getLogger("ibid").error("index.damaged")
        assert ("\x1b[" in out.getvalue()) is coloured
