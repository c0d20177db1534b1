"""Render the answer's Markdown as HTML. Text cannot become markup, and pictures come only from the index.

Raw HTML, links and any other pictures in the Markdown are shown as text.
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
from server.answer_page.answer_words import ENGLISH, SIGNS, AnswerWords, attributes, language_of_part
from server.answer_page.citation_links import Link, of_claim

_TAG = r"<[^<>]*>"
"""Pattern of an HTML tag. In rendered text and attributes, angle brackets are escaped as entities."""
SIGN = re.compile("\ue000[0-9a-f]+[nle]\\d+\ue001")
"""Pattern of the placeholder for a claim, and for the start and end of a link, before they become HTML."""
_TOLD = re.compile("(?:[^<\ue000]|</?(?:em|strong)>)*")
"""Pattern of the permitted content of a link, which excludes other links."""


def with_signs(text: str, claims: Sequence[CheckedClaim], links: Sequence[Link], nonce: str) -> str:
    """Return the Markdown with placeholders, in private-use characters, at the positions where the HTML will have marks
    and links."""
    signs = [(_place(text, one), 2, f"n{number}") for number, one in enumerate(claims, 1)]
    signs += [(one.start, 1, f"l{number}") for number, one in enumerate(links)]
    signs += [(one.end, 0, f"e{number}") for number, one in enumerate(links)]
    # Insert from the end, so that earlier offsets stay valid. At the same position, a link ends before a mark.
    for at, _, sign in sorted(signs, reverse=True):
        text = f"{text[:at]}\ue000{nonce}{sign}\ue001{text[at:]}"
    return text


def linked(html: str, nonce: str, links: Sequence[Link]) -> str:
    """Return the HTML with citations as links, except for citations that contain markup other than emphasis or are in
    an attribute."""
    pair = re.compile(f"\ue000{nonce}l(\\d+)\ue001((?:(?!\ue000{nonce}l).)*?)\ue000{nonce}e\\1\ue001", re.DOTALL)
    sign = re.compile(f"\ue000{nonce}[le]\\d+\ue001")

    def put(match: re.Match[str]) -> str:
        if match[1] is None or not _TOLD.fullmatch(match[2]) or not _is_balanced(match[2]):
            return match[0]
        return f'<a class="cited" href="#{links[int(match[1])].target}">{match[2]}</a>'

    return sign.sub("", re.sub(f"{_TAG}|{pair.pattern}", put, html, flags=re.DOTALL))


def _is_balanced(html: str) -> bool:
    return all(html.count(f"<{name}>") == html.count(f"</{name}>") for name in ("em", "strong"))


def marked(
    html: str,
    nonce: str,
    claims: Sequence[CheckedClaim],
    visible: Collection[int],
    words: AnswerWords = ENGLISH,
    *,
    quoted: bool = False,
) -> str:
    """Return the HTML with one mark for each claim. Marks are placed only between tags; a placeholder in an attribute
    is removed. If the text is `quoted`, claims have anchors instead of marks, and their evidence links back to these
    anchors."""
    sign = re.compile(f"\ue000{nonce}n(\\d+)\ue001")
    left = set(range(1, len(claims) + 1))

    def put(match: re.Match[str]) -> str:
        if not match[1]:
            return sign.sub("", match[0])
        number = int(match[1])
        if number not in left:
            return ""
        left.remove(number)
        return f'<span id="at-{number}"></span>' if quoted else _mark(number, claims, visible, words)

    return re.sub(f"{_TAG}|{sign.pattern}", put, html)


def _place(text: str, claim: CheckedClaim) -> int:
    """Return the position after the claim. In a table row, the position is before the last bar, because a mark after
    that bar would become a separate cell."""
    end = min(claim.claim.end, len(text))
    within = text[claim.claim.start : end].rstrip()
    if claim.claim.kind == "row" and within.endswith("|") and not within.endswith("\\|"):
        return claim.claim.start + len(within) - 1
    return claim.claim.start + len(within)


def _mark(number: int, claims: Sequence[CheckedClaim], visible: Collection[int], words: AnswerWords) -> str:
    verdict = claims[number - 1].verdict
    target = of_claim(number) if number in visible else f"claim-{number}"
    label = escape(words.claim.format(number, words.verdicts[verdict]))
    return (
        f'<a class="mark {verdict}" id="at-{number}" href="#{target}" lang="{words.language}" dir="ltr" '
        f'aria-label="{label}" title="{label}">'
        f'<span aria-hidden="true">{SIGNS[verdict]}{number}</span></a>'
    )


LEVEL = "2"


def name_headings(tokens: Sequence[Token]) -> None:
    """Give bold paragraphs the role of a heading, without changing their appearance."""
    for opening, token in pairwise(tokens):
        if opening.type == "paragraph_open" and not opening.level and _is_bold(token.children or ()):
            opening.attrSet("role", "heading")
            opening.attrSet("aria-level", LEVEL)


def _is_bold(children: Sequence[Token]) -> bool:
    kinds = [one.type for one in children if one.type != "text" or one.content]
    return kinds == ["strong_open", "text", "strong_close"]


_PICTURE = re.compile(r"rag://blocks/([^)/]+)/image")
_TABLE = '<div class="table" tabindex="0"><table>'
"""Opening tags of a table in a box that scrolls separately, also by keyboard, if the table is too wide. The answer's
text cannot contain these tags, because its HTML is escaped."""
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
    """Return the answer as HTML. `visible` contains the numbers, from 1, of the claims whose evidence is on this page.
    The text is in `language`; passages in one of the languages `others` are marked with that language."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "autolink"])
    markdown.validateLink = lambda url: bool(_PICTURE.fullmatch(url))  # type: ignore[method-assign]

    def image(tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        return _image(tokens[index], pictures, words)

    markdown.renderer.rules["image"] = image  # type: ignore[attr-defined]
    # Draw the nonce after the answer exists, so that the answer cannot contain a placeholder, neither literally nor as
    # entities.
    nonce = secrets.token_hex(8)
    tokens = markdown.parse(with_signs(text, claims, links, nonce))
    _name_languages(tokens, language, others)
    name_headings(tokens)
    written = markdown.renderer.render(tokens, markdown.options, {})
    scrolling = written.replace("<table>", _TABLE).replace("</table>", "</table></div>")
    return marked(linked(scrolling, nonce, links), nonce, claims, visible, words, quoted=quoted)


def _name_languages(tokens: Sequence[Token], language: str | None, others: Collection[str]) -> None:
    """Set the language on each block of text that is not in the language of the answer."""
    if not set(others) - {language}:
        return
    for at, token in enumerate(tokens):
        if token.type != "inline":
            continue
        spoken = language_of_part(SIGN.sub("", token.content), language, others)
        if spoken != language:
            # The renderer omits the paragraph tags in a tight list.
            opening = tokens[at - 2] if tokens[at - 1].hidden else tokens[at - 1]
            for name, value in attributes(spoken).items():
                opening.attrSet(name, value)


def data_address(picture: Picture) -> str:
    """Return the picture as a `data:` URL."""
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
