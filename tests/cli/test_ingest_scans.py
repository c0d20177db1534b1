"""Scans on the command line: read after all texts, skipped if OCR is switched off, reported if it is not installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.readers.scans import needs_ocr, picture, scan

SAID = "The impeller turns clockwise in its volute."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "scans"
    folder.mkdir()
    scan(folder / "a.pdf", picture(tmp_path / "page", SAID, size=(300, 150)))
    (folder / "b.md").write_text("# Pumps\n\nThe pump is primed.\n")
    return folder


@needs_ocr
def test_a_scan_is_found_by_its_text_when_the_command_ends(run, folder: Path) -> None:
    told = run("ingest", folder).output.splitlines()
    assert any("a.pdf: Page 1 is a picture without text, not read yet" in line for line in told)
    at = told.index("All text is searchable now. 1 picture left for OCR.")
    assert "2 added." in told[:at]
    assert SAID in run("search", "impeller").output
    assert run("ingest", folder).output.splitlines()[0] == "2 unchanged."


@needs_ocr
def test_json_reports_the_final_state_of_a_scan(run, folder: Path) -> None:
    files = json.loads(run("ingest", folder, "--json").stdout)["files"]
    (detail,) = [one["detail"] for one in files if one["path"].endswith("a.pdf")]
    assert detail == "Page 1 was read by text recognition (OCR); single characters and numbers may be wrong."


def test_if_ocr_is_off_a_scan_is_reported_with_the_fix(run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_OCR", "off")
    told = run("ingest", folder).output
    assert "a.pdf: Page 1 is a picture without text; what it says cannot be found until" in told
    assert "left for OCR" not in told
    assert SAID not in run("search", "impeller").output


def test_if_ocr_is_not_installed_a_scan_is_reported_with_the_fix(
    run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text("import sys\nsys.modules['rapidocr'] = None\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "without"))
    told = run("ingest", folder).output
    assert "Page 1 is a picture without text; what it says cannot be found until" in " ".join(told.split())
    assert "pip install rapidocr onnxruntime" in " ".join(told.split())
