"""The labels around an answer in English and German, the labels and signs of verdicts, and the detection of each text's
language.

The verdict `found` means only that the wording is in the source. Languages are declared for screen readers and
hyphenation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from corpus.synthesis.refusal import Sureness, sureness
from corpus.text.analysis import language_of, plain_words
from corpus.verification.protocol import CheckedClaim, Verdict


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """The labels in one language. `language` is the tag that the page declares for them. Labels with braces are
    templates for `format`."""

    language: str
    answered: str
    sureness: Mapping[Sureness, str]
    unanswered: str
    source: str
    sources: str
    verdicts: Mapping[Verdict, str]
    claim_checked: str
    claims_checked: str
    quoted: str
    claim_by_claim: str
    hint: str
    lacks: str
    no_such_source: str
    show_evidence: str
    in_the_answer: str
    back: str
    back_to_answer: str
    claim: str
    notes: str
    evidence: str
    to_evidence: str
    page: str
    figure: str
    line: str
    pages_not_shown: str
    nothing_cited: str
    too_much: str


ENGLISH = AnswerWords(
    language="en",
    answered="Answered: {}",
    sureness={"very likely": "very likely", "likely": "likely", "unsure": "unsure"},
    unanswered="Your documents do not seem to answer this.",
    source="1 source",
    sources="{} sources",
    verdicts={
        "found": "found in source",
        "partly": "partly in source",
        "not_found": "not found in source",
        "value_mismatch": "value differs",
        "invalid_citation": "no such source",
        "uncited": "not cited",
    },
    claim_checked="1 claim checked",
    claims_checked="{} claims checked",
    quoted="quoted from the documents",
    claim_by_claim="Claim by claim",
    hint="“Found in source” means that the source contains the wording. It proves no more.",
    lacks="Its sources lack:",
    no_such_source="No such source:",
    show_evidence="Show the evidence",
    in_the_answer="In the answer",
    back="Back to claim {} in the answer",
    back_to_answer="Back to the answer",
    claim="Claim {}: {}",
    notes="Notes",
    evidence="Evidence",
    to_evidence="Skip to the evidence",
    page="Page: {}",
    figure="Figure:",
    line="Line {}",
    pages_not_shown="Pages not shown",
    nothing_cited="No source is cited, so there is no page to show.",
    too_much="left out to keep this file small",
)
GERMAN = AnswerWords(
    language="de",
    answered="Beantwortet: {}",
    sureness={"very likely": "sehr wahrscheinlich", "likely": "wahrscheinlich", "unsure": "unsicher"},
    unanswered="Ihre Dokumente scheinen das nicht zu beantworten.",
    source="1 Quelle",
    sources="{} Quellen",
    verdicts={
        "found": "in der Quelle gefunden",
        "partly": "teilweise in der Quelle",
        "not_found": "nicht in der Quelle gefunden",
        "value_mismatch": "Wert weicht ab",
        "invalid_citation": "keine solche Quelle",
        "uncited": "ohne Quellenangabe",
    },
    claim_checked="1 Aussage geprüft",
    claims_checked="{} Aussagen geprüft",
    quoted="zitiert aus den Dokumenten",
    claim_by_claim="Aussage für Aussage",
    hint="„In der Quelle gefunden“ heißt, dass der Wortlaut dort steht. Mehr beweist es nicht.",
    lacks="In den Quellen fehlt:",
    no_such_source="Keine solche Quelle:",
    show_evidence="Beleg zeigen",
    in_the_answer="In der Antwort",
    back="Zurück zu Aussage {} in der Antwort",
    back_to_answer="Zurück zur Antwort",
    claim="Aussage {}: {}",
    notes="Hinweise",
    evidence="Belege",
    to_evidence="Zu den Belegen springen",
    page="Seite: {}",
    figure="Abbildung:",
    line="Zeile {}",
    pages_not_shown="Nicht gezeigte Seiten",
    nothing_cited="Es wird keine Quelle genannt, also ist keine Seite zu zeigen.",
    too_much="ausgelassen, damit die Datei klein bleibt",
)


def words_for(language: str | None) -> AnswerWords:
    """Return the German labels for German, and the English labels for any other language."""
    return GERMAN if (language or "").startswith("de") else ENGLISH


def words_for_question(question: str) -> AnswerWords:
    """Return the labels in the language of a question."""
    return words_for(language_of(plain_words(question)))


def verdict(words: AnswerWords, *, answered: bool, confidence: float, sources: int) -> str:
    """Return `Answered: likely, 2 sources.`, or a line that says that the documents do not answer the question."""
    if not answered:
        return words.unanswered
    count = words.source if sources == 1 else words.sources.format(sources)
    text = words.answered.format(words.sureness[sureness(confidence)])
    return f"{text}, {count}." if sources else f"{text}."


_FOR_PROGRAMS = re.compile(r"\b(?:block_ids?|doc_ids?|max_tokens|top_k|filters\.\w+|rag_\w+|llm_generate)\b")
_RELEVANCE = re.compile(r" \(relevance [\d.]+ of 1\)")
_NOTHING_ANSWERS = "Nothing that was found seems to answer this."
_PARTS = re.compile(r"(?<=[.!?;])\s+")


def for_people(warnings: Iterable[str], *, answered: bool = True) -> tuple[str, ...]:
    """Return the warnings without advice for programs, that is, without sentences, or parts of a sentence after a
    semicolon, that mention a parameter or a tool. Also omit the relevance score. Unless `answered`, also omit the
    sentence that says that nothing answers the question, because the page already says so."""
    return tuple(filter(None, (_for_people(warning, answered=answered) for warning in warnings)))


def _for_people(warning: str, *, answered: bool) -> str:
    warning = _RELEVANCE.sub("", warning)
    parts = _PARTS.split(warning)
    kept = [part for part in parts if not _FOR_PROGRAMS.search(part) and (answered or part != _NOTHING_ANSWERS)]
    if kept == parts:
        return warning
    text = " ".join(kept)
    return f"{text[:-1]}." if text.endswith(";") else text


WORDS = ENGLISH.verdicts
SIGNS: dict[Verdict, str] = {
    "found": "✓",
    "partly": "≈",
    "not_found": "✗",
    "value_mismatch": "≠",
    "invalid_citation": "?",
    "uncited": "○",
}
"""Signs that accompany the verdicts' labels, so that the meaning never depends on colour or font alone."""


