"""The files of a release agree with each other, and the release starts."""

from __future__ import annotations

import importlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from tests.packaging.test_wheel import first_answer

yaml = pytest.importorskip("yaml", reason="comes with rapidocr, which Intel Macs do not get")
SHA = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


@pytest.fixture(scope="module")
def scripts(root: Path) -> Iterator[Any]:
    """The modules of `scripts/`, which import each other by plain names."""
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
    """The bundle, unpacked as a client does it."""
    monkeypatch.setattr(maker, "distributions", lambda source, folder: [wheel])
    with zipfile.ZipFile(maker.make(tmp_path)) as archive:
        archive.extractall(tmp_path / "my [extensions]")
    return tmp_path / "my [extensions]"


def test_a_bundle_starts_as_its_manifest_declares_with_the_chosen_folders(
    bundle: Path, alone: Path, tmp_path: Path
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    config = manifest["server"]["mcp_config"]
    chosen = [str(tmp_path / "one"), str(tmp_path / "two words")]
    for folder in chosen:
        Path(folder).mkdir()
    args = [word for arg in config["args"] for word in (chosen if "documents" in arg else [arg])]
    args = [arg.replace("${__dirname}", str(bundle)) for arg in args]
    assert [config["command"], args[0]] == ["python3", str(bundle / "main.py")]
    # Its environment already exists, because creating it needs the network.
    made = tmp_path / "data" / "program" / next(bundle.glob("*.whl")).name.split("-")[1]
    made.parent.mkdir(parents=True)
    made.symlink_to(alone.parent)
    answer = first_answer([sys.executable, *args], tmp_path, environment_of(tmp_path))
    assert answer["result"]["serverInfo"]["name"] == "ibid"
    told = [sys.executable, "-c", MAIN, str(bundle), *chosen]
    done = subprocess.run(told, env=environment_of(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == os.pathsep.join(chosen)


def environment_of(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return kept | {
        "RAG_DATA_DIR": str(home / "data"),
        "RAG_USER_ID": "",
        "RAG_PAGE_LABEL": "auto",
        "HOME": str(home),
    }


MAIN = """
import os, runpy, sys
os.execv = lambda *_: print(os.environ["RAG_DOCUMENTS"])
bundle = sys.argv.pop(1)
runpy.run_path(bundle + "/main.py", run_name="__main__")
"""


@pytest.mark.parametrize(
    "version",
    ["2025-11-25", *(pytest.param(old, marks=pytest.mark.slow) for old in ("2024-11-05", "2025-06-18", "1999-01-01"))],
)
def test_a_bundle_answers_during_set_up_and_reports_its_progress(bundle: Path, tmp_path: Path, version: str) -> None:
    """There is no network, so the set-up never ends. The next call says why."""
    hello = {
        "protocolVersion": version,
        "capabilities": {"new": {}},
        "clientInfo": {"name": "x", "version": "1"},
    }
    call = {"name": "rag_semantic_search", "arguments": {"query": "pump"}}
    asked = [("initialize", hello), ("tools/list", {}), ("resources/list", {}), ("tools/call", call)]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    env = environment_of(tmp_path) | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    with subprocess.Popen(
        [sys.executable, str(bundle / "main.py")],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        results = []
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            results.append(json.loads(process.stdout.readline())["result"])
        words = results[3]["content"][0]["text"]
        for _ in range(60):
            if not words.startswith("Setting up, "):
                break
            time.sleep(1)
            process.stdin.write(lines[3] + "\n")
            process.stdin.flush()
            words = json.loads(process.stdout.readline())["result"]["content"][0]["text"]
    assert results[0]["protocolVersion"] == (version if version != "1999-01-01" else "2025-11-25")
    assert results[0]["instructions"].startswith("Search the user's own documents")
    assert {"rag_semantic_search", "rag_synthesize"} <= {tool["name"] for tool in results[1]["tools"]}
    assert results[2] == {"resources": []}
    assert results[3]["isError"]
    assert words.startswith("Setting up failed: ")
    assert words.endswith("Type: NotConfigured")


def test_a_bundle_hands_the_session_to_the_server_after_set_up(bundle: Path, alone: Path, tmp_path: Path) -> None:
    """The set-up needs the network, so the test creates the environment instead."""
    handed = """
import runpy, sys, time
main = runpy.run_path(sys.argv[1] + "/main.py", run_name="main")
class Made(main["Setup"]):
    def run(self):
        time.sleep(1)
        self.folder = sys.argv[2]
sys.exit(main["Meanwhile"](Made("/nowhere")).run())
"""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    call = {"name": "rag_list_documents", "arguments": {}}
    command = [sys.executable, "-c", handed, str(bundle), str(alone.parent)]
    with subprocess.Popen(
        command, env=environment_of(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout

        def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
            line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            process.stdin.write(line + "\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            answer: dict[str, Any] = json.loads(process.stdout.readline())  # type: ignore[union-attr]
            assert answer["id"] == number
            return answer["result"]  # type: ignore[no-any-return]

        ask(0, "initialize", hello)
        process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        first = ask(1, "tools/call", call)
        assert first["content"][0]["text"].startswith("Setting up, ")
        for number in range(2, 60):
            result = ask(number, "tools/call", call)
            if "structuredContent" in result:
                break
            time.sleep(0.5)
        assert result["structuredContent"]["documents"] == []


def test_a_bundle_is_set_up_even_with_files_locked_by_a_scanner_and_pip_output_that_is_not_utf_8(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both happen on Windows."""
    main = runpy.run_path(str(bundle / "main.py"), run_name="main")
    rename, refused = os.rename, iter([PermissionError, PermissionError])

    def refusing(source: str, target: str) -> None:
        if error := next(refused, None):
            raise error
        rename(source, target)

    class Made(main["Setup"]):  # type: ignore[misc]
        def _fill(self, folder: str) -> None:
            said = "import sys; sys.stdout.buffer.write(b'Collecting gr\\xfc\\xdfe\\n')"
            self._ran([sys.executable, "-c", said], wanted=1)
            shutil.copytree(bundle, main["python_in"](folder))

    monkeypatch.setattr(os, "rename", refusing)
    monkeypatch.setattr(time, "sleep", lambda _: None)
    setup = Made(str(tmp_path / "program" / "1.0"))
    setup.run()

    assert (setup.percent, setup.failure, setup.is_done) == (100, None, True)
    assert [folder.name for folder in (tmp_path / "program").iterdir()] == ["1.0"]


def test_a_bundle_pins_tested_versions_lists_the_tools_and_has_an_icon(bundle: Path, root: Path) -> None:
    assert (bundle / "requirements.txt").read_bytes() == (root / "requirements/run.txt").read_bytes()
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert {tool["name"] for tool in manifest["tools"]} == {path.stem for path in (root / "tools").glob("rag_*.py")}
    with Image.open(bundle / manifest["icon"]) as icon:
        assert icon.size == (512, 512)


def test_the_registry_entry_is_valid_and_of_this_version(root: Path, maker: ModuleType) -> None:
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
"""Schema of the registry, version 2025-12-11, as far as it is used here."""


def test_the_settings_in_the_registry_entry_exist(root: Path) -> None:
    from server.settings.model import variables

    (package,) = json.loads((root / "server.json").read_text())["packages"]
    assert {one["name"] for one in package["environmentVariables"]} <= set(variables())


def test_a_release_needs_one_version_and_a_changelog_entry_for_it(scripts: Any, root: Path, tmp_path: Path) -> None:
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


def test_no_file_of_the_wheel_is_also_in_another_package(wheel: Path) -> None:
    """The project's folders have common names, which no other installed package may use."""
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


def test_every_action_is_pinned_and_no_job_has_undeclared_permissions(root: Path) -> None:
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


def test_the_workflow_uses_the_promised_python_versions(root: Path) -> None:
    matrix = yaml.safe_load((root / ".github/workflows/ci.yml").read_text())["jobs"]["test"]["strategy"]["matrix"]
    tried = {*matrix["python"], *(one["python"] for one in matrix["include"])}
    assert tried == {"3.11", "3.12", "3.13", "3.14"}


def test_the_image_runs_as_an_unprivileged_user_and_contains_no_secret(root: Path) -> None:
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
