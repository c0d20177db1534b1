"""Questions drafted from an index: from headings and captions, or by a model from the text of pages.

They are drafts: a person reads them before a number that they give is believed.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from corpus.access import Caller
from corpus.documents import Document
from corpus.errors import LLMError, Timeout
from corpus.evaluation.questions import EvalQuestion
from corpus.generation.fencing import fenced
from corpus.generation.protocol import Prompt, TextGenerator
from corpus.library import DocumentView, Library
from corpus.listing import every_document

LONGEST_PASSAGE = 6_000
LEAST_PASSAGE = 80
"""Letters of a page from which a model is asked for a question."""
SHORTEST, LONGEST = 4, 110
"""Letters of a heading or caption that makes a question."""

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
_NUMBER = re.compile(
    r"^\s*(?:(?:figure|fig\.|table|abbildung|abb\.|tabelle)\s*)?[\d.]*\s*[.:)]?\s+", re.IGNORECASE
)
_REPLY = re.compile(r"QUESTION:\s*(?P<question>\S[^\n]*?)\s*\n+\s*ANSWER:\s*(?P<answer>\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Writer:
    """A model, and how it is told to write a question in the language of an ISO 639-1 code."""

    generator: TextGenerator
    instructions: Callable[[str], str]

    async def question(self, passage: str, language: str) -> tuple[str, str] | None:
        """Question and answer; None where the reply is of another form. Raises NotConfigured for what cannot pass."""
        prompt = Prompt(fenced(passage), self.instructions(language), max_tokens=300)
        try:
            made = await self.generator.generate(prompt)
        except (LLMError, Timeout):
            return None
        found = _REPLY.search(made.text)
        return (found["question"][:1000], " ".join(found["answer"].split())[:2000]) if found else None


@dataclass(frozen=True, slots=True)
class _Topic:
    document: Document
    text: str
    page: int | None
    is_figure: bool = False


@dataclass(slots=True)
class Drafted:
    """`by_topic` counts those that a model was to write and could not."""

    questions: list[EvalQuestion] = field(default_factory=list)
    by_topic: int = 0


async def drafted(library: Library, caller: Caller, count: int, writer: Writer | None = None) -> Drafted:
    """At most `count` questions, taken in turn from the documents that the caller may read, so that a long one does
    not give them all."""
    made, seen = Drafted(), set[str]()
    waiting = deque([_topics(view) async for view in _views(library, caller, count)])
    while waiting and len(made.questions) < count:
        topics = waiting.popleft()
        topic = next(topics, None)
        if topic is None:
            continue
        waiting.append(topics)
        question = await _question(topic, library, caller, writer, made)
        if question.question not in seen:
            seen.add(question.question)
            made.questions.append(question.model_copy(update={"id": f"draft-{len(seen)}"}))
    return made


async def _views(library: Library, caller: Caller, most: int) -> AsyncIterator[DocumentView]:
    seen = 0
    async for document in every_document(library, caller, sort_by="filename"):
        yield await library.get_document(caller, doc_id=document.doc_id)
        seen += 1
        if seen == most:
            return


def _topics(view: DocumentView) -> Iterator[_Topic]:
    """A figure after every third heading, as far as there are both; the title alone where there is neither, and nothing
    of a document without text. A heading that stands in the document more than once names none of its places."""
    document = view.document
    entries = [(text, entry.page_number) for entry in document.outline if (text := _topic(entry.title))]
    often = Counter(text.casefold() for text, _ in entries)
    headings = deque(_Topic(document, text, page) for text, page in entries if often[text.casefold()] == 1)
    figures = deque(
        _Topic(document, text, block.page_number, is_figure=True)
        for block in view.figures
        if block.page_number and (text := _topic(block.image_caption or ""))
    )
    if not headings and not figures and document.summary_brief and (text := _topic(document.title)):
        headings.append(_Topic(document, text, 1 if document.page_count else None))
    while headings or figures:
        for _ in range(min(3, len(headings))):
            yield headings.popleft()
        if figures:
            yield figures.popleft()


def _topic(text: str) -> str | None:
    """What a heading or caption is about, without its number; None where that is nothing to ask for."""
    said = _NUMBER.sub("", " ".join(text.split())).strip(" .:")
    return None if not SHORTEST <= len(said) <= LONGEST or _NO_TOPIC.fullmatch(said) else said


async def _question(
    topic: _Topic, library: Library, caller: Caller, writer: Writer | None, made: Drafted
) -> EvalQuestion:
    written = await _by_model(topic, library, caller, writer) if writer else None
    made.by_topic += writer is not None and written is None
    question, answer = written or (_asked(topic), None)
    return EvalQuestion(
        question=question,
        answer=answer,
        document=topic.document.filename,
        pages=frozenset({topic.page} if topic.page else ()),
        draft=True,
    )


async def _by_model(
    topic: _Topic, library: Library, caller: Caller, writer: Writer
) -> tuple[str, str] | None:
    view = await library.get_document(caller, doc_id=topic.document.doc_id, pages=str(topic.page or 1))
    passage = "\n\n".join(page.text for page in view.pages)[:LONGEST_PASSAGE]
    if len(passage) < LEAST_PASSAGE:
        return None
    return await writer.question(passage, topic.document.language or "en")


def _asked(topic: _Topic) -> str:
    title, german = topic.document.title, topic.document.language == "de"
    if topic.is_figure:
        return (
            f"Was zeigt die Abbildung „{topic.text}“?"
            if german
            else f'What does the figure "{topic.text}" show?'
        )
    if topic.text == title:
        return f"Worum geht es in „{title}“?" if german else f'What is "{title}" about?'
    if german:
        return f"Was steht in „{title}“ zu: {topic.text}?"
    return f'What does "{title}" say about {topic.text}?'


def as_rows(questions: Sequence[EvalQuestion]) -> list[dict[str, object]]:
    """As they stand in a file, one object a line."""
    return [
        {
            "id": one.id,
            "question": one.question,
            **({"answer": one.answer} if one.answer else {}),
            **({"document": one.document} if one.document else {}),
            **({"pages": sorted(one.pages)} if one.pages else {}),
            **({} if one.answerable else {"answerable": False}),
            **({"draft": True} if one.draft else {}),
        }
        for one in questions
    ]
