"""Read a file of questions, one JSON object per line, or draft questions from an index. Drafts are derived from
headings and captions, or written by a model from page text.

A person must review the drafts before the resulting numbers can be trusted.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.errors import InvalidRequest, LLMError, Timeout
from corpus.generation.protocol import Prompt, TextGenerator, fence
from corpus.library import DocumentView, Library
from corpus.search import every_document

MAX_QUESTIONS = 10_000
"""Maximum number of questions, which limits memory and time: ten thousand answers take hours."""
MAX_LINE_CHARACTERS = 100_000
"""Maximum length of a line, in characters."""

SHAPE = (
    '{"question": "How does the pump work?", "document": "manual.pdf", "pages": [8]}, and if you like '
    '"answer", "answerable": false, "id"'
)


class EvalQuestion(BaseModel):
    """A question. `document` is a file name, title or id; each of the `pages` (1-based) contains the answer.
    `answerable` is False if no document answers it. A `draft` was generated and has not been reviewed."""

    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    question: str = Field(min_length=1, max_length=4000)
    id: str = ""
    answer: str | None = None
    document: str | None = Field(default=None, validation_alias=AliasChoices("document", "doc", "filename", "doc_id"))
    pages: frozenset[int] = frozenset()
    answerable: bool = True
    draft: bool = False


def read_questions(file: Path) -> list[EvalQuestion]:
    """Return the questions in a file. Raise InvalidRequest, with the line number and the reason, for an invalid
    file."""
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


MAX_PASSAGE_CHARACTERS = 6_000
"""Maximum length of the page text for one question, in characters: about two dense pages."""
MIN_PASSAGE_CHARACTERS = 80
"""Minimum length of a page from which a model writes a question, in characters."""
MIN_TOPIC_CHARACTERS, MAX_TOPIC_CHARACTERS = 4, 110
"""Minimum and maximum length in characters of a heading or caption that is turned into a question."""

_NO_TOPIC = re.compile(
    r"(table of )?contents|index|appendix( \w)?|annex( \w)?|references|bibliography|introduction|figures?|tables?|"
    r"notes?|page \d+|(executive |management )?summary|overview|abstract|conclusions?|discussion|results?|methods?|"
    r"methodology|background|scope|purpose|general|preface|foreword|acknowledge?ments?|glossary|abbreviations|"
    r"definitions|terms and definitions|revision history|disclaimer|imprint|next steps|outlook|agenda|misc(ellaneous)?|"
    r"inhalt(sverzeichnis)?|anhang( \w)?|anlagen?|einleitung|literatur(verzeichnis)?|abbildungen|tabellen|"
    r"(kurz)?zusammenfassung|überblick|übersicht|fazit|schluss|ergebnisse?|methoden?|methodik|diskussion|hintergrund|"
    r"zweck|geltungsbereich|allgemeines|vorwort|danksagung|glossar|abkürzungen|definitionen|impressum|ausblick|"
    r"nächste schritte|tagesordnung|sonstiges|verschiedenes|[\W\d_]+",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\s*(?:(?:figure|fig\.|table|abbildung|abb\.|tabelle)\s*)?[\d.]*\s*[.:)]?\s+", re.IGNORECASE)
_REPLY = re.compile(r"QUESTION:\s*+(?P<question>\S[^\n]{0,1000}+)\s*+ANSWER:\s*+(?P<answer>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that writes questions. `instructions` returns its instructions for a language, given as an ISO 639-1
    code."""

    generator: TextGenerator
    instructions: Callable[[str], str]

    async def question(self, passage: str, language: str) -> tuple[str, str] | None:
        """Return a question about a passage and its answer, or None if the request fails or the reply is malformed.
        Raise NotConfigured."""
        prompt = Prompt(fence(passage), self.instructions(language), max_tokens=300)
        try:
            reply = await self.generator.generate(prompt)
        except (LLMError, Timeout):
            return None
        match = _REPLY.search(reply.text)
        return (match["question"].strip()[:1000], " ".join(match["answer"].split())[:2000]) if match else None


@dataclass(frozen=True, slots=True)
class _Topic:
    document: Document
    text: str
    page: int | None
    is_figure: bool = False


@dataclass(slots=True)
class Drafts:
    """Drafted questions. `by_topic` is the number of questions that were derived from a heading or caption because the
    model failed."""

    questions: list[EvalQuestion] = field(default_factory=list)
    by_topic: int = 0


