"""Read a file of questions, one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from corpus.errors import InvalidRequest

MAX_QUESTIONS = 10_000
"""Maximum number of questions. It bounds memory and time: ten thousand answers take hours."""
MAX_LINE_CHARACTERS = 100_000
"""Maximum length of a line, in characters."""

SHAPE = (
    '{"question": "How does the pump work?", "document": "manual.pdf", "pages": [8]}, and if you like '
    '"answer", "answerable": false, "id"'
)


class EvalQuestion(BaseModel):
    """One question. `document` is a file name, title or id; any of the `pages` (1-based) answers it. `answerable` is
    false if no document answers the question. A `draft` was generated and not reviewed."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    question: str = Field(min_length=1, max_length=4000)
    id: str = ""
    answer: str | None = None
    document: str | None = Field(default=None, validation_alias=AliasChoices("document", "doc", "filename", "doc_id"))
    pages: frozenset[int] = frozenset()
    answerable: bool = True
    draft: bool = False


def read_questions(file: Path) -> list[EvalQuestion]:
    """Return the questions of a file. Raises InvalidRequest with the line and the fault."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(f"{file} is not UTF-8 text. Save it as UTF-8, one JSON object a line.") from error
    questions = [_question(file, number, row) for number, row in _rows(file, text)]
    if not questions:
        raise InvalidRequest(f"{file} holds no question. Write one a line: {SHAPE}.")
    if len(questions) > MAX_QUESTIONS:
        raise InvalidRequest(f"{file} holds {len(questions)} questions; {MAX_QUESTIONS} at most. Split it.")
    return _with_distinct_ids(file, questions)


def _rows(file: Path, text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_CHARACTERS:
            raise InvalidRequest(f"{file}, line {number} is longer than {MAX_LINE_CHARACTERS} characters.")
        try:
            yield number, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest(
                f"{file}, line {number} is not JSON ({error}). Write one question a line: {SHAPE}."
            ) from error


def _question(file: Path, number: int, row: Any) -> EvalQuestion:
    try:
        question = EvalQuestion.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the line"
        raise InvalidRequest(f"{file}, line {number}: {place}: {first['msg']}. A line is {SHAPE}.") from error
    if question.pages and not question.document:
        raise InvalidRequest(f'{file}, line {number} names pages of no document. Add "document".')
    return question if question.id else question.model_copy(update={"id": str(number)})


def _with_distinct_ids(file: Path, questions: list[EvalQuestion]) -> list[EvalQuestion]:
    ids: set[str] = set()
    for question in questions:
        if question.id in ids:
            raise InvalidRequest(f"{file} has two questions with the id {question.id!r}. Give each its own.")
        ids.add(question.id)
    return questions
