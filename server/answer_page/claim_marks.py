"""Mark claims and link citations in the HTML of an answer.

Their places are in its Markdown: signs that no text can write are put there, and found again between the tags.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from corpus.verification.protocol import CheckedClaim
from server.answer_page.answer_words import ENGLISH, AnswerWords
from server.answer_page.citation_links import Link, of_claim
from server.answer_page.verdicts import SIGNS

_TAG = r"<[^<>]*>"
"""What is rendered has these signs of no text or attribute: there they are entities."""
SIGN = re.compile("\ue000[0-9a-f]+[nle]\\d+\ue001")
"""Of a claim, and of where a link begins and ends, before they are HTML."""
_TOLD = re.compile("(?:[^<\ue000]|</?(?:em|strong)>)*")
"""What a link may hold: no other link."""


def with_signs(text: str, claims: Sequence[CheckedClaim], links: Sequence[Link], nonce: str) -> str:
    """The Markdown with private characters where marks and links will stand in the HTML."""
    signs = [(_place(text, one), 2, f"n{number}") for number, one in enumerate(claims, 1)]
    signs += [(one.start, 1, f"l{number}") for number, one in enumerate(links)]
    signs += [(one.end, 0, f"e{number}") for number, one in enumerate(links)]
    # From behind, so that places stay: at the same one a link ends before a mark.
    for at, _, sign in sorted(signs, reverse=True):
        text = f"{text[:at]}\ue000{nonce}{sign}\ue001{text[at:]}"
    return text


def linked(html: str, nonce: str, links: Sequence[Link]) -> str:
    """Citations as links, but for those that hold more than text or lie in an attribute."""
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
    """Each claim has one mark, and between tags alone: in an attribute it is taken out. What is `quoted` has an anchor
    in its place, to which its evidence leads back."""
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
    """Behind the claim; in a row of a table before its last bar, for behind it would be a cell of its own."""
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