async def draft_questions(library: Library, caller: Caller, count: int, writer: Writer | None = None) -> Drafts:
    """Draft at most `count` questions, taking one from each readable document in turn so that one long document does
    not supply them all."""
    drafts, texts = Drafts(), set[str]()
    waiting = deque([_topics(view) async for view in _views(library, caller, count)])
    while waiting and len(drafts.questions) < count:
        topics = waiting.popleft()
        topic = next(topics, None)
        if topic is None:
            continue
        waiting.append(topics)
        question = await _draft(topic, library, caller, writer, drafts)
        if question.question not in texts:
            texts.add(question.question)
            drafts.questions.append(question.model_copy(update={"id": f"draft-{len(texts)}"}))
    return drafts


async def _views(library: Library, caller: Caller, limit: int) -> AsyncIterator[DocumentView]:
    count = 0
    async for document in every_document(library, caller, sort_by="filename"):
        yield await library.get_document(caller, doc_id=document.doc_id)
        count += 1
        if count == limit:
            return


def _topics(view: DocumentView) -> Iterator[_Topic]:
    """Yield three headings and then a figure, repeatedly, until both run out. If there are no headings and no figures,
    yield the title.

    A document without text yields nothing, and a repeated heading yields no question.
    """
    document = view.document
    entries = [(text, entry.page_number) for entry in document.outline if (text := _topic_text(entry.title))]
    counts = Counter(text.casefold() for text, _ in entries)
    headings = deque(_Topic(document, text, page) for text, page in entries if counts[text.casefold()] == 1)
    figures = deque(
        _Topic(document, text, block.page_number, is_figure=True)
        for block in view.figures
        if block.page_number and (text := _topic_text(block.image_caption or ""))
    )
    if not headings and not figures and document.summary_brief and (text := _topic_text(document.title)):
        headings.append(_Topic(document, text, 1 if document.page_count else None))
    while headings or figures:
        for _ in range(min(3, len(headings))):
            yield headings.popleft()
        if figures:
            yield figures.popleft()


def _topic_text(text: str) -> str | None:
    """Return the subject of a heading or caption, without its number, or None if it is unsuitable for a question."""
    topic = _NUMBER.sub("", " ".join(text.split())).strip(" .:")
    return (
        None if not MIN_TOPIC_CHARACTERS <= len(topic) <= MAX_TOPIC_CHARACTERS or _NO_TOPIC.fullmatch(topic) else topic
    )


async def _draft(
    topic: _Topic, library: Library, caller: Caller, writer: Writer | None, drafts: Drafts
) -> EvalQuestion:
    pair = await _written_by_model(topic, library, caller, writer) if writer else None
    drafts.by_topic += writer is not None and pair is None
    question, answer = pair or (_template(topic), None)
    return EvalQuestion(
        question=question,
        answer=answer,
        document=topic.document.filename,
        pages=frozenset({topic.page} if topic.page else ()),
        draft=True,
    )


async def _written_by_model(topic: _Topic, library: Library, caller: Caller, writer: Writer) -> tuple[str, str] | None:
    view = await library.get_document(caller, doc_id=topic.document.doc_id, pages=str(topic.page or 1))
    passage = "\n\n".join(page.text for page in view.pages)[:MAX_PASSAGE_CHARACTERS]
    if len(passage) < MIN_PASSAGE_CHARACTERS:
        return None
    return await writer.question(passage, topic.document.language or "en")


def _template(topic: _Topic) -> str:
    title, german = topic.document.title, topic.document.language == "de"
    if topic.is_figure:
        return f"Was zeigt die Abbildung „{topic.text}“?" if german else f'What does the figure "{topic.text}" show?'
    if topic.text == title:
        return f"Worum geht es in „{title}“?" if german else f'What is "{title}" about?'
    if german:
        return f"Was steht in „{title}“ zu: {topic.text}?"
    return f'What does "{title}" say about {topic.text}?'


def as_rows(questions: Sequence[EvalQuestion]) -> list[dict[str, object]]:
    """Return the questions as JSON objects, one for each line of a question file."""
    return [
        {
            "id": question.id,
            "question": question.question,
            **({"answer": question.answer} if question.answer else {}),
            **({"document": question.document} if question.document else {}),
            **({"pages": sorted(question.pages)} if question.pages else {}),
            **({} if question.answerable else {"answerable": False}),
            **({"draft": True} if question.draft else {}),
        }
        for question in questions
    ]
