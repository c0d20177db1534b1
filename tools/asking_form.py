"""The form in which a user chooses a document from numbered options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.errors import AmbiguousDocument
from corpus.text.markdown import within_line

MORE = "more"
"""Stands for what the form does not show."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the form says, those with a brace filled in with `format`."""

    question: str
    further: str
    another: str
    document: str


ENGLISH = Words(
    "Which document do you mean? {} fit.",
    "({} more fit: narrow it down)",
    "Another one: narrow it down",
    "Document",
)
GERMAN = Words(
    "Welches Dokument ist gemeint? {} kommen in Frage.",
    "({} weitere kommen in Frage: bitte genauer fragen)",
    "Ein anderes: bitte genauer fragen",
    "Dokument",
)


def message(several: AmbiguousDocument) -> str:
    """The question with the options, for clients that show no titles of choices. Some show it as markdown."""
    words = _words(several)
    rows = [f"{n}. {within_line(text)}" for n, (_, text) in enumerate(_options(several), 1)]
    count = len(several.options)
    if count > len(rows):
        rows.append(words.further.format(count - len(rows)))
    return "\n".join([words.question.format(count), *rows])


def schema(several: AmbiguousDocument, *, titled: bool) -> dict[str, Any]:
    """What goes over the wire. `titled` as revisions from 2025-11-25 on have it, else as those before."""
    words = _words(several)
    choices = [(doc_id, f"{n}. {text}") for n, (doc_id, text) in enumerate(_options(several), 1)]
    if len(several.options) > len(choices):
        choices.append((MORE, words.another))
    field: dict[str, Any] = {"type": "string", "title": words.document}
    if titled:
        field["oneOf"] = [{"const": value, "title": title} for value, title in choices]
    else:
        field |= {"enum": [value for value, _ in choices], "enumNames": [title for _, title in choices]}
    return {"title": words.document, "properties": {"document": field}, "required": ["document"]}


def meaning(reply: object, several: AmbiguousDocument) -> str | None:
    """The id that an answer means, by itself, by its number or by its title, `MORE`, or None for anything else."""
    options = _options(several)
    by_value = {doc_id: doc_id for doc_id, _ in options}
    by_value = {f"{n}": doc_id for n, (doc_id, _) in enumerate(options, 1)} | by_value
    titles = {f"{n}. {text}": doc_id for n, (doc_id, text) in enumerate(options, 1)}
    if isinstance(reply, int) and not isinstance(reply, bool):
        reply = str(reply)
    if not isinstance(reply, str):
        return None
    more = MORE if len(several.options) > len(options) and reply in (MORE, _words(several).another) else None
    return by_value.get(reply) or titles.get(reply) or more


def _words(several: AmbiguousDocument) -> Words:
    return GERMAN if several.language == "de" else ENGLISH


def _options(several: AmbiguousDocument) -> tuple[tuple[str, str], ...]:
    return several.options[: several.MOST_SHOWN]
