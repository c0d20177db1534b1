"""`--json` prints exactly one value on standard output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result


def said(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    assert result.stdout.isascii()
    return json.loads(result.stdout)


def test_each_reporting_command_supports_json(run, notes: Path) -> None:
    (notes / "ü\x1b[31m.exe").write_text("x")
    ingested = said(run("ingest", notes, "--json"))
    assert ingested["counts"]["added"] == 1
    assert ingested["passed_over"] == {".exe": 1}
    (file,) = ingested["files"]
    assert (file["outcome"], Path(file["path"]).name) == ("added", "pumps.md")

    listed = said(run("list", "--json"))
    assert listed["total"] == listed["count"] == 1
    assert listed["documents"][0]["doc_id"] == file["doc_id"]

    found = said(run("search", "impeller", "--json"))
    assert found["result_count"] == 1
    assert found["results"][0]["citation"] == "(Source: pumps.md, Pumps, lines 1-3)"
    assert found["mode"] == "lexical"

    assert said(run("status", "--json"))["counts"]["documents"] == 1
    assert said(run("config", "--json"))["RAG_EMBEDDER"] == "none"
    assert said(run("remove", "pumps.md", "--json"))["removed"][0]["doc_id"] == file["doc_id"]
    assert said(run("list", "--json"))["documents"] == []
    assert said(run("search", "impeller", "--json"))["results"] == []


def test_a_failed_file_is_in_the_json_and_in_the_exit_code(run, notes: Path) -> None:
    (notes / "broken.pdf").write_text("no pdf at all")
    result = run("ingest", notes, "--json")
    assert result.exit_code == 1
    failed = [one for one in json.loads(result.stdout)["files"] if one["outcome"] == "failed"]
    assert [Path(one["path"]).name for one in failed] == ["broken.pdf"]
    assert "not a PDF" in failed[0]["detail"]


def test_doctor_findings_are_json_and_the_exit_code_is_unchanged(
    run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said(run("doctor", "--json"))["ok"] is True
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    result = run("doctor", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["ok"] is False
    assert "failed" in {one["level"] for one in told["findings"]}


def test_keys_are_listed_as_json_without_their_digests(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_API_KEYS", str(tmp_path / "keys.json"))
    assert said(run("key", "list", "--json")) == {"keys": []}
    run("key", "add", "nobody")
    run("key", "add", "ann", "--user", "ann", "--expires", "90d")
    nobody, ann = said(run("key", "list", "--json"))["keys"]
    assert ann["principals"] == ["user:ann"]
    assert ann["expires"].endswith("+00:00")
    assert nobody["principals"] == []
    assert nobody["expires"] is None
    assert set(ann) == {"name", "principals", "created", "expires"}


def test_an_endless_command_refuses_json(run, notes: Path) -> None:
    result = run("ingest", notes, "--watch", "--json")
    assert result.exit_code == 2
    assert "Omit one of them" in result.output
