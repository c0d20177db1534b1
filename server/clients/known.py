"""The clients whose configuration Ibid can edit, and the location of each configuration file on Linux, macOS and
Windows."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.clients import json_entries
from server.clients.json_entries import Broken, NotEditable

DESKTOP_FILE = "claude_desktop_config.json"


@dataclass(frozen=True, slots=True)
class Machine:
    """A user's machine. `system` has the value of `sys.platform` there. `variables` are the environment variables that
    contain folder paths."""

    system: str
    home: Path
    variables: Mapping[str, str]

    def applications(self) -> Path:
        """Return the folder in which this user's programs store their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA") or self.home / "AppData" / "Roaming"
        return self.folder("XDG_CONFIG_HOME") or self.home / ".config"

    def folder(self, variable: str) -> Path | None:
        """Return the folder that a variable names, or None if the variable is unset. Also return None for a relative
        path, because the XDG specification says to ignore it."""
        path = Path(self.variables.get(variable) or "")
        return path if path.is_absolute() else None


def claude_desktop(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return (_packaged(machine) or machine.applications() / "Claude") / DESKTOP_FILE


def claude_code(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return (machine.folder("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"


def vscode(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return machine.applications() / "Code" / "User" / "mcp.json"


def cursor(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return machine.home / ".cursor" / "mcp.json"


def windsurf(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return machine.home / ".codeium" / "windsurf" / "mcp_config.json"


def codex(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return (machine.folder("CODEX_HOME") or machine.home / ".codex") / "config.toml"


def gemini(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return machine.home / ".gemini" / "settings.json"


def copilot(machine: Machine) -> Path:
    """Return the configuration file of the user."""
    return (machine.folder("COPILOT_HOME") or machine.home / ".copilot") / "mcp-config.json"


def opencode(machine: Machine) -> Path:
    """Return the configuration file, which is under ~/.config on every system."""
    return (machine.folder("XDG_CONFIG_HOME") or machine.home / ".config") / "opencode" / "opencode.json"


def cline(machine: Machine) -> Path:
    """Return the configuration file of the extension in VS Code."""
    extension = machine.applications() / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    return extension / "settings" / "cline_mcp_settings.json"


def continue_dev(machine: Machine) -> Path:
    """Return the path of a separate file for Ibid, in the folder from which the client reads every file."""
    return machine.home / ".continue" / "mcpServers" / "ibid.json"


def zed(machine: Machine) -> Path:
    """Return the configuration file, which is under ~/.config on macOS too."""
    if machine.system == "darwin":
        return machine.home / ".config" / "zed" / "settings.json"
    return machine.applications() / ("Zed" if machine.system == "win32" else "zed") / "settings.json"


def _packaged(machine: Machine) -> Path | None:
    """Return the folder that Windows assigns, in place of APPDATA, to a program that was installed from its store or in
    the same package format."""
    if machine.system != "win32":
        return None
    local = machine.folder("LOCALAPPDATA") or machine.home / "AppData" / "Local"
    folders = sorted(local.glob("Packages/*Claude*/LocalCache/Roaming/Claude"))
    return next((one for one in folders if (one / DESKTOP_FILE).exists()), folders[0] if folders else None)


_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def entries_of(text: str, root: str) -> dict[str, Any]:
    """Return all entries in the text. Raise Broken or NotEditable."""
    entries = _read(text).get(root, {})
    if not isinstance(entries, dict):
        raise NotEditable(f"{root!r} is not a table")
    return entries


def with_entry(text: str, root: str, name: str, entry: dict[str, Any]) -> str:
    """Return the text with the entry in separate tables at the end, which replace existing tables with that name. Raise
    Broken or NotEditable."""
    bare = without_entry(text, root, name)
    before = bare if not bare or bare.endswith("\n") else bare + "\n"
    edited = f"{before}{chr(10) if before.strip() else ''}{_written(root, name, entry)}"
    wanted = _read(text) | {root: entries_of(text, root) | {name: entry}}
    return _checked(edited, wanted)


def without_entry(text: str, root: str, name: str) -> str:
    """Return the text without the tables with that name, or unchanged if there are none. Raise Broken or
    NotEditable."""
    entries = entries_of(text, root)
    if name not in entries:
        return text
    headers = [header.start() for header in _HEADER.finditer(text)]
    kept = [text[: headers[0]] if headers else text]
    ends = [*headers[1:], len(text)] if headers else []
    for begins, end in zip(headers, ends, strict=True):
        part = text[begins:end]
        if not _is_of(part, root, name):
            kept.append(part)
        elif "#" in re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', "", part):
            raise NotEditable(f"the entry {name!r} contains comments, which would be lost")
    left = {key: value for key, value in entries.items() if key != name}
    before = _read(text)
    wanted = before | {root: left} if left else {key: value for key, value in before.items() if key != root}
    edited = "".join(kept)
    return _checked(edited.rstrip("\n") + "\n" if edited.strip() else "", wanted, root)


def _is_of(part: str, root: str, name: str) -> bool:
    """Return whether `part`, a table with its header, belongs to the entry."""
    try:
        entries = tomllib.loads(part).get(root)
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(entries, dict) and set(entries) == {name}


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (text.count("\n") + 1, 1)
        raise Broken(line, column, "no TOML") from None


def _checked(edited: str, wanted: dict[str, Any], root: str = "") -> str:
    """Return the text if it parses to the expected entries. Raise NotEditable otherwise, for example if the entry is in
    the same table as others."""
    try:
        parsed = tomllib.loads(edited)
    except tomllib.TOMLDecodeError:
        parsed = {}
    if {key: value for key, value in parsed.items() if key != root or value} == wanted:
        return edited
    raise NotEditable("its tables are arranged so that an edit would change more than the entry")


def _written(root: str, name: str, entry: dict[str, Any]) -> str:
    lines = [f"[{root}.{_key(name)}]"]
    tables = {key: value for key, value in entry.items() if isinstance(value, dict)}
    lines += [f"{_key(key)} = {_value(value)}" for key, value in entry.items() if key not in tables]
    for key, table in tables.items():
        lines += ["", f"[{root}.{_key(name)}.{_key(key)}]"]
        lines += [f"{_key(part)} = {_value(value)}" for part, value in table.items()]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Return the value in TOML. Strings, numbers, booleans and lists of them are written as in JSON, which TOML
    interprets in the same way."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


SERVERS = "mcpServers"


@dataclass(frozen=True, slots=True)
class Client:
    """A client, with the location of its configuration and the shape of its entries.

    `root` is the key that contains its entries. `project_file` is its file in a project's folder, or None. `typed` is
    set if entries name their transport. `adds_by` is the client's own program, which adds the entry that follows
    --add-mcp. `toml` is set if the file is TOML. `one_command` is set if command and arguments are one list. `beside`
    contains additional keys of entries. `again` tells the user how to make the client reload its configuration, and
    `gone` tells the user how the processes that it started end.
    """

    name: str
    title: str
    user_file: Callable[[Machine], Path]
    again: str
    gone: str
    project_file: str | None = None
    root: str = SERVERS
    typed: bool = False
    adds_by: str = ""
    toml: bool = False
    one_command: bool = False
    beside: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, command: str, args: tuple[str, ...], env: dict[str, str]) -> dict[str, Any]:
        """Return the entry for this client, in the usual shape."""
        transport: dict[str, Any] = {"type": "stdio"} if self.typed else {}
        return transport | {**self.beside, "command": command, "args": list(args), "env": env}

    def entry_in(self, text: str, name: str) -> Any:
        """Return the entry with that name, or None if there is none. Raise Broken or NotEditable."""
        return self.entries_in(text).get(name)

    def entries_in(self, text: str) -> dict[str, Any]:
        """Return all entries, in the usual shape. Raise Broken or NotEditable."""
        if self.toml:
            return entries_of(text, self.root)
        entries = json_entries.entries_of(text, self.root)
        return {name: self._usual(entry) for name, entry in entries.items()}

    def with_entry(self, text: str, name: str, entry: dict[str, Any]) -> str:
        """Return the text with the entry. Raise Broken or NotEditable."""
        if self.toml:
            return with_entry(text, self.root, name, entry)
        return json_entries.with_entry(text, self.root, name, self.as_written(entry))

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without the entry with that name. Raise Broken or NotEditable."""
        if self.toml:
            return without_entry(text, self.root, name)
        return json_entries.without_entry(text, self.root, name)

    def pasted(self, name: str, entry: dict[str, Any]) -> str:
        """Return the entry as text for the user to add by hand."""
        if self.toml:
            return with_entry("", self.root, name, entry)
        return json.dumps({name: self.as_written(entry)}, ensure_ascii=False)[1:-1]

    def as_written(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return the entry in the shape of this client: some clients expect the command and its arguments as one
        list."""
        if not self.one_command:
            return entry
        rest = {key: value for key, value in entry.items() if key not in ("command", "args", "env")}
        return rest | {"command": [entry["command"], *entry["args"]], "environment": entry["env"]}

    def _usual(self, entry: Any) -> Any:
        if not self.one_command or not isinstance(entry, dict) or not isinstance(entry.get("command"), list):
            return entry
        command, *args = entry["command"] or [""]
        rest = {key: value for key, value in entry.items() if key not in ("command", "environment")}
        return rest | {"command": command, "args": args, "env": entry.get("environment", {})}


CLIENTS = {
    one.name: one
    for one in (
        Client("claude-desktop", "Claude Desktop", claude_desktop,
               "Quit Claude Desktop, not only its window, and start it again.",
               "Claude Desktop keeps it until you quit Claude Desktop."),
        Client("claude-code", "Claude Code", claude_code,
               "Running sessions keep their configuration; `/mcp` in a new session shows it.",
               "Running sessions keep it; new sessions do not have it.", ".mcp.json", typed=True),
        Client("vscode", "VS Code", vscode,
               "In VS Code, MCP: List Servers starts it.",
               "In VS Code, MCP: List Servers stops a running server.",
               ".vscode/mcp.json", "servers", typed=True, adds_by="code"),
        Client("cursor", "Cursor", cursor,
               "In Cursor, enable it in the MCP settings.",
               "Cursor keeps it until you restart Cursor.", ".cursor/mcp.json", adds_by="cursor"),
        Client("windsurf", "Windsurf", windsurf,
               "In Windsurf, refresh Cascade's MCP list to see it.",
               "Windsurf keeps it until you refresh its MCP list."),
        Client("codex", "Codex", codex,
               "Running sessions keep their configuration; `codex mcp list` shows it.",
               "Running sessions keep it; new sessions do not have it.", ".codex/config.toml", "mcp_servers",
               toml=True),
        Client("gemini", "Gemini CLI", gemini,
               "Running sessions keep their configuration; `/mcp` in a new session shows it.",
               "Running sessions keep it; new sessions do not have it.", ".gemini/settings.json"),
        Client("copilot", "Copilot CLI", copilot,
               "Running sessions keep their configuration; `/mcp show` in a new session shows it.",
               "Running sessions keep it; new sessions do not have it.", beside={"type": "local", "tools": ["*"]}),
        Client("opencode", "opencode", opencode,
               "Running sessions keep their configuration; `opencode mcp list` shows it.",
               "Running sessions keep it; new sessions do not have it.", "opencode.json", "mcp",
               one_command=True, beside={"type": "local", "enabled": True}),
        Client("cline", "Cline", cline,
               "In Cline, the list of MCP servers shows it immediately.",
               "Cline drops it immediately."),
        Client("continue", "Continue", continue_dev,
               "In Continue, reload the configuration to see it in agent mode.",
               "Continue keeps it until you reload its configuration.", ".continue/mcpServers/ibid.json"),
        Client("zed", "Zed", zed,
               "In Zed, the agent panel settings show it.",
               "Zed stops it immediately.", ".zed/settings.json", "context_servers",
               beside={"source": "custom"}),
    )
}  # fmt: skip
