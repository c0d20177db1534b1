"""Each client that `ibid install` supports gets an entry in its own format, and `ibid uninstall` restores its file."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from server.clients.known import CLIENTS
from server.commands.group import ibid

OTHERS = {
    "codex": 'model = "o5"\n\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nKEY = "hush"\n',
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.startswith(("RAG_", "AZURE_", "XDG_", "CLAUDE_", "CODEX_", "COPILOT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def run(*words: str) -> Result:
    result = CliRunner().invoke(ibid, words)
    assert result.exit_code == 0, result.output
    return result


def file_of(client: str) -> Path:
    return Path(json.loads(run("install", client, "--dry-run", "--json").stdout)["file"])


def entries(client: str) -> dict[str, Any]:
    text = file_of(client).read_text()
    whole = tomllib.loads(text) if CLIENTS[client].toml else json.loads(text)
    found: dict[str, Any] = whole[CLIENTS[client].root]
    return found


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_gets_an_entry_that_starts_ibid_and_a_second_run_changes_nothing(client: str) -> None:
    run("install", client, "--set", "RAG_PAGE_LABEL=p.")
    entry = entries(client)["ibid"]
    words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert Path(words[0]).is_absolute()
    assert words[-1] == "serve"
    assert (entry.get("env") or entry["environment"])["RAG_PAGE_LABEL"] == "p."
    assert "already" in run("install", client, "--set", "RAG_PAGE_LABEL=p.").output


@pytest.mark.parametrize("client", CLIENTS)
def test_uninstall_restores_the_file(client: str) -> None:
    other = {CLIENTS[client].root: {"other": {"command": "x", "args": []}}}
    text = OTHERS.get(client, json.dumps(other, indent=2) + "\n")
    file = file_of(client)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)

    run("install", client)
    assert set(entries(client)) == {"other", "ibid"}
    run("uninstall", client)

    assert file.read_text() == text


def test_some_clients_have_their_own_entry_format() -> None:
    for client in ("opencode", "copilot", "zed", "codex"):
        run("install", client)

    opencode = entries("opencode")["ibid"]
    assert (opencode["type"], opencode["enabled"], set(opencode)) == (
        "local", True, {"type", "enabled", "command", "environment"},
    )  # fmt: skip
    assert entries("copilot")["ibid"]["tools"] == ["*"]
    assert entries("zed")["ibid"]["source"] == "custom"
    assert set(entries("codex")["ibid"]) == {"command", "args", "env"}


def test_a_changed_setting_replaces_only_the_tables_of_the_entry() -> None:
    file = file_of("codex")
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n" + OTHERS["codex"])

    run("install", "codex", "--set", "RAG_PAGE_LABEL=p.")
    run("install", "codex", "--set", "RAG_PAGE_LABEL=S.")

    text = file.read_text()
    assert text.startswith("# mine\n" + OTHERS["codex"])
    assert text.count("[mcp_servers.ibid]") == text.count("[mcp_servers.ibid.env]") == 1
    assert entries("codex")["ibid"]["env"]["RAG_PAGE_LABEL"] == "S."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[mcp_servers\n", "line 1"),
        ('mcp_servers = { ibid = { command = "ibid", args = ["serve"] } }\n', "more than the entry"),
        ('[mcp_servers.ibid]\ncommand = "ibid" # mine\nargs = ["serve"]\n', "comments"),
    ],
)
def test_an_uneditable_toml_file_is_left_unchanged_and_the_entry_is_printed(text: str, said: str) -> None:
    file = file_of("codex")
    file.parent.mkdir(parents=True)
    file.write_text(text)

    result = CliRunner().invoke(ibid, ["install", "codex"])

    assert result.exit_code == 1
    assert said in result.output
    assert "[mcp_servers.ibid]" in result.output
    assert file.read_text() == text


def test_the_entry_to_paste_is_toml_for_a_toml_file() -> None:
    printed = tomllib.loads(run("config", "--mcp", "--client", "codex").stdout)
    assert printed["mcp_servers"]["ibid"]["args"][-1] == "serve"
