"""Text of documents, answers and clients stays text in the view, whatever it contains, and none of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence_view.host_server import HOSTILE, UNSEEN, Server
from tests.evidence_view.host_tab import Host

pytestmark = pytest.mark.slow

PARTS = (
    "</script><script>",
    "<img src=x onerror=",
    "<style>*{display:none}</style>",
    "[1] [click](javascript:",
    "{{1+1}}",
)
MADE = "document.querySelectorAll('img, svg, iframe, form, base, a, object, embed, [onerror], [onload]').length"


GIVEN = {
    "answer": f"The seal {HOSTILE} holds 16 bar [1].\n\nIt {HOSTILE} leaks [2].",
    "block_ids": ["hostile-p1-1", "hostile-p2-f1"],
}


def test_a_hostile_document_is_shown_as_plain_text(server: Server, host: Host) -> None:
    host.tab.complaints.clear()
    host.tab.sized(1100, 900)
    host.show(server.call("rag_verify_answer", GIVEN), GIVEN)
    assert host.text("#claim").startswith("The seal </script><script>")
    host.press("#source-list li:nth-child(2) button")
    assert host.text("#text").startswith("Figure 1: </script><script>")
    _harmless(host)
    host.press("#source-list li:nth-child(1) button")
    assert host.text("#citation").startswith('</script><script>document.title="broken"')
    assert all(part in host.text("#text") for part in PARTS)
    assert "The text is longer" in host.text("#notes")
    _harmless(host)
    # Invisible characters of the answer, which the client wrote, are made visible.
    host.see("document.querySelector('#whole').open = true")
    shown = host.text("#answer")
    for told in ("U+202Egpj.exe", "U+2066turned", "hidden: obey me", "U+200B", "U+FEFF"):
        assert told in shown
    everything = host.see("document.body.textContent")
    assert not any(sign in everything for sign in f"\u202e\u202c\u2066\u200b\ufeff{UNSEEN}")


def test_invisible_characters_are_reported_and_joiners_are_left(host: Host) -> None:
    nibbles = "".join(chr(0xFE00 + (byte >> 4)) + chr(0xFE00 + (byte & 15)) for byte in b"obey me")
    blank = "\u2800\u034f\u3164\U0001d173\U0001bca0\U000e0080\U000e01f0\ufff0\u200d\u200c"
    host.show(_result(f"Start {nibbles} now. " + " ".join(f"<{one}>" for one in blank)))
    host.see("document.querySelector('#whole').open = true")
    shown = host.text("#answer")
    assert "Start U+FE06 U+FE0F U+FE06 U+FE02" in shown
    for one in blank:
        assert f"<U+{ord(one):04X}>" in shown
    fine = "نمی‌خواهم क्‍ष 👩‍🔬 ❤️‍🔥 ✔︎ 1️⃣ Zu\r\nEnde"
    host.show(_result(fine))
    assert host.see("document.querySelector('#answer').textContent") == fine
    assert host.see("plain('❤️‍🔥\u200b!')") == "❤️‍🔥!"


def test_a_long_claim_is_never_cut_within_a_character(host: Host) -> None:
    text = "a" * 599 + "😀" * 5
    host.show(_result(text, [[0, len(text) + 5, "found", 1, None, 0, 0]]))
    assert host.texts("#claim-list .text") == ["a" * 599]


def test_all_of_200_kb_of_text_are_shown(host: Host) -> None:
    text = f"First {HOSTILE}. " + "word " * 40_000 + "Last."
    row = [0, len(text.encode("utf-16-le")) // 2, "found", 1, None, 0, 0]
    host.tab.sized(360, 800)
    host.show(_result(text, [row] * 20))
    assert host.see("document.querySelector('#claim').textContent").endswith("Last.")
    assert host.see("document.querySelector('#answer').textContent").endswith("Last.")
    assert len(host.texts("#claim-list li")) == 20
    assert host.see("document.documentElement.scrollWidth") <= 360
    _harmless(host)


def test_only_addresses_of_the_index_are_opened_and_only_by_the_host(host: Host) -> None:
    for url, opened in (
        ("https://figures.example/3.png", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
    ):
        source = {"citation_number": 1, "citation": "A figure", "block_id": "b", "image_url": url}
        host.show(_result("See [1].", [], [source]), able={"openLinks": {}})
        assert host.see("!document.querySelector('#address').hidden") is opened
    source = {
        "citation_number": 1,
        "citation": "A page",
        "image_url": "https://evil.example/",
        "url": "https://evil.example/",
    }
    host.show(_result("See [1].", [], [source]), able={"openLinks": {}})
    assert host.see("document.querySelector('#address').hidden") is True
    source = {**source, "block_id": "b", "image_url": "https://figures.example/3.png"}
    host.show(_result("See [1].", [], [source]), able={"openLinks": {}})
    host.see("document.querySelector('#open').click()")
    assert [one["params"] for one in host.heard("ui/open-link")] == [{"url": "https://figures.example/3.png"}]
    assert host.left() == []


def test_only_harmless_style_values_of_a_host_are_used(host: Host) -> None:
    variables = {
        "--color-text-primary": "rgb(1, 2, 3)",
        "--color-background-primary": "url(https://evil.example/a.png)",
        "--color-border-primary": "red; background: url(https://evil.example/)",
        "--font-sans": "Georgia, serif",
        "--shadow-sm": "image-set('https://evil.example/a.png' 1x)",
        "--border-radius-md": "3px",
        "--mine": "red",
    }
    fonts = "@import url(https://evil.example/font.css)"
    host.show(_result("No claim."), context={"styles": {"variables": variables, "css": {"fonts": fonts}}})
    taken = host.see("document.documentElement.getAttribute('style')")
    assert "evil" not in taken
    assert "--mine" not in taken
    assert host.see("getComputedStyle(document.body).color") == "rgb(1, 2, 3)"
    assert host.see("getComputedStyle(document.body).fontFamily") == "Georgia, serif"
    assert host.left() == []


def _harmless(host: Host) -> None:
    assert host.see("document.title") == "Evidence"
    assert host.see(MADE) == 0
    assert host.see("[document.scripts.length, document.querySelectorAll('style').length]") == [1, 1]
    assert host.left() == []
    assert host.tab.complaints == []


def _result(answer: str, claims: list[Any] | None = None, sources: list[Any] | None = None) -> dict[str, Any]:
    """Return a result in the server's format, with values that the server never sends."""
    held = {
        "success": True,
        "answer": answer,
        "sources": sources or [],
        "confidence": 0.5,
        "warnings": [HOSTILE],
    }
    return {
        "content": [{"type": "text", "text": json.dumps(held)}],
        "structuredContent": held,
        "_meta": {"ibid/evidence": {"claims": claims or [], "blocks": [], "more": 0}},
    }
