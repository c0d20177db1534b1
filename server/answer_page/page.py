"""The whole page: readable without a network and without scripts, and closed to both."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

from corpus.verification.protocol import CheckedClaim
from server.answer_page import rows
from server.answer_page.answer_html import answer_html
from server.answer_page.evidence_html import box_rules, evidence_html
from server.answer_page.languages import language_of_part, written
from server.answer_page.promise import Gathered, Told
from server.answer_page.targets import linked, of_claim
from server.answer_page.verdicts import SIGNS, counted
from server.answer_page.writing import generator
from server.answer_words import verdict

STYLE = Path(__file__).with_name("page.css")


def page(made: Gathered) -> str:
    """One HTML file. Everything from a document or a model stands in it as text."""
    told = made.told
    shown = frozenset(number for number, one in enumerate(told.claims, 1) if _has_place(one, made))
    style = f"{STYLE.read_text(encoding='utf-8')}\n{box_rules(made.pages)}\n"
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    links = linked(made, shown)
    words = told.words
    answer = answer_html(told.text, told.claims, made.pictures, shown, told.language, told.languages, links,
                         words=words, quoted=told.quoted)  # fmt: skip
    return f"""<!DOCTYPE html>
<html lang="{words.language}">
<head>
<meta charset="utf-8">
{generator("answer page")}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{escape(told.title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#evidence">{words.to_evidence}</a>
<div class="columns">
<main>
{_summary(told)}
<article class="answer"{written(told.language)}>
{answer}
</article>
{_claims(told, shown)}
{_notes(told)}
</main>
<aside id="evidence" aria-label="{words.evidence}" tabindex="0">
<h2>{words.evidence}</h2>
{evidence_html(made)}
</aside>
</div>
</body>
</html>
"""


def _has_place(one: CheckedClaim, made: Gathered) -> bool:
    known = {source.citation_number for source in made.told.sources}
    return one.evidence is not None and one.evidence.number in known


def _summary(told: Told) -> str:
    """Whether it seems answered, where something was asked; then what the check of a text that a model wrote gave."""
    words, said = told.words, ""
    if told.answered is not None:
        line = verdict(
            words, answered=told.answered, confidence=told.confidence or 0, sources=len(told.sources)
        )
        said = f'<p class="verdict {"answered" if told.answered else "unanswered"}">{line}</p>'
    if told.quoted:
        return f"<header>{said}</header>"
    counts = "".join(
        f'<li><span class="badge {one}">{SIGNS[one]} {count}</span> {words.verdicts[one]}</li>'
        for one, count in counted(told.claims)
    )
    claims = len(told.claims)
    checked = words.claim_checked if claims == 1 else words.claims_checked.format(claims)
    return f'<header>{said}<p class="about">{checked}</p><ul class="counts">{counts}</ul></header>'


def _claims(told: Told, shown: frozenset[int]) -> str:
    items = "".join(_claim(number, one, number in shown, told) for number, one in enumerate(told.claims, 1))
    if not items or told.quoted:
        return ""
    words = told.words
    wrong = any(one.verdict != "found" for one in told.claims)
    return (
        f'<details class="claims"{" open" if wrong else ""}><summary>{words.claim_by_claim}</summary>'
        f'<p class="hint">{words.hint}</p>'
        f"<ol>{items}</ol></details>"
    )


def _claim(number: int, one: CheckedClaim, has_place: bool, told: Told) -> str:
    words = told.words
    spoken = written(language_of_part(one.claim.text, told.language, told.languages))
    missing = escape(", ".join(one.missing))
    lacks = f'<p class="lacks">{words.lacks} <span{spoken}>{missing}</span></p>' if missing else ""
    invalid = escape(", ".join(one.claim.invalid))
    lacks += f'<p class="lacks">{words.no_such_source} <span>{invalid}</span></p>' if invalid else ""
    see = f' <a href="#{of_claim(number)}">{words.show_evidence}</a>' if has_place else ""
    back = f'<a href="#at-{number}">{words.in_the_answer}</a>'
    return (
        f'<li id="claim-{number}"><span class="badge {one.verdict}">{SIGNS[one.verdict]} '
        f"{words.verdicts[one.verdict]}</span> "
        f"<span{spoken}>{escape(rows.read(one.claim.text))}</span>"
        f'{lacks}<p class="links">{back}{see}</p></li>'
    )


def _notes(told: Told) -> str:
    if not told.notes:
        return ""
    notes = "".join(f"<li>{escape(one)}</li>" for one in told.notes)
    return f'<section class="told"><h2>{told.words.notes}</h2><ul>{notes}</ul></section>'
