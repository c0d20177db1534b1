"""Each claim is marked once in the answer, and no text of the answer can forge a mark."""

from __future__ import annotations

import re

import pytest

from corpus.citing.protocol import Claim
from corpus.documents.block import Picture
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_html import answer_html


@pytest.mark.parametrize("forged", ["\ue0001\ue001", "&#xE000;1&#xE001;", "\ue000{0}n1\ue001", "&#xE000;n1&#xE001;"])
def test_no_answer_text_becomes_a_claim_mark(forged: str) -> None:
    said = "True."
    claim = CheckedClaim(Claim(said, 0, len(said), "sentence", (1,)), "found", 1.0)
    written = answer_html(f"{said} False. {forged}\n\n```{forged} x\ny\n```\n\n- `{forged}`", [claim], {}, ())
    assert written.count('class="mark') == written.count('id="at-1"') == 1
    assert written.index("</a>") < written.index("False.")


def test_a_claim_mark_leaves_attributes_intact_and_appears_once() -> None:
    text = "```python\nx\n```\n\n![A pump](rag://blocks/f1/image) ![B" + '"><i>' + "](rag://blocks/f1/image)"
    ends = [text.index(word) + len(word) for word in ("python", "A pump", '"><i>')]
    claims = [CheckedClaim(Claim("x", end - 1, end, "sentence", ()), "uncited", 0.0) for end in ends]
    written = answer_html(text, claims, {"f1": Picture(b"x", "image/png")}, ())
    assert '<code class="language-python">' in written
    assert 'alt="A pump"' in written
    assert 'alt="B&quot;&gt;&lt;i&gt;"' in written
    assert [written.count(f'id="at-{number}"') for number in (1, 2, 3)] == [0, 1, 1]
    assert not re.search("[\ue000-\uf8ff]", written)
