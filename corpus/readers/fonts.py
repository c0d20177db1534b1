"""Recognise code by the names of fonts and styles."""

from __future__ import annotations

import re

_MONOSPACED = re.compile(
    r"courier|consolas|menlo|monaco|\bmono\b|mono$|monospace|lucida console|source code|fira (?:code|mono)|cascadia"
    r"|inconsolata|typewriter|andale|letter gothic|terminal|fixedsys|hack$|iosevka",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:source ?|program ?)?(?:code|listings?|quell(?:text|code)|preformatted|verbatim|macro text|console)\b"
    r"|vorformatiert|programmlisting",
    re.IGNORECASE,
)


def is_monospaced(font: str | None) -> bool:
    """Return whether a font's name says that all of its characters have one width."""
    return bool(font and _MONOSPACED.search(font.split(",")[0].strip("'\" ")))


def is_code_style(name: str | None) -> bool:
    """Return whether a style is named after code, as any office program writes such names."""
    return bool(name and _CODE.search(re.sub(r"_20_|[_-]|(?<=[a-z])(?=[A-Z])", " ", name)))
