"""Render the answer's Markdown as HTML: text stays text, and pictures come from the index alone.

Raw HTML, links and any other picture of the Markdown show as the text they are.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from corpus.documents.block import Picture
from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_words import ENGLISH, AnswerWords
from server.answer_page.citation_links import Link
from server.answer_page.claim_marks import SIGN, linked, marked, with_signs
from server.answer_page.languages import attributes, language_of_part

LEVEL = "2"


def name_headings(tokens: Sequence[Token]) -> None:
    """Paragraphs look as before; only their role is told."""
    for opening, token in pairwise(tokens):
        if opening.type == "paragraph_open" and not opening.level and _is_bold(token.children or ()):
            opening.attrSet("role", "heading")
            opening.attrSet("aria-level", LEVEL)


def _is_bold(children: Sequence[Token]) -> bool:
    kinds = [one.type for one in children if one.type != "text" or one.content]
    return kinds == ["strong_open", "text", "strong_close"]


_PICTURE = re.compile(r"rag://blocks/([^)/]+)/image")
_TABLE = '<div class="table" tabindex="0"><table>'
"""A wide table scrolls by itself, by the keyboard too. Text of the answer cannot write the tag: its HTML is escaped."""
_TYPES = frozenset(("image/png", "image/jpeg", "image/webp"))


def answer_html(
    text: str,
    claims: Sequence[CheckedClaim],
    pictures: Mapping[str, Picture],
    visible: Collection[int],
    language: str | None = None,
    others: Collection[str] = (),
    links: Sequence[Link] = (),
    *,
    words: AnswerWords = ENGLISH,
    quoted: bool = False,
) -> str:
    """`shown` are the numbers of claims, from 1, whose evidence has a place on this page. The text is in `language`;
    what is in one of `others` is marked as such."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    markdown.validateLink = lambda url: bool(_PICTURE.fullmatch(url))  # type: ignore[method-assign]

    def image(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _image(tokens[index], pictures, words)

    markdown.renderer.rules["image"] = image  # type: ignore[attr-defined]
    nonce = secrets.token_hex(8)  # drawn when the answer is there: it cannot hold a mark, written out or as entities
    tokens = markdown.parse(with_signs(text, claims, links, nonce))
    _name_languages(tokens, language, others)
    name_headings(tokens)
    written = markdown.renderer.render(tokens, markdown.options, {})
    scrolling = written.replace("<table>", _TABLE).replace("</table>", "</table></div>")
    return marked(linked(scrolling, nonce, links), nonce, claims, visible, words, quoted=quoted)


def _name_languages(tokens: Sequence[Token], language: str | None, others: Collection[str]) -> None:
    """On each block of text that is in another language than the whole."""
    if not set(others) - {language}:
        return
    for at, token in enumerate(tokens):
        if token.type != "inline":
            continue
        spoken = language_of_part(SIGN.sub("", token.content), language, others)
        if spoken != language:
            # A paragraph in a tight list is not written.
            opening = tokens[at - 2] if tokens[at - 1].hidden else tokens[at - 1]
            for name, value in attributes(spoken).items():
                opening.attrSet(name, value)


def data_address(picture: Picture) -> str:
    """The picture as a `data:` URL."""
    kind = picture.mime_type if picture.mime_type in _TYPES else "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _image(token: Token, pictures: Mapping[str, Picture], words: AnswerWords) -> str:
    match = _PICTURE.fullmatch(str(token.attrs.get("src", "")))
    caption = escape(token.content.replace("\\", ""))
    picture = pictures.get(match[1]) if match else None
    if picture is None:
        return f'<span class="nopicture"><span lang="{words.language}">{words.figure}</span> {caption}</span>'
    return (
        f'<span class="figure"><img src="{data_address(picture)}" alt="{caption}">'
        f'<span class="caption">{caption}</span></span>'
    )
