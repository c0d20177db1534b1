"""The single file of the view: small, without access to the outside, and with the words of the documentation."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from server.answer_page.answer_words import SIGNS, WORDS
from tests.evidence_view.host_tab import VIEW

TEXT = VIEW.read_text(encoding="utf-8")


def test_it_is_small() -> None:
    assert len(TEXT.encode()) < 60_000


@pytest.mark.parametrize("part", ["script", "style"])
def test_its_policy_lets_only_its_own_script_and_style_run(part: str) -> None:
    found = re.findall(rf"<{part}>(.*?)</{part}>", TEXT, re.DOTALL)
    assert len(found) == 1
    digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode("ascii")
    assert f"{part}-src 'sha256-{digest}'" in TEXT
    assert "default-src 'none'" in TEXT


def test_nothing_in_it_makes_markup_of_text_or_asks_anybody_but_the_host() -> None:
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "fetch(",
                      "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon", "import(", "setAttribute(\"style\"",
                      "location", "window.open", "localStorage", "src=", "href="):  # fmt: skip
        assert forbidden not in TEXT, forbidden
    assert re.findall(r"https?://[^\s\"'`]*", TEXT) == []


def test_its_verdicts_are_called_as_everywhere() -> None:
    assert {verdict: _said(verdict) for verdict in WORDS} == WORDS
    signs = re.search(r"const SIGNS = \{(.*?)\};", TEXT)
    assert signs
    assert json.loads("{" + re.sub(r"(\w+):", r'"\1":', signs[1]) + "}") == SIGNS


def _said(verdict: str) -> str:
    found = re.search(rf'\b{verdict}: "([^"]*)"', TEXT[TEXT.index("const WORDS") :])
    return found[1] if found else ""
