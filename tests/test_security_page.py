"""The tests that the threat table lists exist."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "security.md"
NAMED = sorted(set(re.findall(r"`((?:\w+/)*\w+\.py)(?:::(\w+))?`", PAGE.read_text(encoding="utf-8"))))


def test_every_threat_has_a_defence_and_a_test() -> None:
    threats = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    tables = [line for line in threats if line.count("|") == 4 and "---" not in line]
    shown = [line for line in tables if ".py" in line]

    assert len(shown) >= 30


@pytest.mark.parametrize(("file", "name"), NAMED, ids="::".join)
def test_every_test_named_on_the_page_exists(file: str, name: str) -> None:
    text = (TESTS / file).read_text(encoding="utf-8")

    assert f"def {name or 'test_'}" in text
