"""The words around what an answer quotes, in the language of its question."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.synthesis.answer import NOTHING_FOUND
from corpus.synthesis.composing.question import asked
from corpus.synthesis.confidence import NOTICE


@dataclass(frozen=True, slots=True)
class Phrases:
    """Those with a brace are filled in with `format`."""

    answer_to: str
    nothing_found: str
    limited: str
    unanswered: str
    nearest: str
    doubtful: str
    unnamed: str
    unmentioned: str
    quotes: str
    untold: str
    partly_untold: str
    left_out: str
    rows: str
    figure: str


ENGLISH = Phrases(
    answer_to="Answer to",
    nothing_found=NOTHING_FOUND,
    limited=NOTICE,
    unanswered="Nothing in the documents seems to answer this question.",
    nearest="What comes nearest",
    doubtful="What was found hardly speaks to the question and may not answer it.",
    unnamed="Nothing found names {}.",
    unmentioned="Nothing that was found mentions {}.",
    quotes="“{}”",
    untold="What is quoted is in another language than the question; whether it answers could not be checked.",
    partly_untold="Part of what is quoted is in another language than the question; whether that part answers could "
    "not be checked.",
    left_out="{} further blocks did not fit; ask for them by block_ids or with a narrower question.",
    rows="{} of {} rows",
    figure="Diagram",
)
GERMAN = Phrases(
    answer_to="Antwort auf",
    nothing_found="Keine passenden Informationen gefunden",
    limited="Hinweis: Diese Antwort stützt sich auf wenige Belege. Bitte prüfen Sie sie an weiteren Quellen.",
    unanswered="In den Dokumenten scheint nichts diese Frage zu beantworten.",
    nearest="Was ihr am nächsten kommt",
    doubtful="Was gefunden wurde, hat mit der Frage kaum zu tun und beantwortet sie vielleicht nicht.",
    unnamed="Nichts davon nennt {}.",
    unmentioned="Nichts, was gefunden wurde, erwähnt {}.",
    quotes="„{}“",
    untold="Was zitiert wird, ist in einer anderen Sprache als die Frage; ob es sie beantwortet, war nicht zu prüfen.",
    partly_untold="Ein Teil dessen, was zitiert wird, ist in einer anderen Sprache als die Frage; ob er sie "
    "beantwortet, war nicht zu prüfen.",
    left_out="{} weitere Blöcke hatten keinen Platz; über block_ids oder eine engere Frage sind sie zu haben.",
    rows="{} von {} Zeilen",
    figure="Abbildung",
)


def phrases(question: str) -> Phrases:
    """German for a German question, else English."""
    return GERMAN if asked(question).language == "de" else ENGLISH
