"""Read a source into units that can be quoted: sentences, list items, titles, tables and code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.headings import last_heading, without_heading
from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.parts import HANGS, Part, PartKind, ends_sentence, is_table_caption, parts_of
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.table import Table
from corpus.text.analysis import terms

_VENUE = re.compile(
    r"\b(?:In\s+(?:Proc(?:eedings|\.)|Findings|Advances\s+in|International\s+Conference)|arXiv(?:\s+preprint|:\d)|CoRR\b"
    r"|Proceedings\s+of\s+the|Transactions\s+(?:of|on)|Journal\s+of|In:\s|ISBN\b|doi(?::|\.org)|(?:pages?|pp\.|S\.)\s*\d+\s*[–-]\s*\d+)"
)
_YEAR = re.compile(r"(?:[.,(]\s*)(?:19|20)\d\d[a-z]?\s*[).,:]|,\s*(?:19|20)\d\d[a-z]?$")
_NAMES = re.compile(
    r"(?:\[?\d{1,3}[\].]\s*)?(?:[A-Z][\w’'-]+,\s*(?:[A-Z]\.\s*)+|(?:[A-Z][\w.’'-]*\s+){1,3}[A-Z][\w’'-]+,\s+(?:and\s+)?[A-Z])"
)


def is_work(text: str) -> bool:
    """Return whether a text is a bibliography entry, with at least two of these: author names, a year, a venue."""
    if len(text) < _MIN_ENTRY:
        return False
    return bool(_VENUE.search(text)) + bool(_YEAR.search(text)) + bool(_NAMES.match(text)) >= 2


_MIN_ENTRY = 30
"""Minimum number of characters in a bibliography entry."""

_MARKDOWN = (".md", ".markdown")
_WRAPPED = (*_MARKDOWN, ".txt", ".text", ".rst", ".eml", ".msg", ".log")
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_LIGHT_EMPHASIS = re.compile(r"(?<![\w*_\\])([*_])(?=[^\s*_])([^*_\n]{1,200}?)(?<=[^\s*_\\])\1(?![\w*_])")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{1,300})\](?:\([^()\s]{1,1000}(?:\([^()\s]{0,200}\))?[^()\s]{0,200}\)|\[[^\[\]\n]{0,100}\])"
)
_CODE_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300}?)\1(?!`)")
_HEADING_MARK = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)


def body_of(block: Block, document: Document) -> str:
    """Return the quotable text of a block, without its heading and Markdown. If the block is only a heading, return the
    heading."""
    text = block.content
    if document.filename.lower().endswith(_MARKDOWN):
        text = without_inline_markup(_HEADING_MARK.sub("", text))
    return without_heading(text, block.heading) or text


def without_inline_markup(markdown: str) -> str:
    """Return the Markdown with links, emphasis and code spans reduced to their text."""
    return _LIGHT_EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", _CODE_SPAN.sub(r"\2", _LINK.sub(r"\1", markdown))))


def is_wrapped(document: Document) -> bool:
    """Return whether a document's lines are hard-wrapped, as in a text file, so that a line break does not end a
    paragraph."""
    return document.filename.lower().endswith(_WRAPPED)


_MAX_HEADING = 120
_MAX_UNITS = 300
"""Maximum number of units per source. A block typically has a tenth as many, but an observation may be long."""
_MAX_REPEAT = 160
"""Maximum number of characters in a line that may repeat the heading."""
_MIN_WORDS = 7
"""Maximum number of words in a last line that is complete without a full stop."""
_MAX_LABELLED = 200
"""Maximum number of characters in a line with a label and its value."""
_LABELLED = re.compile(r"[^\W\d_].*?(?:\s\d|:\s+\S)")
_MIN_TITLE = 8
"""Minimum number of characters in a document title that can identify a running header."""
_CHAPTER = re.compile(r"(?:chapter|part|section|kapitel|teil|abschnitt)\s+(?:\d+|[IVX]+)", re.IGNORECASE)
_NUMBERED = re.compile(r"\d+(?:\.\d+)+\.?\s+[^.!?]{1,80}")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7ff]{4}")
"""Pattern for text in a script without spaces between words."""
_SENTENCE = re.compile(r"[.!?]['\"»”’“)\]]*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, list item, title, table or code block. `part` is the index of its part. `start` and `end` are
    character offsets in the part. `mark` and `defines` are those of the part."""

    part: int
    start: int
    end: int
    kind: PartKind
    text: str
    mark: str = ""
    defines: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A source split into units. `heading` is the innermost heading above the entire source, or empty. `path` contains
    all headings. `name` is the document's title and file name."""

    source: Source
    parts: tuple[Part, ...]
    units: tuple[Unit, ...]
    heading: str
    path: str
    name: str

    def table(self, n: int) -> Table | None:
        """Return the table of a unit, or None for other units."""
        return self.parts[self.units[n].part].table

    def is_broken(self, n: int) -> bool:
        """Return whether a unit is part of a sentence that crosses the end of a block or a column."""
        return self.starts_late(n) or self.ends_early(n)

    def starts_late(self, n: int) -> bool:
        """Return whether a unit lacks the start of its sentence."""
        text = self.units[n].text
        return n == 0 and self._is_one_of_several(n) and text[:1].islower() and text[1:2] != ")"

    def ends_early(self, n: int) -> bool:
        """Return whether a unit lacks the end of its sentence."""
        text = self.units[n].text
        last = n == len(self.units) - 1 and not ends_sentence(text) and len(text.split()) > _MIN_WORDS
        return self._is_one_of_several(n) and (last or bool(HANGS.search(text)))

    def is_statement(self, n: int) -> bool:
        """Return whether a unit can be quoted by itself, because it is not a fragment, a line of a cover page, a
        caption or a bibliography entry."""
        unit = self.units[n]
        if unit.kind != "text":
            return True
        several = " " in unit.text or bool(_UNSPACED.search(unit.text))
        whole = ends_sentence(unit.text) and several and not self.is_broken(n)
        return whole and not is_table_caption(unit.text) and not is_work(unit.text)

    def is_header(self, text: str) -> bool:
        """Return whether a line is a running header: it begins with the document's title and is not a sentence."""
        title = _fold(self.source.hit.document.title) if self.source.hit else ""
        return len(title) >= _MIN_TITLE and not ends_sentence(text) and _fold(text).startswith(title)

    def _is_one_of_several(self, n: int) -> bool:
        return self.units[n].kind == "text" and len(self.units) > 1

    @property
    def is_chosen(self) -> bool:
        """Return whether the client itself chose this block."""
        return bool(self.source.hit and self.source.hit.score_kind == "none")

    @property
    def score(self) -> float:
        """Return the search score, or 1 for sources that the client chose or supplied."""
        hit = self.source.hit
        return hit.score if hit and hit.score_kind != "none" else 1.0

    def is_foreign_to(self, question: Question) -> bool:
        """Return whether the source and the question are known to be in different languages."""
        language = (self.source.language or "").split("-")[0]
        return bool(question.language and language and language != question.language)

    @property
    def all_words(self) -> frozenset[str]:
        """Return the unstemmed terms of the name, the headings and the text."""
        return frozenset(terms(f"{self.name}\n{self.path}\n{self.source.text}", None))

    @property
    def place(self) -> tuple[int, int, int]:
        """Return the source's position in its document (page, line and chunk number), for sorting."""
        block = self.source.hit.block if self.source.hit else None
        return (block.page_number or 0, block.start_line or 0, block.chunk_number) if block else (0, 0, 0)

    def begins(self, document: str) -> bool:
        """Return whether the source is the first text of the document."""
        return self.document == document and self.place[2] == 0

    def follows(self, before: Reading) -> bool:
        """Return whether the source is the text after `before` in the same section. A figure may be between them."""
        apart = self.place[2] - before.place[2]
        return self.document == before.document and self.path == before.path and apart in (1, 2)

    @property
    def document(self) -> str:
        """Return the document id; for an observation, its citation."""
        return self.source.hit.block.doc_id if self.source.hit else self.source.citation

    @property
    def is_figure(self) -> bool:
        """Return whether the source is an image block."""
        return bool(self.source.hit and self.source.hit.block.block_type == "image")


