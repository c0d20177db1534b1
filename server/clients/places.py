"""Where each client keeps its configuration, on Linux, macOS and Windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

DESKTOP_FILE = "claude_desktop_config.json"


@dataclass(frozen=True, slots=True)
class Machine:
    """`system` as in `sys.platform`; `variables` are those of the environment that say where folders are."""

    system: str
    home: Path
    variables: Mapping[str, str]

    def applications(self) -> Path:
        """Where programs of this user keep their settings."""
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        if self.system == "win32":
            return self.folder("APPDATA") or self.home / "AppData" / "Roaming"
        return self.folder("XDG_CONFIG_HOME") or self.home / ".config"

    def folder(self, variable: str) -> Path | None:
        """None also for a path that is not whole, which the rules of XDG leave unheard."""
        path = Path(self.variables.get(variable) or "")
        return path if path.is_absolute() else None


def claude_desktop(machine: Machine) -> Path:
    """The configuration file of the user."""
    return (_packaged(machine) or machine.applications() / "Claude") / DESKTOP_FILE


def claude_code(machine: Machine) -> Path:
    """The configuration file of the user."""
    return (machine.folder("CLAUDE_CONFIG_DIR") or machine.home) / ".claude.json"


def vscode(machine: Machine) -> Path:
    """The configuration file of the user."""
    return machine.applications() / "Code" / "User" / "mcp.json"


def cursor(machine: Machine) -> Path:
    """The configuration file of the user."""
    return machine.home / ".cursor" / "mcp.json"


def windsurf(machine: Machine) -> Path:
    """The configuration file of the user."""
    return machine.home / ".codeium" / "windsurf" / "mcp_config.json"


def codex(machine: Machine) -> Path:
    """The configuration file of the user."""
    return (machine.folder("CODEX_HOME") or machine.home / ".codex") / "config.toml"


def gemini(machine: Machine) -> Path:
    """The configuration file of the user."""
    return machine.home / ".gemini" / "settings.json"


def copilot(machine: Machine) -> Path:
    """The configuration file of the user."""
    return (machine.folder("COPILOT_HOME") or machine.home / ".copilot") / "mcp-config.json"


def opencode(machine: Machine) -> Path:
    """Below ~/.config on every system."""
    return (machine.folder("XDG_CONFIG_HOME") or machine.home / ".config") / "opencode" / "opencode.json"


def cline(machine: Machine) -> Path:
    """Of the extension in VS Code."""
    extension = machine.applications() / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    return extension / "settings" / "cline_mcp_settings.json"


def continue_dev(machine: Machine) -> Path:
    """A file for Ibid alone, in the folder whose files it reads all."""
    return machine.home / ".continue" / "mcpServers" / "ibid.json"


def zed(machine: Machine) -> Path:
    """Below ~/.config on macOS too."""
    if machine.system == "darwin":
        return machine.home / ".config" / "zed" / "settings.json"
    return machine.applications() / ("Zed" if machine.system == "win32" else "zed") / "settings.json"


def _packaged(machine: Machine) -> Path | None:
    """Windows gives a program from its store, or of that kind, a folder of its own in place of APPDATA."""
    if machine.system != "win32":
        return None
    local = machine.folder("LOCALAPPDATA") or machine.home / "AppData" / "Local"
    folders = sorted(local.glob("Packages/*Claude*/LocalCache/Roaming/Claude"))
    return next((one for one in folders if (one / DESKTOP_FILE).exists()), folders[0] if folders else None)
