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
from server.answer_page.languages import attributes, language_of_part
from server.answer_page.verdicts import SIGNS, WORDS

_TAG = r"<[^<>]*>"
"""What is rendered has these signs of no text or attribute: there they are entities."""
_PICTURE = re.compile(r"rag://blocks/([^)/]+)/image")
_SIGN = re.compile("\ue000[0-9a-f]+n\\d+\ue001")
"""Of a claim, before it is a mark."""
_TYPES = frozenset(("image/png", "image/jpeg", "image/webp"))


def answer_html(
    text: str,
    claims: Sequence[CheckedClaim],
    pictures: Mapping[str, Picture],
    shown: Collection[int],
    language: str | None = None,
    others: Collection[str] = (),
) -> str:
    """`shown` are the numbers of claims, from 1, whose evidence has a place on this page. The text is in `language`;
    what is in one of `others` is marked as such."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    markdown.validateLink = lambda url: bool(_PICTURE.fullmatch(url))  # type: ignore[method-assign]

    def image(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _image(tokens[index], pictures)

    markdown.renderer.rules["image"] = image  # type: ignore[attr-defined]
    nonce = secrets.token_hex(
        8
    )  # drawn when the answer is there: it cannot hold a mark, written out or as entities
    tokens = markdown.parse(_with_marks(text, claims, nonce))
    _name_languages(tokens, language, others)
    return _marked(markdown.renderer.render(tokens, markdown.options, {}), nonce, claims, shown)


def _name_languages(tokens: Sequence[Token], language: str | None, others: Collection[str]) -> None:
    """On each block of text that is in another language than the whole."""
    if not set(others) - {language}:
        return
    for before, opening, token in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.type != "inline":
            continue
        spoken = language_of_part(_SIGN.sub("", token.content), language, others)
        if spoken != language:
            shown = before if opening.hidden else opening
            for name, value in attributes(spoken).items():
                shown.attrSet(name, value)


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
        return f'<span class="nopicture"><span lang="en">Figure:</span> {caption}</span>'
    return (
        f'<span class="figure"><img src="{data_address(picture)}" alt="{caption}">'
        f'<span class="caption">{caption}</span></span>'
    )


def _mark(number: int, claims: Sequence[CheckedClaim], shown: Collection[int]) -> str:
    verdict = claims[number - 1].verdict
    target = f"ev-{number}" if number in shown else f"claim-{number}"
    label = f"Claim {number}: {WORDS[verdict]}"
    return (
        f'<a class="mark {verdict}" id="at-{number}" href="#{target}" lang="en" dir="ltr" aria-label="{label}" '
        f'title="{label}">'
        f'<span aria-hidden="true">{SIGNS[verdict]}{number}</span></a>'
    )