def is_label_and_value(text: str) -> bool:
    """Return whether a short line is a label with a value: a number, or text after a colon."""
    return len(text) <= _MAX_LABELLED and bool(_LABELLED.match(text))


def read_source(source: Source) -> Reading:
    """Split the source into units. A figure has no units, because its caption is shown and its text is not quoted."""
    hit = source.hit
    if hit and hit.block.block_type == "image":
        return Reading(source, (), (), _displayed_heading(hit.block.heading), hit.block.heading or "", "")
    if not hit:
        parts = parts_of(source.text, None, wrapped=True)
        title = source.observation.title if source.observation else None
        return Reading(source, parts, _units(parts), "", title or "", "")
    block, document = hit.block, hit.document
    parts = parts_of(
        body_of(block, document),
        block.language,
        wrapped=is_wrapped(document),
        code=document.document_type == "Code",
    )
    path = without_inline_markup(block.heading or "")
    parts = _without_heading(parts, path)
    name = f"{document.title} {document.filename.replace('_', ' ')}"
    return Reading(source, parts, _units(parts), _displayed_heading(path), path, name)


def _without_heading(parts: tuple[Part, ...], path: str) -> tuple[Part, ...]:
    """Return the parts without leading titles and short lines that repeat the heading, with or without the chapter's
    name."""
    heading, whole = _fold(last_heading(path)), _fold(path)
    at = 0
    while at + 1 < len(parts) and _repeats(parts[at], heading, whole):
        at += 1
    return tuple(part for part in parts[at:] if not _says(part, heading))


def _repeats(part: Part, heading: str, whole: str) -> bool:
    text, folded = part.text.strip(), _fold(part.text)
    if part.kind not in ("title", "text") or len(text) > _MAX_REPEAT or is_table_caption(text):
        return False
    if _CHAPTER.fullmatch(text) or _NUMBERED.fullmatch(text):
        return True
    return bool(heading) and (folded in whole or (heading in folded and not _SENTENCE.search(text)))


def _says(part: Part, heading: str) -> bool:
    return part.kind in ("title", "text") and bool(heading) and _fold(part.text) == heading


def _fold(text: str) -> str:
    return re.sub(r"[\W\d_]+", "", text).casefold()


def _displayed_heading(path: str | None) -> str:
    heading = last_heading(path).strip()
    return heading if len(heading) <= _MAX_HEADING else ""


def _units(parts: tuple[Part, ...]) -> tuple[Unit, ...]:
    units = (
        Unit(n, start, end, part.kind, part.text[start:end], part.mark, part.defines)
        for n, part in enumerate(parts)
        for start, end in part.spans
    )
    return tuple(islice(units, _MAX_UNITS))
