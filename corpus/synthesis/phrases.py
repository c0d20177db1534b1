"""The phrases around the quotes of an extractive answer, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.synthesis.answer import NOTHING_FOUND
from corpus.synthesis.extractive.question import parse_question


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one language. Phrases with braces are templates for `str.format`."""

    answer_to: str
    nothing_found: str
    doubtful: str
    unanswered: str
    nearest: str
    unmentioned: str
    quotes: str
    left_out: str
    rows: str
    figure: str
    aggregates: Mapping[str, str]
    sums: str
    group: str


ENGLISH = Phrases(
    answer_to="Answer to",
    nothing_found=NOTHING_FOUND,
    doubtful="Your documents may not answer this question. What follows comes nearest.",
    unanswered="Your documents do not seem to answer this question.",
    nearest="What comes nearest",
    unmentioned="Nothing in what was found mentions {}.",
    quotes="“{}”",
    left_out="{} further passages did not fit; a narrower question brings them.",
    rows="{} of {} rows",
    figure="Diagram",
    aggregates={
        "sum": "Sum of {column}: {value} ({count} rows)",
        "count": "Number of rows: {value}",
        "average": "Average of {column}: {value} ({count} rows)",
        "largest": "Largest {column}: {value}",
        "smallest": "Smallest {column}: {value}",
    },
    sums="Sums of {}: {}",
    group="{} {} (rows: {})",
)
GERMAN = Phrases(
    answer_to="Antwort auf",
    nothing_found="Keine passenden Informationen gefunden",
    doubtful="Vielleicht beantworten die Dokumente diese Frage nicht. Was folgt, kommt ihr am nächsten.",
    unanswered="Nichts in den Dokumenten scheint diese Frage zu beantworten.",
    nearest="Was ihr am nächsten kommt",
    unmentioned="Nichts, was gefunden wurde, erwähnt {}.",
    quotes="„{}“",
    left_out="{} weitere Stellen hatten keinen Platz; eine engere Frage bringt sie.",
    rows="{} von {} Zeilen",
    figure="Abbildung",
    aggregates={
        "sum": "Summe von {column}: {value} ({count} Zeilen)",
        "count": "Zahl der Zeilen: {value}",
        "average": "Durchschnitt von {column}: {value} ({count} Zeilen)",
        "largest": "Größter Wert von {column}: {value}",
        "smallest": "Kleinster Wert von {column}: {value}",
    },
    sums="Summen von {}: {}",
    group="{} {} (Zeilen: {})",
)


def phrases(question: str) -> Phrases:
    """Return the German phrases for a German question, and the English ones for any other."""
    return GERMAN if parse_question(question).language == "de" else ENGLISH