def counted(claims: Iterable[CheckedClaim]) -> list[tuple[Verdict, int]]:
    """Return the number of claims for each verdict that occurs, the best verdict first."""
    counts = Counter(one.verdict for one in claims)
    return [(verdict, counts[verdict]) for verdict in WORDS if counts[verdict]]


_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}", re.IGNORECASE)
_FROM_THE_RIGHT = frozenset(("ar", "fa", "he", "ur", "yi"))


def attributes(language: str | None) -> dict[str, str]:
    """Return the HTML attributes of an element in that language. None means that the language is unknown; it then
    counts as different from the page's."""
    if language is None or not _CODE.fullmatch(language):
        return {"lang": ""}
    primary = language.partition("-")[0].lower()
    return {"lang": language, "dir": "rtl"} if primary in _FROM_THE_RIGHT else {"lang": language}


def written(language: str | None) -> str:
    """Return these attributes as text for a tag, with a leading space."""
    return "".join(f' {name}="{value}"' for name, value in attributes(language).items())


def language_of_answer(text: str, sources: Iterable[str | None]) -> str | None:
    """Detect the language of the answer from its words. If there are too few words, return the language of the first
    source that has one."""
    from corpus.readers.languages import language_of

    return language_of(text) or next(filter(None, sources), None)


def language_of_part(text: str, answer: str | None, sources: Collection[str]) -> str | None:
    """Return the language of a part of the answer: the answer's, unless the words of the part are in another of the
    sources' languages."""
    from corpus.readers.languages import language_of

    if not set(sources) - {answer}:
        return answer
    language = language_of(text)
    return language if language in sources else answer
