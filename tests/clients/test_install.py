"""`ibid install` and `ibid uninstall` on real files."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.clients.change import LATER_BACKUPS, Refused, look, replace
from server.clients.launch import WITHOUT_SCRIPT
from server.commands.group import ibid
from tests.doubles.raw_stdio import CHECKOUT
from tests.patience import PATIENCE

posix = pytest.mark.skipif(os.name == "nt", reason="rights and links of POSIX")
OTHER = json.dumps({"mcpServers": {"other": {"command": "x", "env": {"TOKEN": "hush-hush"}}}}, indent=4) + "\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.startswith(("RAG_", "AZURE_", "XDG_", "CLAUDE_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


@pytest.fixture
def desktop(home: Path) -> Path:
    file = home / ".config" / "Claude" / "claude_desktop_config.json"
    file.parent.mkdir(parents=True)
    return file


def run(*words: object) -> Result:
    return CliRunner().invoke(ibid, [str(word) for word in words])


def entry(file: Path, root: str = "mcpServers", name: str = "ibid") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())[root][name]
    return found


def test_install_works_for_a_client_without_a_file(home: Path) -> None:
    result = run("install", "claude-desktop")
    assert result.exit_code == 0, result.output
    made = entry(home / ".config" / "Claude" / "claude_desktop_config.json")
    assert Path(made["command"]).is_absolute()
    assert made["args"][-1] == "serve"
    assert Path(made["env"]["RAG_DATA_DIR"]).is_absolute()
    assert "start it again" in result.output


@pytest.mark.parametrize(
    ("client", "file", "root"),
    [
        ("claude-code", ".mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
    ],
)
def test_a_project_gets_an_entry_that_others_can_share(
    home: Path, monkeypatch: pytest.MonkeyPatch, client: str, file: str, root: str
) -> None:
    (home / "project").mkdir()
    monkeypatch.setenv("RAG_USER_ID", "ann")
    result = run("install", client, "--project", home / "project", "--set", "RAG_PAGE_LABEL=p.")
    assert result.exit_code == 0, result.output
    assert entry(home / "project" / file, root)["env"] == {"RAG_PAGE_LABEL": "p."}


def test_a_client_without_projects_says_so(home: Path) -> None:
    result = run("install", "claude-desktop", "--project", home)
    assert result.exit_code == 2
    assert "Omit --project" in result.output


@posix
def test_other_servers_stay_and_their_secrets_are_not_shown(desktop: Path) -> None:
    desktop.write_text(OTHER)
    desktop.chmod(0o640)
    result = run("install", "claude-desktop")
    assert "hush-hush" not in result.output
    assert '+  "ibid": {' in result.output
    assert '"TOKEN": "hush-hush"' in desktop.read_text()
    assert stat.S_IMODE(desktop.stat().st_mode) == 0o640
    backup = desktop.with_name("claude_desktop_config.json.before-ibid")
    assert backup.read_text() == OTHER
    assert stat.S_IMODE(backup.stat().st_mode) == 0o640
    assert run("uninstall", "claude-desktop").exit_code == 0
    assert desktop.read_text() == OTHER


def test_a_second_install_changes_nothing(desktop: Path) -> None:
    run("install", "claude-desktop")
    before = desktop.stat()
    result = run("install", "claude-desktop")
    assert "already" in result.output
    assert desktop.stat().st_ino == before.st_ino


def test_a_dry_run_shows_the_change_and_writes_nothing(desktop: Path) -> None:
    result = run("install", "claude-desktop", "--dry-run")
    assert '+  "ibid": {' in result.output
    assert "Nothing was written" in result.output
    assert not desktop.exists()
    assert run("uninstall", "claude-desktop", "--dry-run").exit_code == 0


def test_manual_changes_to_the_entry_stay_and_a_setting_can_be_removed(desktop: Path) -> None:
    run("install", "claude-desktop", "--set", "RAG_PAGE_LABEL=p.", "--set", "RAG_USER_ID=ann")
    made = json.loads(desktop.read_text())
    made["mcpServers"]["ibid"] |= {"disabled": True}
    made["mcpServers"]["ibid"]["env"]["LANG"] = "de"
    desktop.write_text(json.dumps(made))
    run("install", "claude-desktop", "--set", "RAG_USER_ID=")
    assert entry(desktop)["disabled"] is True
    assert entry(desktop)["env"] == {"RAG_DATA_DIR": made["mcpServers"]["ibid"]["env"]["RAG_DATA_DIR"],
                                     "RAG_PAGE_LABEL": "p.", "LANG": "de"}  # fmt: skip


def test_current_settings_are_copied_with_absolute_paths_and_secrets_only_by_name(
    desktop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_DATA_DIR", "some/where")
    monkeypatch.setenv("RAG_HTTP_MAX_CALLS", "3")
    monkeypatch.setenv("RAG_LLM_API_KEY", "hush-hush")
    left = run("install", "claude-desktop")
    assert "RAG_LLM_API_KEY: omitted, because it is secret" in left.output
    assert entry(desktop)["env"] == {"RAG_DATA_DIR": str(Path("some/where").absolute())}
    passed = run("install", "claude-desktop", "--set", "RAG_LLM_API_KEY")
    assert "hush-hush" not in passed.output
    assert entry(desktop)["env"]["RAG_LLM_API_KEY"] == "hush-hush"
    assert "hush-hush" not in run("config", "--mcp").output


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("RAG_DATA_DIRR=x", "Did you mean RAG_DATA_DIR"),
        ("PATH=x", "is not a setting"),
        ("RAG_BACKEND=elsewhere", "RAG_BACKEND"),
        ("RAG_USER_ID", "is not set"),
    ],
)
def test_an_unknown_or_invalid_setting_is_refused(desktop: Path, said: str, told: str) -> None:
    result = run("install", "claude-desktop", "--set", said)
    assert result.exit_code == 2
    assert told in result.output
    assert not desktop.exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n  "mcpServers": {\n', "line 3, column 1"),
        ('{\n  // hello\n  "mcpServers": {}\n}', "line 2, column 3"),
        ('{"mcpServers": []}', "is not an object"),
        ('{"mcpServers": {"ibid": {"url": "https://x"}}}', "--name"),
    ],
)
def test_an_uneditable_file_is_left_unchanged_and_the_entry_is_printed(desktop: Path, text: str, told: str) -> None:
    desktop.write_text(text)
    result = run("install", "claude-desktop")
    assert result.exit_code == 1
    assert told in result.output
    assert "--name" in told or '"command":' in result.output
    assert desktop.read_text() == text
    assert [*desktop.parent.iterdir()] == [desktop]


COMMENTED = '{\n\t// mine\n\t"servers": {},\n\t"inputs": [],\n}\n'


def commented(home: Path) -> Path:
    file = home / ".config" / "Code" / "User" / "mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text(COMMENTED)
    return file


def program(home: Path, monkeypatch: pytest.MonkeyPatch, ends_with: int = 0) -> Path:
    """Create a fake `code` that writes its arguments to a file."""
    (home / "bin").mkdir()
    (home / "bin" / "code").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{home}/words"\nexit {ends_with}\n')
    (home / "bin" / "code").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return home / "words"


@posix
def test_a_client_adds_the_entry_itself_if_its_file_has_comments(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, words = commented(home), program(home, monkeypatch)
    result = run("install", "vscode")
    assert result.exit_code == 0, result.output
    assert "added ibid to VS Code" in result.output
    assert file.read_text() == COMMENTED
    option, text = words.read_text().splitlines()
    assert option == "--add-mcp"
    assert json.loads(text) | {"env": {}} == {
        "name": "ibid", "type": "stdio", "command": json.loads(text)["command"], "args": json.loads(text)["args"],
        "env": {},
    }  # fmt: skip
    assert json.loads(text)["args"][-1] == "serve"


@posix
@pytest.mark.parametrize("why", ["secret", "failed", "dry run", "missing"])
def test_otherwise_the_entry_is_printed_and_nothing_is_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    """Other users can see the arguments of a process, so the arguments must not contain a key."""
    file = commented(home)
    words = home / "words"
    if why != "missing":
        program(home, monkeypatch, ends_with=1 if why == "failed" else 0)
    else:
        monkeypatch.setenv("PATH", str(home))
    more = {"secret": ["--set", "RAG_LLM_API_KEY=hush-hush"], "dry run": ["--dry-run"]}.get(why, [])
    result = run("install", "vscode", *more)
    assert result.exit_code == 1
    assert '"command":' in result.output
    assert "hush-hush" not in result.output
    assert words.exists() == (why == "failed")
    assert file.read_text() == COMMENTED


@posix
def test_a_symlink_stays_a_symlink(desktop: Path, home: Path) -> None:
    real = home / "dotfiles.json"
    real.write_text("{}")
    desktop.symlink_to(real)
    assert run("install", "claude-desktop").exit_code == 0
    assert desktop.is_symlink()
    assert "ibid" in real.read_text()


@posix
def test_a_read_only_file_is_respected(desktop: Path) -> None:
    desktop.write_text("{}")
    desktop.chmod(0o444)
    result = run("install", "claude-desktop")
    assert result.exit_code == 1
    assert "read-only" in result.output
    assert desktop.read_text() == "{}"


def test_a_concurrent_change_by_another_program_is_not_overwritten(desktop: Path) -> None:
    desktop.write_text("{}")
    found = look(desktop)
    desktop.write_text('{"new": 1}')
    with pytest.raises(Refused, match="another program"):
        replace(found, "{}")
    assert desktop.read_text() == '{"new": 1}'


def test_a_utf_8_bom_stays_and_a_file_that_is_not_utf_8_is_left_alone(desktop: Path) -> None:
    desktop.write_bytes(b"\xef\xbb\xbf{}")
    assert run("install", "claude-desktop").exit_code == 0
    assert desktop.read_bytes().startswith(b"\xef\xbb\xbf{")
    desktop.write_bytes(b"{\xff}")
    assert "not UTF-8" in run("install", "claude-desktop").output


def test_the_result_is_available_as_json(desktop: Path) -> None:
    said = [json.loads(run(word, "claude-desktop", "--json").stdout) for word in ("install", "uninstall")]
    assert [one["action"] for one in said] == ["added", "removed"]
    assert said[0]["file"] == str(desktop)
    assert said[1]["backup"]


def test_the_printed_entry_can_be_pasted(home: Path) -> None:
    printed = json.loads(run("config", "--mcp", "--client", "vscode", "--name", "mine").stdout)
    assert printed["servers"]["mine"]["type"] == "stdio"
    assert Path(printed["servers"]["mine"]["command"]).is_absolute()


OTHERS = [
    {"command": "mkdocs", "args": ["serve", "--strict"]},
    {"command": "npx", "args": ["x", "serve"]},
    {"command": "/opt/not-ibid", "args": ["serve"]},
    {"command": "uvx", "args": ["mkdocs", "serve", "ibid-mcp"]},
    {"command": "python3", "args": ["-m", "http.server", "serve"]},
    {"url": "https://x", "command": "ibid"},
]
OURS: list[dict[str, Any]] = [
    {"command": "C:\\\\Programs\\\\ibid.exe", "args": ["serve"]},
    {"command": "/usr/bin/python3.12", "args": ["-P", "-c", WITHOUT_SCRIPT, "serve"]},
    {"command": "/x/uvx", "args": ["--from", "ibid-mcp[llm]==1.2", "--python", "3.12", "ibid", "serve"]},
    {"command": "uvx", "args": ["--from", "git+https://host.example/x@abc", "ibid", "serve"]},
    {"command": "pipx", "args": ["run", "--spec", "ibid-mcp", "ibid", "serve"]},
]


@pytest.mark.parametrize("other", OTHERS)
def test_a_foreign_server_is_neither_replaced_nor_removed(desktop: Path, other: dict[str, Any]) -> None:
    text = json.dumps({"mcpServers": {"docs": other}})
    desktop.write_text(text)
    for word in ("install", "uninstall"):
        result = run(word, "claude-desktop", "--name", "docs")
        assert result.exit_code == 1
        assert "another server" in result.output
        assert "--name" in result.output
        assert desktop.read_text() == text


@pytest.mark.parametrize("ours", OURS)
def test_any_entry_that_starts_ibid_is_ours(desktop: Path, ours: dict[str, Any]) -> None:
    desktop.write_text(json.dumps({"mcpServers": {"docs": ours}}))
    assert run("uninstall", "claude-desktop", "--name", "docs").exit_code == 0
    assert json.loads(desktop.read_text()) == {"mcpServers": {}}


@pytest.mark.parametrize("indent", [None, 1])
def test_the_change_shows_only_our_entry_and_none_of_its_secrets(desktop: Path, indent: int | None) -> None:
    env = {
        "GITHUB_TOKEN": "hush-1", "RAG_LLM_API_KEY": "hush-2", "RAG_PAGE_LABEL": "p.",
        "RAG_RERANKER_URL": "https://ann:hush-3@host.example/x?key=hush-4",
    }  # fmt: skip
    mine = {
        "command": "ibid",
        "args": ["serve", "--token", "hush-5", "--key=hush-6"],
        "env": env,
        "note": "hush-7",
    }
    other = {"command": "x", "args": ["--token", "hush-8"], "env": {"KEY": "hush-9"}}
    whole = {"primaryApiKey": "hush-0", "mcpServers": {"a": other, "ibid": mine, "z": other}, "p": other}
    desktop.write_text(json.dumps(whole, indent=indent))
    for words in (["install", "--dry-run"], ["install", "--dry-run", "--json"], ["uninstall"]):
        result = run(words[0], "claude-desktop", *words[1:])
        assert result.exit_code == 0, result.output
        assert "hush" not in result.output
        assert "primaryApiKey" not in result.output
        assert "GITHUB_TOKEN" in result.output
        assert "host.example/x" in result.output


def test_the_index_to_search_is_shown(desktop: Path) -> None:
    place = "AZURE_SEARCH_ENDPOINT=https://ours.search.windows.net"
    secret = "AZURE_SEARCH_API_KEY=hush-hush"
    result = run("install", "claude-desktop", "--set", place, "--set", secret, "--dry-run")
    assert '"https://ours.search.windows.net"' in result.output
    assert "hush" not in result.output


def test_a_broken_file_is_not_quoted(desktop: Path) -> None:
    desktop.write_text('{"mcpServers": {"a": {"env": {"KEY": hush-hush}}}}')
    result = run("install", "claude-desktop")
    assert "line 1, column 38: Expecting value" in result.output
    assert "hush" not in result.output


def test_the_file_before_ibid_and_a_few_later_versions_are_backed_up(desktop: Path) -> None:
    desktop.write_text(OTHER)
    for n in range(LATER_BACKUPS + 3):
        said = run("install", "claude-desktop", "--set", f"RAG_PAGE_LABEL=p{n}.", "--json")
    first = desktop.with_name(desktop.name + ".before-ibid")
    later = sorted(one for one in desktop.parent.iterdir() if one not in (first, desktop))
    assert first.read_text() == OTHER
    assert len(later) == LATER_BACKUPS
    assert str(later[-1]) == json.loads(said.stdout)["backup"]
    assert entry(later[-1])["env"]["RAG_PAGE_LABEL"] == f"p{LATER_BACKUPS + 1}."


def test_no_backup_with_ibid_in_it_is_taken_for_the_original_file(home: Path) -> None:
    said = [json.loads(run(word, "claude-desktop", "--json").stdout) for word in ("install", "uninstall")]
    assert said[0]["backup"] is None
    assert "before-ibid-" in said[1]["backup"]
    file = Path(said[0]["file"])
    file.write_text(OTHER)
    run("install", "claude-desktop")
    run("install", "claude-desktop", "--name", "mine")
    assert file.with_name(file.name + ".before-ibid").read_text() == OTHER


@pytest.mark.parametrize("client", ["claude-desktop", "claude-code", "vscode", "cursor"])
def test_uninstall_does_not_print_how_to_start_the_server(home: Path, client: str) -> None:
    put_in, taken_out = (run(word, client).output.splitlines()[-1] for word in ("install", "uninstall"))
    assert put_in != taken_out
    assert not any(word in run("uninstall", client).output for word in ("starts it", "enable it", "shows it"))


def test_a_secret_in_a_project_file_causes_a_warning(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "hush-hush")
    said = " ".join(run("install", "vscode", "--project", home, "--set", "AZURE_SEARCH_API_KEY").output.split())
    assert "AZURE_SEARCH_API_KEY: a secret in a file of the project" in said
    assert "hush-hush" not in said
    assert "a secret" not in run("install", "vscode", "--set", "AZURE_SEARCH_API_KEY").output


def test_a_secret_in_the_backup_is_reported(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_SEARCH_API_KEY", "hush-hush")
    run("install", "cursor", "--set", "AZURE_SEARCH_API_KEY")
    said = " ".join(run("uninstall", "cursor").output.split())
    assert "AZURE_SEARCH_API_KEY: a secret, and still in that copy." in said
    assert "hush-hush" not in said
    run("install", "cursor")
    assert "still in that copy" not in run("uninstall", "cursor").output


def test_an_input_that_nothing_uses_is_reported(home: Path) -> None:
    words = ("install", "vscode", "--project", home, "--set", "AZURE_SEARCH_API_KEY=${input:search-key}")
    said = " ".join(run(*words).output.split())
    assert 'The file has no input with the id "search-key"' in said
    assert "a secret" not in said
    file = home / ".vscode" / "mcp.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"inputs": [{"id": "search-key"}]}))
    assert "inputs" not in run(*words).output


def test_unexpected_values_next_to_an_input_cause_no_failure(home: Path) -> None:
    words = ("install", "vscode", "--project", home, "--set", "AZURE_SEARCH_API_KEY=${input:search-key}")
    run(*words)
    file = home / ".vscode" / "mcp.json"
    odd = json.loads(file.read_text()) | {"inputs": [{"id": ["x"]}, 7, {"id": "search-key"}]}
    odd["servers"]["ibid"]["env"] |= {"PORT": 5, "AZURE_OPENAI_API_KEY": None}
    file.write_text(json.dumps(odd))
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "inputs" not in result.output


def test_concurrent_commands_lose_no_entry(desktop: Path) -> None:
    """Each command reads the file, adds its own entry, and writes the complete file."""
    env = {**os.environ, "HOME": str(desktop.parents[2])}
    command = [
        sys.executable,
        "-c",
        "from server.cli import main; main()",
        "install",
        "claude-desktop",
        "--name",
    ]
    names = [f"ibid-{number}" for number in range(6)]
    running = [subprocess.Popen([*command, name], env=env, cwd=CHECKOUT, stdout=subprocess.DEVNULL) for name in names]
    done = [name for name, process in zip(names, running, strict=True) if process.wait(PATIENCE) == 0]

    assert sorted(json.loads(desktop.read_text())["mcpServers"]) == sorted(done) == names


@posix
def test_a_file_that_gets_a_secret_is_readable_only_by_its_owner(
    desktop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.write_text(OTHER)
    desktop.chmod(0o644)
    monkeypatch.setenv("RAG_LLM_API_KEY", "sk-hush")
    result = run("install", "claude-desktop", "--set", "RAG_LLM_API_KEY")

    assert result.exit_code == 0, result.output
    assert entry(desktop)["env"]["RAG_LLM_API_KEY"] == "sk-hush"
    assert "only you can read it" in result.output
    assert [stat.S_IMODE(one.stat().st_mode) for one in desktop.parent.iterdir()] == [0o600] * 2
    desktop.chmod(0o644)
    assert run("install", "claude-desktop", "--set", "RAG_LLM_API_KEY=").exit_code == 0
    assert {stat.S_IMODE(one.stat().st_mode) for one in desktop.parent.iterdir()} == {0o600}


@posix
def test_a_file_without_a_secret_keeps_its_permissions(desktop: Path) -> None:
    desktop.write_text("{}")
    desktop.chmod(0o644)
    assert run("install", "claude-desktop").exit_code == 0
    assert stat.S_IMODE(desktop.stat().st_mode) == 0o644
