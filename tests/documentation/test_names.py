"""The settings, repository files and make targets that the pages mention exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.settings.model import variables
from tests.documentation.blocks import ROOT, pages
from tests.documentation.programs import targets

FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
SETTING = re.compile(r"(?:RAG|AZURE|LANGFUSE)_[A-Z0-9_]+")
FILE = re.compile(r"(?<![\w.])[\w./-]+\.py\b")
OTHERS = {
    "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_AUTHORITY_HOST",  # of azure-identity
    "AZURE_SEARCH_LIVE_ENDPOINT", "AZURE_SEARCH_LIVE_KEY",  # of the tests
    "RAG_USER", "AZURE_SEARCH_KEY",  # mentioned as refused names
    "RAG_SYSTEM_PROMPT",  # a name in Python
}  # fmt: skip
TO_BE_MADE = "your_"
HISTORY = "CHANGELOG.md"
"""Pages that mention former names: the changelog."""


@pytest.fixture(scope="module")
def files() -> list[str]:
    folders = [one for one in ROOT.iterdir() if one.is_dir() and not one.name.startswith(".")]
    return [f"/{path.as_posix()}" for folder in folders for path in sources(folder)]


def sources(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.py") if "node_modules" not in path.parts)


@pytest.mark.parametrize("page", [page for page in pages() if page != HISTORY])
def test_everything_that_a_page_names_exists(page: str, files: list[str]) -> None:
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    assert [name for name in CODE.findall(text) if not is_there(name, files)] == []


def is_there(name: str, files: list[str]) -> bool:
    if TO_BE_MADE in name:
        return True
    settings = all(is_setting(one) for one in SETTING.findall(name))
    named = all(any(file.endswith(f"/{one}") for file in files) for one in FILE.findall(name))
    return settings and named and (not name.startswith("make ") or name.split()[1] in targets())


def is_setting(name: str) -> bool:
    known = {*variables(), *OTHERS}
    return name in known or (name.endswith("_") and any(one.startswith(name) for one in known))


@pytest.mark.parametrize("name", ["RAG_BACKENDS=azure", "server/nowhere.py", "make everything"])
def test_missing_names_are_noticed(name: str, files: list[str]) -> None:
    assert not is_there(name, files)
