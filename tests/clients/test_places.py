"""Paths of the clients' configuration files on three systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.clients.known import CLIENTS, Machine

CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
LINUX = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "vscode": ".config/Code/User/mcp.json",
    "cursor": ".cursor/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "copilot": ".copilot/mcp-config.json",
    "opencode": ".config/opencode/opencode.json",
    "cline": f".config/Code/{CLINE}",
    "continue": ".continue/mcpServers/ibid.json",
    "zed": ".config/zed/settings.json",
}
MAC = LINUX | {
    "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
    "vscode": "Library/Application Support/Code/User/mcp.json",
    "cline": f"Library/Application Support/Code/{CLINE}",
}
WINDOWS = LINUX | {
    "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
    "vscode": "AppData/Roaming/Code/User/mcp.json",
    "cline": f"AppData/Roaming/Code/{CLINE}",
    "zed": "AppData/Roaming/Zed/settings.json",
}


@pytest.mark.parametrize(("system", "files"), [("linux", LINUX), ("darwin", MAC), ("win32", WINDOWS)])
def test_each_client_has_its_file(system: str, files: dict[str, str], tmp_path: Path) -> None:
    machine = Machine(system, tmp_path, {})
    assert {name: one.user_file(machine) for name, one in CLIENTS.items()} == {
        name: tmp_path / file for name, file in files.items()
    }


@pytest.mark.parametrize(
    ("system", "variable", "client", "below"),
    [
        ("linux", "XDG_CONFIG_HOME", "vscode", "Code/User/mcp.json"),
        ("win32", "APPDATA", "claude-desktop", "Claude/claude_desktop_config.json"),
        ("linux", "CLAUDE_CONFIG_DIR", "claude-code", ".claude.json"),
        ("linux", "CODEX_HOME", "codex", "config.toml"),
        ("linux", "XDG_CONFIG_HOME", "opencode", "opencode/opencode.json"),
    ],
)
def test_system_variables_move_the_file(system: str, variable: str, client: str, below: str, tmp_path: Path) -> None:
    find = CLIENTS[client].user_file
    moved = Machine(system, tmp_path, {variable: str(tmp_path / "else")})
    assert find(moved) == tmp_path / "else" / below
    assert find(Machine(system, tmp_path, {variable: "relative"})) == find(Machine(system, tmp_path, {}))


def test_a_sandboxed_windows_program_has_its_own_file(tmp_path: Path) -> None:
    apart = tmp_path / "AppData/Local/Packages/Claude_pzs8/LocalCache/Roaming/Claude"
    apart.mkdir(parents=True)
    find = CLIENTS["claude-desktop"].user_file
    assert find(Machine("win32", tmp_path, {})) == apart / "claude_desktop_config.json"
    assert find(Machine("darwin", tmp_path, {})).is_relative_to(tmp_path / "Library")


def test_each_client_has_the_root_key_that_it_reads() -> None:
    assert {name: one.root for name, one in CLIENTS.items()} == {
        "claude-desktop": "mcpServers", "claude-code": "mcpServers", "vscode": "servers", "cursor": "mcpServers",
        "windsurf": "mcpServers", "codex": "mcp_servers", "gemini": "mcpServers", "copilot": "mcpServers",
        "opencode": "mcp", "cline": "mcpServers", "continue": "mcpServers", "zed": "context_servers",
    }  # fmt: skip
