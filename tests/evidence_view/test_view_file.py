"""The single file of the view: small, without access to the outside, and with the terms of the documentation."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from server.answer_page.answer_words import SIGNS, WORDS
from tests.evidence_view.host_tab import VIEW

TEXT = VIEW.read_text(encoding="utf-8")


def test_the_file_is_small() -> None:
    assert len(TEXT.encode()) < 60_000


@pytest.mark.parametrize("part", ["script", "style"])
def test_the_policy_allows_only_the_views_own_script_and_style(part: str) -> None:
    found = re.findall(rf"<{part}>(.*?)</{part}>", TEXT, re.DOTALL)
    assert len(found) == 1
    digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode("ascii")
    assert f"{part}-src 'sha256-{digest}'" in TEXT
    assert "default-src 'none'" in TEXT


def test_no_text_becomes_markup_and_only_the_host_gets_requests() -> None:
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "fetch(",
                      "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(", "setAttribute(\"style\"",
                      "location", "window.open", "localStorage", "src=", "href="):  # fmt: skip
        assert forbidden not in TEXT, forbidden
    assert re.findall(r"https?://[^\s\"'`]*", TEXT) == []


def test_verdicts_have_the_same_names_as_everywhere() -> None:
    assert {verdict: _said(verdict) for verdict in WORDS} == WORDS
    signs = re.search(r"const SIGNS = \{(.*?)\};", TEXT)
    assert signs
    assert json.loads("{" + re.sub(r"(\w+):", r'"\1":', signs[1]) + "}") == SIGNS


def _said(verdict: str) -> str:
    found = re.search(rf'\b{verdict}: "([^"]*)"', TEXT[TEXT.index("const WORDS") :])
    return found[1] if found else ""
