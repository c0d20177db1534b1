"""The checks of the repository find the faults that they look for."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest


def script(root: Path, name: str) -> ModuleType:
    """Load a file of `scripts/`, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, root / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "other.md").write_text("# A heading, with `code`\n\n## Twice\n\n## Twice\n")
    return tmp_path


@pytest.mark.parametrize(
    "text",
    [
        "[a](other.md)",
        "[a](other.md#a-heading-with-code)",
        "[a](other.md#twice-1)",
        "[a](#here)\n\n# Here\n",
        "[a](https://example.org/nowhere)",
        "`[a](missing.md)`",
        "```\n[a](missing.md)\n```\n",
    ],
)
def test_a_working_link_passes(root: Path, repository: Path, text: str) -> None:
    (repository / "page.md").write_text(text)
    assert script(root, "check_links").main(repository) == 0


@pytest.mark.parametrize(
    "text",
    [
        "[a](missing.md)",
        "![a](missing.png)",
        "[a](other.md#missing)",
        "[a](#missing)",
        "[a][b]\n\n[b]: missing.md\n",
        "[![a](other.md)](missing.md)",
    ],
)
def test_a_dead_link_is_found(root: Path, repository: Path, text: str) -> None:
    (repository / "page.md").write_text(text)
    assert script(root, "check_links").main(repository) == 1


@pytest.mark.parametrize("word", ["/ho" + "me/ann/x", "https://py" + "pi.org/simple", "C:\\Us" + "ers\\ann"])
def test_a_forbidden_word_is_found(root: Path, repository: Path, word: str) -> None:
    (repository / "notes.txt").write_text(f"see {word}\n")
    assert script(root, "check_words").main(repository) == 1


def test_a_picture_is_not_searched_for_words(root: Path, repository: Path) -> None:
    (repository / "picture.png").write_bytes(b"\x89PNG\xff/ho" + b"me/ann/")
    assert script(root, "check_words").main(repository) == 0
