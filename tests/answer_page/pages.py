"""An answer with every verdict, for a page whose only line is a black bar, with hostile text wherever text is
allowed."""

from __future__ import annotations

import io
from dataclasses import replace

from PIL import Image, ImageDraw

from corpus.citing.protocol import Claim
from corpus.documents.block import PagePicture, Picture
from corpus.synthesis.answer import Source
from corpus.verification.protocol import CheckedClaim, Evidence, Verdict
from server.answer_page.page_data import AnswerData, PageData, PageImage
from tests.values import hit, image_block, text_block

HOSTILE = '"><script>document.title="broken"</script><img src=x onerror="document.title=1">'
LONG_WORD = "example.org/" + "archive-" * 40
LINE = (60.0, 90.0, 240.0, 102.0)
"""Position of the bar, in points of a page of 300 by 400."""
FRAME = (60.0, 200.0, 240.0, 300.0)
"""Position of the figure."""


def gathered() -> PageData:
    verdicts: list[Verdict] = [
        "found",
        "partly",
        "not_found",
        "value_mismatch",
        "invalid_citation",
        "uncited",
    ]
    text, claims = "# Answer\n\n", []
    for number, verdict in enumerate(verdicts):
        said = f"Claim {number} is {verdict}."
        start = len(text)
        text += said + "\n\n"
        cited = () if verdict in ("uncited", "invalid_citation") else (1 if number < 3 else 2,)
        evidence = Evidence(cited[0], f"Evidence {HOSTILE}", 0, 10, 0.5) if cited else None
        claim = Claim(said, start, start + len(said), "sentence", cited)
        claims.append(CheckedClaim(claim, verdict, 0.5, evidence, (HOSTILE,) if number == 3 else ()))
    text += f"{HOSTILE} [click](https://evil.example/) ![out](https://evil.example/a.png) <https://evil.example/>\n\n"
    text += '![Figure 1: "><b>x</b>](rag://blocks/f1/image)\n\n*(Source: manual-1.pdf, S. 3)*\n\n'
    text += f"**Where it is kept**\n\nSee {LONG_WORD} *(Source: manual-1.pdf, S. 3)*\n"
    sources = tuple(
        Source(n, f"(Source: {HOSTILE}.pdf, S. {n})", hit(text_block("Some text.", page=n))) for n in (1, 2)
    )
    figure = image_block("A turbine", page=3, block_id="f1")
    sources += (Source(3, "(Source: manual-1.pdf, S. 3)", hit(figure)),)
    told = AnswerData(f"Question {HOSTILE}", text, tuple(claims), sources, (f"A note {HOSTILE}",), 0.4)
    page = PageImage(f"manual {HOSTILE}.pdf, S. 1", _page(), {1: [LINE], 2: [LINE], 3: [LINE]})
    page.framed[3] = FRAME
    return PageData(told, (page,), {"f1": Picture(_png(120, 80), "image/png")}, ((HOSTILE, HOSTILE),))


def without_claims() -> PageData:
    made = gathered()
    return replace(made, answer=replace(made.answer, claims=()), pages=(), pictures={}, left_out=())


def _page() -> PagePicture:
    image = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(image).rectangle([2 * side for side in LINE], fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    return PagePicture(out.getvalue(), "image/png", (300.0, 400.0))


def _png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(out, "PNG")
    return out.getvalue()
