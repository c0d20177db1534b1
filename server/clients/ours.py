"""Which entries start Ibid: those of other servers are neither replaced nor taken out, whatever their name."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PureWindowsPath
from typing import Any

from server.clients.launch import DISTRIBUTION, WITHOUT_SCRIPT

_PYTHON = re.compile(r"(python|pypy)[\d.]*w?(\.exe)?|py(\.exe)?")
_RUNNER = re.compile(r"(uvx|uv|pipx)(\.exe)?")
_OUR_PACKAGE = re.compile(re.escape(DISTRIBUTION).replace("\\-", "[-_.]") + r"(\[[^\]]*\])?\s*([=<>!~@].*)?")


def is_ours(entry: Any) -> bool:
    """Goes by the program that is started. Words after it prove nothing: `mkdocs serve` serves as well."""
    if not isinstance(entry, dict) or "url" in entry or not isinstance(entry.get("command"), str):
        return False
    args = entry.get("args")
    words = [one for one in args if isinstance(one, str)] if isinstance(args, list) else []
    program = _program(entry["command"])
    if _PYTHON.fullmatch(program):
        return ("-c", WITHOUT_SCRIPT) in _pairs(words) or _is_ibid(_first(words))
    if _RUNNER.fullmatch(program):
        return _runs_ours(words)
    return _is_ibid(entry["command"])


def is_our_package(word: str) -> bool:
    """As a requirement, with extras and a version or without."""
    return bool(_OUR_PACKAGE.fullmatch(word.strip().lower()))


def _runs_ours(words: list[str]) -> bool:
    pairs = {
        *_pairs(words),
        *(tuple(one.split("=", 1)) for one in words if one.startswith("--") and "=" in one),
    }
    by_option = any(before in ("--from", "--spec") and is_our_package(word) for before, word in pairs)
    return (
        by_option
        or ("ibid", "serve") in pairs  # from a folder or a repository, whose address does not say what is in it
        or is_our_package(_first([one for one in words if one not in ("run", "tool")]))
    )


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return list(pairwise(words))


def _first(words: list[str]) -> str:
    return next((one for one in words if not one.startswith("-")), "")


def _is_ibid(word: str) -> bool:
    return _program(word) in ("ibid", "ibid.exe")


def _program(command: str) -> str:
    """The file's name; a configuration may have been written on Windows."""
    return PureWindowsPath(command).name.lower()
