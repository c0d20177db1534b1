"""Packages that are installed only where they are asked for."""

from __future__ import annotations

from importlib.util import find_spec

from corpus.errors import NotConfigured


def need(package: str, *, extra: str) -> None:
    """Raises NotConfigured where the package is not installed. Imports nothing."""
    if find_spec(package) is None:
        raise NotConfigured(f"The package {package} is missing. Install it: pip install 'ibid-mcp[{extra}]'")


def usable_key(key: str | None, setting: str) -> str | None:
    """The key without spaces around it. Raises NotConfigured, without it, where no header can carry it."""
    key = (key or "").strip() or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise NotConfigured(
            f"{setting} has a letter in it that no key has, such as a line break. Copy it again."
        )
    return key
