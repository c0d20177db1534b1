"""Every import is declared, every declared package is pinned, and every pin is explained."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

PACKAGES = ("corpus", "prompts", "server", "tools")
HALVES = {"mcp_types", "pydantic_core"}
"""Parts of mcp and pydantic with their own package names. These two packages pin them."""
BROUGHT_ANYWAY = {"requests"}
"""Package declared in an extra that imports it, but always installed, because azure-core needs it."""
PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)


def pins(lock: Path) -> dict[str, set[str]]:
    """Return the versions of each package: more than one if Python versions differ."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(lock.read_text()):
        found.setdefault(name, set()).add(version)
    return found


@pytest.fixture(scope="module")
def declared(root: Path) -> set[str]:
    return {name_of(one) for one in manifest(root)["project"]["dependencies"]}


@pytest.fixture(scope="module")
def extras(root: Path) -> list[str]:
    """Return the optional extras, as requirements."""
    return [one for extra in manifest(root)["project"]["optional-dependencies"].values() for one in extra]


def test_every_import_is_a_declared_dependency(root: Path, declared: set[str], extras: list[str]) -> None:
    declared = declared | set(map(name_of, extras))
    known = packages_distributions()
    foreign = set(imported(root)) - set(PACKAGES) - set(sys.stdlib_module_names)
    undeclared = {name for name in foreign if not {*map(normal, known.get(name, []))} & declared}
    assert undeclared <= HALVES


@pytest.mark.parametrize("lock", ["run.txt", "dev.txt"])
def test_a_lock_contains_only_names_versions_and_hashes(root: Path, lock: str) -> None:
    text = (root / "requirements" / lock).read_text()
    line = re.compile(r"[a-z0-9.-]+==[^\s;]+( ; [^/\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [one for one in text.splitlines() if not line.fullmatch(one)] == []


def test_the_tests_use_the_same_versions_as_a_user(root: Path) -> None:
    run, dev = (pins(root / "requirements" / name) for name in ("run.txt", "dev.txt"))
    assert {name: dev.get(name) for name in run} == run


def test_every_dependency_is_pinned(root: Path, declared: set[str]) -> None:
    assert declared <= set(pins(root / "requirements" / "run.txt"))


def test_the_tests_run_with_every_extra_and_a_user_without(root: Path, declared: set[str], extras: list[str]) -> None:
    ours = {one.partition(";")[0] for one in manifest(root)["dependency-groups"]["dev"]}
    assert set(extras) <= ours
    assert set(map(name_of, extras)) <= set(pins(root / "requirements" / "dev.txt"))
    without = declared | set(pins(root / "requirements" / "run.txt"))
    assert set(map(name_of, extras)) & without <= BROUGHT_ANYWAY


def test_the_build_backend_is_pinned_too(root: Path) -> None:
    assert "hatchling" in pins(root / "requirements" / "dev.txt")


def test_the_documentation_explains_every_dependency_at_its_version(root: Path, declared: set[str]) -> None:
    text, _, _ = (root / "docs/dependencies.md").read_text(encoding="utf-8").partition("## Platforms with wheels")
    rows = re.findall(r"^\| ([a-z0-9-]+) \| ([^|]*\d[^|]*) \|", text, re.MULTILINE)
    locked = pins(root / "requirements" / "run.txt")
    explained = {name: set(re.findall(r"\b(?<!Python )\d+\.\d+(?:\.\d+){0,2}", versions)) for name, versions in rows}
    assert explained == {name: locked[name] for name in declared}


def manifest(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text())


def name_of(requirement: str) -> str:
    return re.split(r"[<>=;\s\[]", requirement)[0]


def imported(root: Path) -> Iterator[str]:
    """Yield the top-level name of every absolute import in the project's packages."""
    for package in PACKAGES:
        for path in (root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    yield from (alias.name.split(".")[0] for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module.split(".")[0]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
