"""Document references by description: questions that ask for one document as a whole, as in "Summarise the Q3 report".

Precision before recall: a question with any other content is an ordinary one. What remains without request, article and
document type must describe existing documents, which `Meant` checks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.text.normalization import clean, fold_case

MAX_QUESTION_CHARACTERS = 200
"""Characters of a question that can be no more than such a request."""
MAX_WORDS = 6
"""Words of a description."""

_NOUNS = {
    "Manual": "manual handbook guide handbuch handbuchs handbuches anleitung bedienungsanleitung betriebsanleitung",
    "Report": "report bericht berichts berichtes",
    "Paper": "paper article study artikel artikels aufsatz aufsatzes studie",
    "Slides": "slides presentation deck präsentation folien",
    "Spreadsheet": "spreadsheet workbook",
    "Note": "note notes memo minutes notiz vermerk protokoll protokolls",
    "Mail": "mail email e-mail",
    "": "document file pdf dokument dokuments dokumentes datei",
    "?": "contract policy invoice proposal specification agreement brochure leaflet newsletter vertrag vertrags "
    "vertrages richtlinie rechnung angebot angebots spezifikation vereinbarung broschüre merkblatt",
}
_KIND = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}

_MANNER = re.compile(
    r"\b(?:please|bitte|briefly|shortly|in short|in brief|in detail|for me|for us|kurz|knapp|ausführlich|mal|mir|uns"
    r"|(?:in|auf) (?:english|german|englisch|deutsch)"
    r"|in (?:a few|\d+|one|two|three|four|five|ein paar|einem|zwei|drei|vier|fünf) "
    r"(?:short |kurzen )?(?:sentences?|words|lines|bullet points|bullets|paragraphs?|sätzen|satz|worten|stichpunkten))"
    r"\b"
)
_POLITE = re.compile(
    r"^(?:(?:can|could|would|will) you|i (?:want|need) you to|(?:kannst|könntest) du|(?:können|könnten) sie) "
)
_REQUESTS = tuple(
    re.compile(rf"\A{pattern}\Z")
    for pattern in (
        r"(?P<verb>summari[sz]e|sum up|recap|outline) (?P<it>.+)",
        r"(?:explain|describe) (?P<it>.+)",
        r"(?:give me |give us |give |provide |write |i need |i want )?(?:an? |the )?(?:\w+ )?"
        r"(?P<verb>summary|overview|outline) (?:of|for) (?P<it>.+)",
        r"what(?: is| s|s) (?P<it>.+) about",
        r"what(?: is| s|s) in (?P<it>.+)",
        r"what does (?P<it>.+) (?:say|contain|cover)",
        r"(?:what are |list |give me |give )?(?:the )?(?:key|main) (?:points|findings|messages|takeaways) "
        r"(?:of|from|in) (?P<it>.+)",
        r"(?P<verb>fasse?|fassen sie) (?P<it>.+) zusammen",
        r"(?P<it>.+) (?P<verb>zusammenfassen)",
        r"(?:gib |gib eine |ich brauche |schreibe |schreib )?(?:eine |die )?(?:\w+ )?"
        r"(?P<verb>zusammenfassung|überblick) (?:von |zu |über |für )?(?P<it>.+)",
        r"(?:worum geht(?: es| s|s)|was steht) (?:in )?(?P<it>.+)",
        r"wovon handelt (?P<it>.+)",
        r"(?:erkläre?|beschreibe?) (?P<it>.+)",
    )
)
_ARTICLE = re.compile(r"(?:the|this|that|der|die|das|den|dem|des|diese[nmrs]?|im|vom|zum|zur) (?P<words>.+)")
_SEVERAL_WORDS = "and or all both every each und oder alle beide beiden jede jeden"
_SEVERAL = frozenset(_SEVERAL_WORDS.split())
_BETWEEN_WORDS = (
    "of from for by about on in at the a an to dated aus von vom für über zu zur zum des der die das den dem im am"
)
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
_WORD = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Description:
    """`kind` is a document type, "" for any, None where the noun is none and counts among the words. `words` must occur
    in what is known of the document, or only in its names where there is no noun."""

    noun: str | None
    kind: str | None
    words: tuple[str, ...]


def description(question: str) -> Description | None:
    """How the question describes the one document it asks for; None for any other question."""
    if len(question) > MAX_QUESTION_CHARACTERS:
        return None
    plain = " ".join(_WORD.findall(fold_case(clean(question))))
    plain = _POLITE.sub("", " ".join(_MANNER.sub(" ", plain).split()))
    for request in _REQUESTS:
        if (match := request.match(plain)) and (article := _ARTICLE.fullmatch(match["it"])):
            return _describe(article["words"].split(), wholly="verb" in request.groupindex)
    return None


def _describe(words: list[str], *, wholly: bool) -> Description | None:
    if _SEVERAL.intersection(words):
        return None
    noun = next((word for word in words if word in _KIND), None)
    rest = tuple(word for word in words if word not in _BETWEEN and word != noun)
    if len(rest) > MAX_WORDS:
        return None
    if noun is None:
        return Description(None, None, rest) if wholly and len(rest) > 1 else None
    kind = _KIND[noun]
    nominative = _nominative(noun)
    return Description(nominative, None, (nominative, *rest)) if kind == "?" else Description(nominative, kind, rest)


def _nominative(noun: str) -> str:
    """The base form of "Berichts" or "Vertrages", which occur in no title."""
    return next((noun[:end] for end in (-1, -2) if noun.endswith("s") and noun[:end] in _KIND), noun)
