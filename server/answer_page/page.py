"""Render the complete page. It needs neither network nor scripts, and its content security policy forbids both."""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from html import escape
from pathlib import Path

from corpus.verification.protocol import CheckedClaim
from server.answer_page import answer_text
from server.answer_page.answer_html import answer_html
from server.answer_page.answer_words import SIGNS, counted, language_of_part, verdict, written
from server.answer_page.citation_links import linked, of_claim
from server.answer_page.evidence_html import box_rules, evidence_html
from server.answer_page.page_data import AnswerData, PageData

STYLE = Path(__file__).with_name("page.css")


def page(made: PageData) -> str:
    """Return one HTML file. All text from a document or a model is escaped."""
    result = made.answer
    visible = frozenset(number for number, one in enumerate(result.claims, 1) if _has_place(one, made))
    style = f"{STYLE.read_text(encoding='utf-8')}\n{box_rules(made.pages)}\n"
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    links = linked(made, visible)
    words = result.words
    answer = answer_html(result.text, result.claims, made.pictures, visible, result.language, result.languages, links,
                         words=words, quoted=result.quoted)  # fmt: skip
    return f"""<!DOCTYPE html>
<html lang="{words.language}">
<head>
<meta charset="utf-8">
{generator("answer page")}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{escape(result.title)}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#evidence">{words.to_evidence}</a>
<div class="columns">
<main>
{_summary(result)}
<article class="answer"{written(result.language)}>
{answer}
</article>
{_claims(result, visible)}
{_notes(result)}
</main>
<aside id="evidence" aria-label="{words.evidence}" tabindex="0">
<h2>{words.evidence}</h2>
{evidence_html(made)}
</aside>
</div>
</body>
</html>
"""


def _has_place(claim: CheckedClaim, made: PageData) -> bool:
    known = {source.citation_number for source in made.answer.sources}
    return claim.evidence is not None and claim.evidence.number in known


def _summary(answer: AnswerData) -> str:
    """Return the header. If there was a question, the header says whether it seems answered. Unless the text is quoted,
    the header also contains the result of the check."""
    words, headline = answer.words, ""
    if answer.answered is not None:
        line = verdict(words, answered=answer.answered, confidence=answer.confidence or 0, sources=len(answer.sources))
        headline = f'<p class="verdict {"answered" if answer.answered else "unanswered"}">{line}</p>'
    if answer.quoted:
        return f"<header>{headline}</header>"
    counts = "".join(
        f'<li><span class="badge {one}">{SIGNS[one]} {count}</span> {words.verdicts[one]}</li>'
        for one, count in counted(answer.claims)
    )
    claims = len(answer.claims)
    checked = words.claim_checked if claims == 1 else words.claims_checked.format(claims)
    return f'<header>{headline}<p class="about">{checked}</p><ul class="counts">{counts}</ul></header>'


def _claims(answer: AnswerData, visible: frozenset[int]) -> str:
    items = "".join(_claim(number, one, number in visible, answer) for number, one in enumerate(answer.claims, 1))
    if not items or answer.quoted:
        return ""
    words = answer.words
    wrong = any(one.verdict != "found" for one in answer.claims)
    return (
        f'<details class="claims"{" open" if wrong else ""}><summary>{words.claim_by_claim}</summary>'
        f'<p class="hint">{words.hint}</p>'
        f"<ol>{items}</ol></details>"
    )


def _claim(number: int, claim: CheckedClaim, has_place: bool, answer: AnswerData) -> str:
    words = answer.words
    spoken = written(language_of_part(claim.claim.text, answer.language, answer.languages))
    missing = escape(", ".join(claim.missing))
    lacks = f'<p class="lacks">{words.lacks} <span{spoken}>{missing}</span></p>' if missing else ""
    invalid = escape(", ".join(claim.claim.invalid))
    lacks += f'<p class="lacks">{words.no_such_source} <span>{invalid}</span></p>' if invalid else ""
    see = f' <a href="#{of_claim(number)}">{words.show_evidence}</a>' if has_place else ""
    back = f'<a href="#at-{number}">{words.in_the_answer}</a>'
    return (
        f'<li id="claim-{number}"><span class="badge {claim.verdict}">{SIGNS[claim.verdict]} '
        f"{words.verdicts[claim.verdict]}</span> "
        f"<span{spoken}>{escape(answer_text.read(claim.claim.text))}</span>"
        f'{lacks}<p class="links">{back}{see}</p></li>'
    )


def _notes(answer: AnswerData) -> str:
    if not answer.notes:
        return ""
    notes = "".join(f"<li>{escape(one)}</li>" for one in answer.notes)
    return f'<section class="told"><h2>{answer.words.notes}</h2><ul>{notes}</ul></section>'


_LOOKED_AT = 1_000
_MARK = b'<meta name="generator" content="ibid '


def is_ours(file: Path) -> bool:
    """Return whether Ibid wrote this page, which may contain an answer or a report. Raise OSError if the file cannot be
    read."""
    with file.open("rb") as opened:
        return _MARK in opened.read(_LOOKED_AT)


def generator(what: str) -> str:
    """Return the tag that identifies a page written by Ibid."""
    return f'<meta name="generator" content="ibid {what}">'


def write_page(file: Path, text: str) -> None:
    """Write the page atomically, so that a concurrent reader sees either the old page or the new one. Raise OSError if
    it cannot be written."""
    handle, name = tempfile.mkstemp(prefix=".ibid-", suffix=".html", dir=file.absolute().parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
