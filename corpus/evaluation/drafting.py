"""Draft questions from an index: from headings and captions, or from the text of pages with a model.

A person must review the drafts before trusting the numbers they give.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from corpus.access import Caller
from corpus.documents.document import Document
from corpus.documents.every_document import every_document
from corpus.errors import LLMError, Timeout
from corpus.evaluation.questions import EvalQuestion
from corpus.generation.protocol import Prompt, TextGenerator, fence
from corpus.library import DocumentView, Library

MAX_PASSAGE_CHARACTERS = 6_000
"""Maximum length of the page text for one question, in characters: about two dense pages."""
MIN_PASSAGE_CHARACTERS = 80
"""Minimum length of a page from which a model writes a question, in characters."""
MIN_TOPIC_CHARACTERS, MAX_TOPIC_CHARACTERS = 4, 110
"""Minimum and maximum length of a heading or caption that makes a question, in characters."""

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
    """A model, and its instructions to write a question in the language of an ISO 639-1 code."""

    generator: TextGenerator
    instructions: Callable[[str], str]

    async def question(self, passage: str, language: str) -> tuple[str, str] | None:
        """Return a question and answer about a passage, or None for a malformed reply. Raises NotConfigured."""
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
    """The drafts. `by_topic` counts questions from a heading or caption for which the model failed to write one."""

    questions: list[EvalQuestion] = field(default_factory=list)
    by_topic: int = 0


async def draft_questions(library: Library, caller: Caller, count: int, writer: Writer | None = None) -> Drafts:
    """Draft at most `count` questions from the readable documents in turn, so that one long document does not supply
    them all."""
    drafts, texts = Drafts(), set[str]()
    waiting = deque([_topics(view) async for view in _views(library, caller, count)])
    while waiting and len(drafts.questions) < count:
        topics = waiting.popleft()
        topic = next(topics, None)
        if topic is None:
            continue
        waiting.append(topics)
        question = await _question(topic, library, caller, writer, drafts)
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
    """Yield three headings and a figure in turn, until both run out. Without headings and figures, yield the title.

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
    """Return the subject of a heading or caption, without its number; None if it is unsuitable for a question."""
    topic = _NUMBER.sub("", " ".join(text.split())).strip(" .:")
    return (
        None if not MIN_TOPIC_CHARACTERS <= len(topic) <= MAX_TOPIC_CHARACTERS or _NO_TOPIC.fullmatch(topic) else topic
    )


async def _question(
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
    """Return the questions as JSON objects of a question file, one per line."""
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
