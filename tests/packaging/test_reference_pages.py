"""The pages that `make reference` writes are current: docs/settings.md and docs/commands.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.commands.group import COMMANDS
from server.settings.model import variables
from tests.packaging.test_scripts import script


@pytest.mark.parametrize("name", ["write_settings", "write_commands"])
def test_a_reference_page_is_current(name: str, root: Path) -> None:
    writer = script(root, name)
    assert writer.page() == (root / writer.PAGE).read_text(encoding="utf-8"), "Run `make reference`."


def test_every_setting_has_one_row(root: Path) -> None:
    page = (root / "docs/settings.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)) == sorted(variables())


def test_every_command_has_a_section(root: Path) -> None:
    page = (root / "docs/commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^## ibid (\S+)$", page, re.MULTILINE) == list(COMMANDS)
