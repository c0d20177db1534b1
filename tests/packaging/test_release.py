"""What a release is made of says one thing, and starts."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.packaging.test_wheel import first_answer

yaml = pytest.importorskip("yaml", reason="comes with rapidocr, which Intel Macs do not get")
SHA = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


@pytest.fixture(scope="module")
def scripts(root: Path) -> Iterator[Any]:
    """The files of `scripts/`, which import each other by their names alone."""
    sys.path.insert(0, str(root / "scripts"))
    yield importlib.import_module
    sys.path.remove(str(root / "scripts"))
    for name in ("built", "make_bundle", "check_release", "check_licences", "node_tools"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def maker(scripts: Any) -> ModuleType:
    made: ModuleType = scripts("make_bundle")
    return made


@pytest.fixture
def bundle(maker: ModuleType, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Unpacked, as a client does it."""
    monkeypatch.setattr(maker, "distributions", lambda source, folder: [wheel])
    with zipfile.ZipFile(maker.make(tmp_path)) as archive:
        archive.extractall(tmp_path / "my extensions")
    return tmp_path / "my extensions"


def test_a_bundle_starts_as_its_manifest_says_with_the_folders_that_were_chosen(
    bundle: Path, alone: Path, tmp_path: Path
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    config = manifest["server"]["mcp_config"]
    (tmp_path / "one").mkdir()
    (tmp_path / "two words").mkdir()
    chosen = [str(tmp_path / "one"), str(tmp_path / "two words")]
    args = [word for arg in config["args"] for word in (chosen if "documents" in arg else [arg])]
    args = [one.replace("${__dirname}", str(bundle)) for one in args]
    assert [config["command"], *args[:4]] == ["uv", "run", "--project", str(bundle), "--no-dev"]
    # In place of uv, which would fetch the dependencies, the environment that it would make.
    env = {
        "RAG_DATA_DIR": str(tmp_path / "data"),
        "RAG_USER_ID": "",
        "RAG_PAGE_LABEL": "auto",
        "HOME": str(tmp_path),
    }
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    answer = first_answer([str(alone / "python"), *args[4:]], tmp_path, kept | env)
    assert answer["result"]["serverInfo"]["name"] == "ibid"
    told = [str(alone / "python"), "-c", MAIN, str(bundle), *chosen]
    done = subprocess.run(told, env=kept | env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == os.pathsep.join(chosen)


MAIN = """
import os, runpy, sys, server.cli
server.cli.main = lambda: print(os.environ["RAG_DOCUMENTS"])
bundle = sys.argv.pop(1)
runpy.run_path(bundle + "/main.py", run_name="__main__")
"""


def test_a_bundle_pins_what_was_tested_and_lists_the_tools(bundle: Path, root: Path) -> None:
    project = (bundle / "pyproject.toml").read_text()
    pins = re.findall(r"^[a-z0-9.-]+==\S+", (root / "requirements/run.txt").read_text(), re.MULTILINE)
    assert all(f'"{pin}' in project for pin in pins)
    listed = {one["name"] for one in json.loads((bundle / "manifest.json").read_text())["tools"]}
    assert listed == {one.stem for one in (root / "tools").glob("rag_*.py")}
    assert next(bundle.glob("*.whl")).name in project


def test_the_entry_of_the_registry_is_one_and_of_this_version(root: Path, maker: ModuleType) -> None:
    said = json.loads((root / "server.json").read_text())
    errors = list(Draft202012Validator(SERVER).iter_errors(said))
    assert not errors, errors
    (package,) = said["packages"]
    assert said["version"] == package["version"] == maker.version()
    assert package["runtimeArguments"][0]["value"] == f"{package['identifier']}=={maker.version()}"


ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": ["positional", "named"]}, "value": {"type": "string"}},
    "if": {"properties": {"type": {"const": "named"}}},
    "then": {"required": ["name"]},
    "else": {"anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}]},
}
SERVER = {
    "type": "object",
    "required": ["$schema", "name", "description", "version"],
    "properties": {
        "$schema": {"pattern": r"/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "transport"],
                "properties": {
                    "transport": {"properties": {"type": {"enum": ["stdio", "streamable-http", "sse"]}}},
                    "runtimeArguments": {"items": ARGUMENT},
                    "packageArguments": {"items": ARGUMENT},
                    "environmentVariables": {
                        "items": {
                            "required": ["name"],
                            "properties": {"format": {"enum": ["string", "number", "boolean", "filepath"]}},
                        }
                    },
                },
            }
        },
    },
}
"""The shape of 2025-12-11, as far as it is used here."""


def test_the_settings_of_the_registry_are_settings(root: Path) -> None:
    from server.settings import variables

    (package,) = json.loads((root / "server.json").read_text())["packages"]
    assert {one["name"] for one in package["environmentVariables"]} <= set(variables())


def test_a_release_wants_one_version_and_a_changelog_that_tells_it(
    scripts: Any, root: Path, tmp_path: Path
) -> None:
    check = scripts("check_release")
    for name in ("pyproject.toml", "server.json"):
        (tmp_path / name).write_bytes((root / name).read_bytes())
    known = check.version(tmp_path)
    log = tmp_path / "CHANGELOG.md"
    log.write_text(f"# Changelog\n\n## Unreleased\n\n## {known} (2027-01-31)\n\n- New.\n")
    assert check.faults(f"v{known}", tmp_path) == []
    assert check.notes(tmp_path) == "- New.\n"
    assert len(check.faults("v9.9.9", tmp_path)) == 1
    log.write_text(f"## Unreleased\n\n- More.\n\n## {known}\n\n")
    assert len(check.faults(f"v{known}", tmp_path)) == 3


def test_every_licence_is_known(scripts: Any) -> None:
    check = scripts("check_licences")
    assert {name: said for name in check.names() if not check.allowed(said := check.licence(name))} == {}
    assert not check.allowed("MIT AND GPL-3.0-only")


def test_no_file_of_the_wheel_is_also_one_of_another_package(wheel: Path) -> None:
    """Our folders have common names, which nothing that is installed beside us may use."""
    with zipfile.ZipFile(wheel) as archive:
        ours = {name for name in archive.namelist() if ".dist-info/" not in name}
    folders = {name.split("/")[0] for name in ours}
    others = {
        f"{one.metadata['Name']}: {file}"
        for one in distributions()
        if one.metadata["Name"] != "ibid-mcp"
        for file in one.files or ()
        if file.parts[0] in folders | {f"{folder}.py" for folder in folders}
    }
    assert others == set()


def test_every_action_is_pinned_and_no_job_may_do_more_than_it_says(root: Path) -> None:
    for file in (root / ".github/workflows").glob("*.yml"):
        flow = yaml.safe_load(file.read_text())
        assert flow["permissions"] == {}
        for job in flow["jobs"].values():
            assert "permissions" in job
            assert "timeout-minutes" in job
            used = [step["uses"] for step in job["steps"] if "uses" in step]
            assert all(SHA.fullmatch(one) for one in used)
            for step in job["steps"]:
                for target in re.findall(r"make ([a-z -]+)", step.get("run", "")):
                    known = (root / "Makefile").read_text()
                    assert all(f"\n{name}:" in known for name in target.split())


def test_python_versions_of_the_workflow_are_those_that_are_promised(root: Path) -> None:
    matrix = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())["jobs"]["test"]["strategy"][
        "matrix"
    ]
    tried = {*matrix["python"], *(one["python"] for one in matrix["include"])}
    assert tried == {"3.11", "3.12", "3.13", "3.14"}


def test_the_image_runs_as_nobody_in_particular_and_holds_no_secret(root: Path) -> None:
    text = (root / "Dockerfile").read_text()
    last = text[text.rindex("\nFROM ") :]
    assert re.search(r"^USER [1-9]\d+$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert "VOLUME /data" in last
    assert "KEY" not in text
    assert "--require-hashes" in text
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    kept = (root / ".dockerignore").read_text().splitlines()
    assert all(f"!{one}" in kept and (root / one).exists() for line in copied for one in line.split())
