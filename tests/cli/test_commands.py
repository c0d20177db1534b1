"""The command line as a user sees it: real files, a real index, output and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.commands.group import COMMANDS

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert len(result.output) > 100


def test_help_names_every_command(run) -> None:
    output = run("--help").output
    assert all(name in output for name in COMMANDS)


def test_from_files_to_a_cited_answer(run, notes: Path) -> None:
    assert "added" in run("ingest", notes).output
    answer = run("ask", "How fast does the impeller turn?")
    assert answer.exit_code == 0
    assert "The impeller turns at 2900 revolutions per minute." in answer.output
    assert "(Source: pumps.md, Pumps, lines 1-3)" in answer.output


def test_an_answer_with_figures_writes_them_as_files(run, tmp_path: Path) -> None:
    run("ingest", DOCUMENTS / "xyz-pump-technical-manual.pdf")
    answer = run("ask", "cutaway of the pump with flow path", "--figures", tmp_path / "figures")
    files = list((tmp_path / "figures").iterdir())
    assert files
    assert all(file.read_bytes()[:4] in (b"\x89PNG", b"RIFF", b"\xff\xd8\xff\xe0") for file in files)
    assert str(files[0]) in answer.output.replace("\n", "")


def test_a_failed_file_is_reported_with_its_reason_and_changes_the_exit_code(run, notes: Path) -> None:
    (notes / "broken.pdf").write_text("no pdf at all")
    result = run("ingest", notes)
    assert result.exit_code == 1
    assert "broken.pdf" in result.output
    assert "not a PDF" in result.output
    assert "1 added, 1 failed" in result.output


def test_document_facts_given_as_options_are_stored(run, notes: Path) -> None:
    run("ingest", notes, "--department", "hr", "--type", "Manual")
    assert "Manual" in run("list").output
    assert "1 of 1 documents" in run("list").output
    (notes / "pumps.md").unlink()
    (notes / "other.md").write_text("The valve opens.")
    assert "removed" in run("ingest", notes, "--prune").output


def test_readers_of_new_documents_are_reported_in_plain_words(run, notes: Path) -> None:
    output = " ".join(run("ingest", notes).output.split())
    assert "Everybody may read new documents; --allow restricts that." in output
    assert "everybody" not in run("ingest", notes).output.lower()


def test_files_of_other_kinds_are_counted(run, notes: Path) -> None:
    (notes / "program.exe").write_bytes(b"MZ")
    assert ".exe 1" in run("ingest", notes).output


def test_a_missing_path_is_a_usage_error(run, tmp_path: Path) -> None:
    result = run("ingest", tmp_path / "nowhere")
    assert result.exit_code == 2
    assert "nowhere" in result.output
    assert "Traceback" not in result.output


def test_a_principal_without_a_kind_is_a_usage_error_with_the_fix(run, notes: Path) -> None:
    result = run("ingest", notes, "--allow", "hr")
    assert result.exit_code == 2
    assert "department:hr" in result.output


def test_reading_commands_enforce_access_rights(run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("ingest", notes, "--allow", "user:ann")
    assert "0 of 0 documents" in run("list").output
    assert "Nothing found" in run("search", "impeller").output
    assert "No relevant information found" in run("ask", "impeller").output
    assert "Documents    0" in run("status").output
    monkeypatch.setenv("RAG_USER_ID", "ann")
    assert "pumps.md" in run("list").output
    assert "pumps.md" in run("search", "impeller").output


def test_a_document_is_removed_by_id_name_or_path(run, notes: Path) -> None:
    for name in ("pumps.md", notes / "pumps.md"):
        run("ingest", notes)
        assert "removed pumps.md" in run("remove", name).output
        assert "0 of 0 documents" in run("list").output


def test_removing_a_missing_document_removes_nothing_else(run, notes: Path) -> None:
    run("ingest", notes)
    result = run("remove", "pumps.md", "typo.md")
    assert result.exit_code == 2
    assert "typo.md" in result.output
    assert "1 of 1 documents" in run("list").output


def test_a_misspelt_setting_ends_every_command_with_its_fix(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_USERID", "ann")
    for command in (("list",), ("search", "x"), ("status",), ("config",)):
        result = run(*command)
        assert result.exit_code == 2
        assert "RAG_USER_ID" in result.output


def test_config_shows_settings_and_hides_secrets(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "very-secret")
    output = run("config").output
    assert "RAG_EMBEDDER=none" in output
    assert "very-secret" not in output


def test_on_a_terminal_config_distinguishes_settings_from_defaults(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    output = run("config").output
    assert "\x1b[1mRAG_EMBEDDER=none" in output
    assert "\x1b[2mRAG_BACKEND=local" in output
    assert "Settings from the environment are bold" in output


def test_markup_in_a_file_name_is_shown_literally(run, tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "[bold red]x[-].md").write_text("The impeller turns.")
    assert "[bold red]x[-].md" in run("ingest", folder).output
    assert "[bold red]x[-].md" in run("list").output
    assert "[bold red]x[-].md" in run("search", "impeller").output


def test_a_misspelt_command_is_reported_and_a_question_is_sent_to_ask(run) -> None:
    assert "Did you mean 'search'?" in run("serch", "x").output
    assert "`ibid --help` lists all commands" in run("xyzzy").output
    asked = run("How fast does the impeller turn?")
    assert asked.exit_code == 2
    assert 'ibid ask "a question"' in asked.output
