"""The answer's Markdown as HTML: text is set as text, pictures come only from the index, and each claim has its mark.

Raw HTML, links and any other picture of the Markdown show as the text they are.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.blocks import Picture
from corpus.verification.promise import CheckedClaim
from server.answer_page.verdicts import SIGNS, WORDS

_OPEN, _CLOSE = "\ue000", "\ue001"
"""Of a private area, so that no text means them; those of the answer itself are taken out."""
_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_PRIVATE = str.maketrans("", "", _OPEN + _CLOSE)
_PICTURE = re.compile(r"rag://blocks/([^)/]+)/image")
_TYPES = frozenset(("image/png", "image/jpeg", "image/webp"))


def answer_html(
    text: str, claims: Sequence[CheckedClaim], pictures: Mapping[str, Picture], shown: Collection[int]
) -> str:
    """`shown` are the numbers of claims, from 1, whose evidence has a place on this page."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    markdown.validateLink = lambda url: bool(_PICTURE.fullmatch(url))  # type: ignore[method-assign]

    def image(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _image(tokens[index], pictures)

    markdown.renderer.rules["image"] = image  # type: ignore[attr-defined]
    written = markdown.render(_with_marks(text, claims))
    return _MARK.sub(lambda found: _mark(int(found[1]), claims, shown), written)


def data_address(picture: Picture) -> str:
    kind = picture.mime_type if picture.mime_type in _TYPES else "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _with_marks(text: str, claims: Sequence[CheckedClaim]) -> str:
    text = text.replace(_OPEN, " ").replace(_CLOSE, " ")  # as many letters as before: offsets count
    for number, one in sorted(enumerate(claims, 1), key=lambda each: -each[1].claim.end):
        at = _place(text, one)
        text = f"{text[:at]}{_OPEN}{number}{_CLOSE}{text[at:]}"
    return text


def _place(text: str, one: CheckedClaim) -> int:
    """Behind the claim; in a row of a table before its last bar, for behind it would be a cell of its own."""
    end = min(one.claim.end, len(text))
    within = text[one.claim.start : end].rstrip()
    if one.claim.kind == "row" and within.endswith("|") and not within.endswith("\\|"):
        return one.claim.start + len(within) - 1
    return one.claim.start + len(within)


def _image(token: Token, pictures: Mapping[str, Picture]) -> str:
    found = _PICTURE.fullmatch(str(token.attrs.get("src", "")))
    caption = escape(token.content.translate(_PRIVATE).replace("\\", ""))
    picture = pictures.get(found[1]) if found else None
    if picture is None:
        return f'<span class="nopicture">Figure: {caption}</span>'
    return (
        f'<span class="figure"><img src="{data_address(picture)}" alt="{caption}">'
        f'<span class="caption">{caption}</span></span>'
    )


def _mark(number: int, claims: Sequence[CheckedClaim], shown: Collection[int]) -> str:
    if not 1 <= number <= len(claims):
        return ""
    verdict = claims[number - 1].verdict
    target = f"ev-{number}" if number in shown else f"claim-{number}"
    label = f"Claim {number}: {WORDS[verdict]}"
    return (
        f'<a class="mark {verdict}" id="at-{number}" href="#{target}" aria-label="{label}" title="{label}">'
        f'<span aria-hidden="true">{SIGNS[verdict]}{number}</span></a>'
    )
