"""`make check` finds names that are no longer allowed."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.packaging.test_scripts import script

ROOT = Path(__file__).parents[2]
TEXT = '''"""A file."""

MOST_LINES = 3


def told(given):
    """Letters of a page."""
    for one in [one for one in given]:
        kept = one


def plain() -> None: ...


class Shown:
    """Has a docstring."""

    def method(self) -> None: ...

    def _private(self) -> None: ...
'''


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.delitem(sys.modules, "measure_house", raising=False)
    return script(ROOT, "check_house")


def test_each_rule_finds_what_it_forbids(house) -> None:  # type: ignore[no-untyped-def]
    source = house.Source(Path("corpus/held.py"), TEXT, ast.parse(TEXT))
    found = {rule: [name for _, name in places(source)] for rule, (places, _) in house.RULES.items()}
    assert found == {
        "variables called `one`": ["one"],
        "variables called by a participle": ["given"],
        "functions, classes and files called by a participle": ["held", "told", "Shown"],
        "constants that MAX_ or MIN_ should begin": ["MOST_LINES"],
        '"letters" for characters': ['"""Letters of a page."""'],
        "public functions, classes and methods without a docstring": ["plain", "Shown.method"],
    }


def test_a_count_above_its_limit_fails(house, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    for name in ("server", "tools", "prompts", "corpus"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.py").write_text('"""A file."""\n')
    assert house.main(tmp_path, []) == 0
    limit = house.RULES["constants that MAX_ or MIN_ should begin"][1]
    (tmp_path / "server" / "file.py").write_text("".join(f"MOST_{n} = {n}\n" for n in range(limit + 1)))
    assert house.main(tmp_path, []) == 1
    assert "server/file.py:1: MOST_0" in capsys.readouterr().out
