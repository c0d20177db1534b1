"""Optional packages, and keys as an HTTP header can carry them."""

from __future__ import annotations

from importlib.util import find_spec

from corpus.errors import NotConfigured


def need(package: str, *, extra: str) -> None:
    """Raise NotConfigured, naming the extra to install, where the package is missing. Imports nothing."""
    if find_spec(package) is None:
        raise NotConfigured(f"The package {package} is missing. Install it: pip install 'ibid-mcp[{extra}]'")


def usable_key(key: str | None, setting: str) -> str | None:
    """Return the key without surrounding spaces, or None for an empty one. Raises NotConfigured, without quoting it,
    where no HTTP header can carry it."""
    key = (key or "").strip() or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise NotConfigured(
            f"{setting} has a character in it that no key has, such as a line break. Copy it again."
        )
    return key
