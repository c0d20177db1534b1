"""Prepare the Markdown of an answer for people: cite each source once, mark the words that answer the question, and
show table rows without bars."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.synthesis.extractive.table import is_row, table_of
from corpus.verification.protocol import CheckedClaim

_CITATION = r"\*?\((?:Source|Quelle): [^\n]+\)\*?"
_FIGURE = r"!\[(?:\\.|[^\]\\\n]){0,2000}\]\([^)\s]{1,2000}\)"
_NAMED_AGAIN = re.compile(rf"^(?P<once>(?P<citation>{_CITATION})(?:\n\n{_FIGURE})+)\n\n(?P=citation)$", re.MULTILINE)

_OF_VALUES = re.compile(
    r"\b(?:how\s+(?!do|does|did|can|is|are|to\b)\w+|when|what\s+(?:percentage|share|number|date|year|time)"
    r"|wie\s+(?:viele?[nr]?|lange?|oft|schnell|hoch|weit|alt|groß|schwer|heiß|tief|teuer|laut|breit)|wann)\b",
    re.IGNORECASE,
)
_OF_PERSONS = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
)
_COUNTED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    "|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
)
_TIMES = "(?:dai|week|month|year|quarter|annual|hour)(?:ly|y)|(?:täg|wöchent|monat|jähr|stünd|vierteljähr)lich"
_UNIT = r"(?:\s?[%€$£°‰]\w?|\s(?!(?:and|or|to|of|in|at|und|oder|bis|von|im|am)\b)[^\W\d_]+(?:/[^\W\d_]+)?)?"
_VALUE = re.compile(
    rf"(?:[€$£]\s?)?(?<![\w.])\d[\d.,:/-]*(?:(?<=\d\.)\s(?:{_MONTHS})|{_UNIT})(?:\s\d{{4}})?"
    rf"|\b(?:{_MONTHS})\s\d{{1,4}}(?:,?\s\d{{4}})?|\b(?:{_COUNTED})\s[^\W\d_]+|\b(?:{_TIMES})\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w.&-]*\w(?:\s(?:[A-Z][\w.&-]*|of|van|von|de)(?=\s[A-Z]|\b))*")
_ENDS_IN = re.compile(r"(?<![.,:;/-])[.,:;/-]++\Z")


def citations_once(text: str) -> str:
    """Return the answer without repeated citations. A figure that follows its text has the same source, so the two
    share one citation."""
    return _NAMED_AGAIN.sub(r"\g<once>", text)


def with_answer_marked(text: str, claims: Sequence[CheckedClaim], question: str) -> str:
    """Return the answer with the words that answer the question in bold. These are the values or names that the
    question asks for, in the first sentence. If there are none, they are the entire first sentence, provided that
    another sentence with the same citations follows."""
    if not claims or claims[0].claim.kind == "row":
        return text
    first = claims[0].claim
    sentence = text[first.start : first.end]
    if re.search(r"[*`\n!|]|\]\(", sentence):
        return text
    for start, end in reversed(_answering(sentence, question)):
        sentence = f"{sentence[:start]}**{sentence[start:end]}**{sentence[end:]}"
    if sentence == text[first.start : first.end]:
        last = len(claims) == 1 or claims[1].claim.citations != first.citations
        after = text[first.end : first.end + 1]
        if last or (after and not after.isspace()):
            return text
        sentence = f"**{sentence.strip()}**"
    return text[: first.start] + sentence + text[first.end :]


def _answering(sentence: str, question: str) -> list[tuple[int, int]]:
    """Return the spans of the values or names that the question asks for, except for those that the question itself
    contains."""
    wanted = _VALUE if _OF_VALUES.search(question) else _NAME if _OF_PERSONS.search(question) else None
    if wanted is None:
        return []
    words = " ".join(re.findall(r"\w+(?:[.,:/-]\w+)*", question.casefold()))
    spans = []
    for match in wanted.finditer(sentence):
        value = _ENDS_IN.sub("", match[0])
        named_there = value.casefold() in words or (value[:1].isdigit() and value.split()[0] in words.split())
        if value and not named_there:
            spans.append((match.start(), match.start() + len(value)))
    return spans


def read(text: str) -> str:
    """Return a table row as its cells, separated by dots, and any other text unchanged."""
    line = text.strip()
    if "\n" in line or not (is_row(line) and line.endswith("|")):
        return text
    return " · ".join(cell for cell in table_of([line]).head if cell) or text
