"""The import rules between the folders hold, and the contracts that check them notice a violation."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGES = ("corpus", "prompts", "server", "tools")
READ_THE_ENVIRONMENT = {Path("server/settings/model.py"), Path("server/first_answers/early.py")}
"""Files that may read the environment. The second answers before the settings can be loaded."""
KEYS = ("source_modules", "forbidden_modules")
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINT, "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def house(root: Path, tmp_path: Path) -> Path:
    """A small copy of the project with its contracts and every package in them."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    modules = {module for contract in contracts for key in KEYS for module in contract.get(key, ())}
    for folder in sorted({*PACKAGES, "corpus/index/azure", *(module.replace(".", "/") for module in modules)}):
        if folder.split("/")[0] in PACKAGES:
            package = tmp_path
            for part in folder.split("/"):
                package /= part
                package.mkdir(exist_ok=True)
                (package / "__init__.py").touch()
    (tmp_path / "corpus/index/azure/client.py").write_text("import azure.search.documents\n")
    (tmp_path / "server/bootstrap.py").write_text("import azure.identity\nimport corpus.index.azure.client\n")
    (tmp_path / "pyproject.toml").write_bytes((root / "pyproject.toml").read_bytes())
    return tmp_path


def test_a_project_that_follows_the_import_rules_passes(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "statement"),
    [
        ("corpus/search.py", "import tools"),
        ("corpus/search.py", "import server"),
        ("corpus/search.py", "import prompts"),
        ("corpus/search.py", "import mcp.types"),
        ("corpus/search.py", "def find():\n    from azure.core import credentials"),
        ("tools/search.py", "import server"),
        ("tools/search.py", "import prompts"),
        ("tools/search.py", "import azure.identity"),
        ("server/app.py", "import azure.identity"),
        ("prompts/publish.py", "import corpus"),
        ("prompts/publish.py", "import server"),
        ("corpus/synthesis/find.py", "import corpus.index.local"),
        ("corpus/verification/find.py", "import corpus.index.azure"),
        ("corpus/embedding/find.py", "import corpus.readers"),
        ("corpus/access/find.py", "import corpus.index"),
    ],
)
def test_an_import_against_the_rules_is_noticed(house: Path, module: str, statement: str) -> None:
    (house / module).write_text(f"{statement}\n")
    done = lint(house)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout


def test_our_own_project_follows_the_import_rules(root: Path) -> None:
    done = lint(root)
    assert done.returncode == 0, done.stdout


def test_only_the_settings_read_the_environment(root: Path) -> None:
    readers = {path for path in modules(root) if reads_environment(ast.parse((root / path).read_text()))}
    assert readers <= READ_THE_ENVIRONMENT


@pytest.mark.parametrize(
    "source", ["import os\nos.environ['X']", "import os\nos.getenv('X')", "from os import environ"]
)
def test_reading_the_environment_is_noticed(source: str) -> None:
    assert reads_environment(ast.parse(source))


def modules(root: Path) -> Iterator[Path]:
    return (path.relative_to(root) for package in PACKAGES for path in (root / package).rglob("*.py"))


def reads_environment(tree: ast.AST) -> bool:
    words = {"environ", "environb", "getenv", "getenvb"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in words:
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "os":
            return any(alias.name in words for alias in node.names)
    return False
