"""The answer's Markdown as HTML: text is set as text, pictures come only from the index, and each claim has its mark.

Raw HTML, links and any other picture of the Markdown show as the text they are.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.blocks import Picture
from corpus.verification.promise import CheckedClaim
from server.answer_page.verdicts import SIGNS, WORDS

_TAG = r"<[^<>]*>"
"""What is rendered has these signs of no text or attribute: there they are entities."""
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
    nonce = secrets.token_hex(
        8
    )  # drawn when the answer is there: it cannot hold a mark, written out or as entities
    return _marked(markdown.render(_with_marks(text, claims, nonce)), nonce, claims, shown)


def data_address(picture: Picture) -> str:
    kind = picture.mime_type if picture.mime_type in _TYPES else "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _with_marks(text: str, claims: Sequence[CheckedClaim], nonce: str) -> str:
    for number, one in sorted(enumerate(claims, 1), key=lambda each: -each[1].claim.end):
        at = _place(text, one)
        text = f"{text[:at]}\ue000{nonce}n{number}\ue001{text[at:]}"
    return text


def _marked(html: str, nonce: str, claims: Sequence[CheckedClaim], shown: Collection[int]) -> str:
    """Each claim has one mark, and between tags alone: in an attribute it is taken out."""
    sign = re.compile(f"\ue000{nonce}n(\\d+)\ue001")
    left = set(range(1, len(claims) + 1))

    def put(found: re.Match[str]) -> str:
        if not found[1]:
            return sign.sub("", found[0])
        number = int(found[1])
        if number not in left:
            return ""
        left.remove(number)
        return _mark(number, claims, shown)

    return re.sub(f"{_TAG}|{sign.pattern}", put, html)


def _place(text: str, one: CheckedClaim) -> int:
    """Behind the claim; in a row of a table before its last bar, for behind it would be a cell of its own."""
    end = min(one.claim.end, len(text))
    within = text[one.claim.start : end].rstrip()
    if one.claim.kind == "row" and within.endswith("|") and not within.endswith("\\|"):
        return one.claim.start + len(within) - 1
    return one.claim.start + len(within)


def _image(token: Token, pictures: Mapping[str, Picture]) -> str:
    found = _PICTURE.fullmatch(str(token.attrs.get("src", "")))
    caption = escape(token.content.replace("\\", ""))
    picture = pictures.get(found[1]) if found else None
    if picture is None:
        return f'<span class="nopicture">Figure: {caption}</span>'
    return (
        f'<span class="figure"><img src="{data_address(picture)}" alt="{caption}">'
        f'<span class="caption">{caption}</span></span>'
    )


def _mark(number: int, claims: Sequence[CheckedClaim], shown: Collection[int]) -> str:
    verdict = claims[number - 1].verdict
    target = f"ev-{number}" if number in shown else f"claim-{number}"
    label = f"Claim {number}: {WORDS[verdict]}"
    return (
        f'<a class="mark {verdict}" id="at-{number}" href="#{target}" aria-label="{label}" title="{label}">'
        f'<span aria-hidden="true">{SIGNS[verdict]}{number}</span></a>'
    )
