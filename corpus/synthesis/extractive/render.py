"""A passage as markdown, letter by letter, with … where something was left out, and its marker where it needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corpus.synthesis.answer import Source
from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.figures import Placed
from corpus.synthesis.extractive.parts import Part, PartKind
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.select import MAX_ROWS, Passage
from corpus.synthesis.phrases import Phrases
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.source_list import source_list
from corpus.synthesis.sources import renumber
from corpus.text.analysis import terms
from corpus.text.markdown import address, as_line, within_line
from corpus.text.normalization import clean
from corpus.text.sentences import sentences

MAX_CODE_LINES = 24
_TICKS = re.compile(r"`{3,}")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of markdown: lines of text, of a list, a title, a table, code, a figure. `states` tells that it needs a
    source: a title does not, nor does what leads to the next block."""

    text: str
    kind: PartKind | Literal["image"]
    states: bool = True

    def leads_to(self, below: MarkdownBlock) -> bool:
        """Whether one source below both is enough: of code, which claims nothing, and of words that lead to it. A step
        that states something keeps a source of its own, or it would be read as uncited."""
        one_instruction = "code" in (self.kind, below.kind) and {self.kind, below.kind} <= {
            "code",
            "item",
            "text",
        }
        return one_instruction and (self.kind == "code" or self.text.rstrip().endswith(":"))

    def joined(self, below: MarkdownBlock) -> MarkdownBlock | None:
        """Both as one block, where they are lines of text or of a list that state something."""
        if self.kind != below.kind or self.kind not in ("text", "item") or not (self.states and below.states):
            return None
        return MarkdownBlock(self.text + ("\n" if self.kind == "item" else "  \n") + below.text, self.kind)


def quote(passage: Passage, rows: str, mark: str = "") -> list[MarkdownBlock]:
    """`rows` says how many rows of a table are shown: `{} of {} rows`. `mark` stands after each sentence and row.
    Paragraphs of text are lines of one block, so that one source below stands for all of them."""
    blocks: list[MarkdownBlock] = []
    for block in _Quoting(passage, rows, mark).blocks():
        if blocks and (joined := blocks[-1].joined(block)):
            blocks[-1] = joined
        else:
            blocks.append(block)
    return blocks


class _Quoting:
    def __init__(self, passage: Passage, rows: str, mark: str) -> None:
        self._passage, self._rows, self._mark = passage, rows, mark
        self._parts = passage.reading.parts
        self._chosen: dict[int, list[int]] = {}
        for n in passage.units:
            self._chosen.setdefault(passage.reading.units[n].part, []).append(n)

    def blocks(self) -> Iterator[MarkdownBlock]:
        last: int | None = None
        for at, numbers in self._chosen.items():
            part = self._parts[at]
            if part.kind == "item":
                yield MarkdownBlock(self._item(part, at, last), "item")
            elif part.kind == "title":
                yield MarkdownBlock(self._title(part, at), "title", states=False)
            elif part.table:
                yield from self._table(part.table, numbers, at)
            elif part.kind == "code":
                yield MarkdownBlock(_fenced(part.text) + (f"\n\n{self._mark}" if self._mark else ""), "code")
            else:
                yield from self._text(part, numbers, at)
            last = at

    def _item(self, part: Part, at: int, last: int | None) -> str:
        """With a line of dots where items before or after it were left out."""
        lines = [f"{_item_mark(part.mark)} {self._run(part, part.spans)}"]
        if at and self._is_item(at - 1) and last != at - 1:
            lines.insert(0, "- …")
        if self._is_item(at + 1) and not any(later > at and self._is_item(later) for later in self._chosen):
            lines.append("- …")
        return "\n".join(lines)

    def _is_item(self, at: int) -> bool:
        return at < len(self._parts) and self._parts[at].kind == "item"

    def _title(self, part: Part, at: int) -> str:
        note = self._note(at + 1) if at + 1 in self._chosen else ""
        return f"**{within_line(part.text.rstrip('.'))}{f' ({note})' if note else ''}**"

    def _note(self, at: int) -> str:
        """How many rows of a table are shown, where there was no room for more."""
        shown_table = self._parts[at].table
        count = len(self._passage.rows[self._chosen[at][0]]) if shown_table else 0
        return (
            self._rows.format(count, len(shown_table.rows))
            if shown_table and MAX_ROWS <= count < len(shown_table.rows)
            else ""
        )

    def _table(self, shown_table: table.Table, numbers: Sequence[int], at: int) -> Iterator[MarkdownBlock]:
        titled = at - 1 in self._chosen and self._parts[at - 1].kind == "title"
        if not titled and (note := self._note(at)):
            yield MarkdownBlock(f"**{note}**", "title", states=False)
        yield MarkdownBlock(
            table.write_table(shown_table, self._passage.rows[numbers[0]], self._mark), "table"
        )

    def _text(self, part: Part, numbers: Sequence[int], at: int) -> Iterator[MarkdownBlock]:
        """A last sentence that leads to a list stands by itself, with the list."""
        units = [self._passage.reading.units[n] for n in numbers]
        spans = [(unit.start, unit.end) for unit in units]
        leads = units[-1].text.endswith(":") and at + 1 in self._chosen
        if leads and spans[:-1]:
            yield MarkdownBlock(
                self._line(part, spans[:-1], numbers, goes_on=spans[-2] != part.spans[-2]), "text"
            )
        if leads:
            yield MarkdownBlock(self._line(part, spans[-1:], numbers, goes_on=False), "text", states=False)
        else:
            yield MarkdownBlock(self._line(part, spans, numbers, goes_on=spans[-1] != part.spans[-1]), "text")

    def _line(self, part: Part, spans: Sequence[Span], numbers: Sequence[int], *, goes_on: bool) -> str:
        text = " … ".join(self._run(part, run) for run in _runs(spans, part))
        reading = self._passage.reading
        first = reading.units[numbers[0]]
        begins = spans[0] == (first.start, first.end)
        if begins and (spans[0] != part.spans[0] or reading.starts_late(numbers[0])):
            text = f"… {text}"
        return f"{text} …" if goes_on or reading.ends_early(numbers[-1]) else text

    def _run(self, part: Part, run: Sequence[Span]) -> str:
        start, end = run[0][0], run[-1][1]
        if not self._mark:
            return as_line(part.text[start:end])
        body = part.text[start:end]
        cuts = sentences(body, self._passage.reading.source.language)
        return " ".join(f"{as_line(body[start:end])} {self._mark}" for start, end in cuts)


def _runs(spans: Sequence[Span], part: Part) -> list[list[Span]]:
    """Sentences that stand right behind each other."""
    runs: list[list[Span]] = []
    for span in spans:
        if runs and part.spans.index(span) == part.spans.index(runs[-1][-1]) + 1:
            runs[-1].append(span)
        else:
            runs.append([span])
    return runs


def _item_mark(mark: str) -> str:
    if not mark[:1].isalnum():
        return "-"
    return f"{mark[:-1]}." if mark[:1].isdigit() else f"- {mark}"


def _fenced(text: str) -> str:
    """Its first lines as code. No run of ticks in it ends the fence."""
    lines = clean(text).split("\n")
    body = "\n".join([*lines[:MAX_CODE_LINES], *(["…"] if len(lines) > MAX_CODE_LINES else [])])
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(body))])
    return f"{fence}\n{body}\n{fence}"


# The pieces of an answer in their groups: under their headings, and for a comparison by document.


@dataclass(frozen=True, slots=True)
class Piece:
    """A source with what is quoted of it; a figure has no passage."""

    source: Source
    passage: Passage | None = None


@dataclass(slots=True)
class Group:
    """Pieces under one heading of one document, in their order."""

    document: str
    heading: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Section:
    """`title` is the document's where answers are told apart by document, else empty."""

    title: str
    groups: list[Group]


def lay_out(passages: Sequence[Passage], figures: Placed, question: Question) -> list[Section]:
    """In the order of the best of each group."""
    groups: list[Group] = []
    for heading, pieces in _pieces(passages, figures):
        document = _document(pieces[0].source)
        known = next(
            (group for group in groups if heading and (group.document, group.heading) == (document, heading)),
            None,
        )
        if known is None:
            known = Group(document, heading)
            groups.append(known)
        known.pieces += pieces
    documents = list(dict.fromkeys(group.document for group in groups))
    if question.shape != "comparison" or len(documents) < 2:
        return [Section("", groups)]
    sections = [_section([group for group in groups if group.document == document]) for document in documents]
    return sorted(sections, key=lambda section: _place(section, sections, question))


def _pieces(passages: Sequence[Passage], figures: Placed) -> list[tuple[str, list[Piece]]]:
    """What belongs together, best first, with its heading."""
    texts = [
        (_heading(passage), [Piece(passage.reading.source, passage), *map(Piece, figures.beside.get(n, ()))])
        for n, passage in enumerate(passages)
    ]
    alone = [("", [Piece(source)]) for source in figures.alone]
    return [*alone, *texts] if figures.leads else [*texts, *alone]


def _heading(passage: Passage) -> str:
    """A table under a caption of its own needs no heading."""
    kinds = {passage.reading.units[n].kind for n in passage.units}
    captioned = kinds == {"title", "table"}
    return "" if captioned else passage.reading.heading


def _document(source: Source) -> str:
    return source.hit.block.doc_id if source.hit else source.citation


def _place(section: Section, sections: Sequence[Section], question: Question) -> int:
    """Where the question names the document, by a word that no other one's title has; the others come last."""
    others = {word for other in sections if other is not section for word in terms(other.title, None)}
    own = set(terms(section.title, None)) - others
    return next((n for n, word in enumerate(question.words) if word in own), len(question.words))


def _section(groups: list[Group]) -> Section:
    source = groups[0].pieces[0].source
    if source.hit:
        title = source.hit.document.title or source.hit.document.filename
    else:
        title = source.observation.title or source.citation if source.observation else ""
    for group in groups:
        group.heading = "" if group.heading == title else group.heading
    return Section(title, groups)


# The sections of an answer in markdown, cited in either style.

MAX_CAPTION = 200


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands above an answer, how it cites, and the words of its language."""

    title: str
    style: CitationStyle
    words: Phrases


def write_markdown(frame: Frame, sections: Sequence[Section]) -> tuple[str, tuple[Source, ...]]:
    """The answer, and the sources that it cites, numbered in the order of their pieces."""
    pieces = [piece for section in sections for group in section.groups for piece in group.pieces]
    cited = renumber([piece.source for piece in pieces])
    numbers = iter(cited)
    parts = [frame.title]
    for section in sections:
        parts += [f"## {as_line(section.title)}"] if section.title else []
        for group in section.groups:
            parts += _group(group, numbers, frame)
    parts += [source_list(cited)] if frame.style == "inline" else []
    return "\n\n".join(parts), cited


def _group(group: Group, numbers: Iterator[Source], frame: Frame) -> Iterator[str]:
    if group.heading:
        yield f"**{within_line(group.heading)}**"
    cited = [(piece, next(numbers)) for piece in group.pieces]
    if frame.style == "inline":
        for piece, source in cited:
            yield from _by_number(piece, f"[{source.citation_number}]", frame.words)
    else:
        yield from _by_source(cited, frame.words)


def _by_number(piece: Piece, mark: str, words: Phrases) -> Iterator[str]:
    if piece.passage:
        yield from (block.text for block in quote(piece.passage, words.rows, mark))
    else:
        yield f"{_figure(piece.source, words)} {mark}"


def _by_source(cited: Sequence[tuple[Piece, Source]], words: Phrases) -> Iterator[str]:
    """The source stands below each block; once for texts of one place that follow each other, and for a step with its
    code."""
    blocks: list[tuple[MarkdownBlock, str]] = []
    for block, citation in (
        (block, source.citation) for piece, source in cited for block in _blocks(piece, words)
    ):
        if blocks and blocks[-1][1] == citation and (joined := blocks[-1][0].joined(block)):
            blocks[-1] = joined, citation
        else:
            blocks.append((block, citation))
    for n, (block, citation) in enumerate(blocks):
        yield block.text
        below = blocks[n + 1] if n + 1 < len(blocks) else None
        if block.states and not (below and below[1] == citation and block.leads_to(below[0])):
            yield f"*{citation}*"


def _blocks(piece: Piece, words: Phrases) -> list[MarkdownBlock]:
    if piece.passage:
        return quote(piece.passage, words.rows)
    return [MarkdownBlock(_figure(piece.source, words), "image")]


def _figure(source: Source, words: Phrases) -> str:
    if not source.hit:
        return ""
    block = source.hit.block
    return f"![{as_line(_short(block.image_caption or words.figure))}]({address(block.image_url)})"


def _short(caption: str) -> str:
    """Its first sentence where it is long, else cut at a word."""
    if len(caption) <= MAX_CAPTION:
        return caption
    start = caption[:MAX_CAPTION]
    place = start.rfind(". ", MAX_CAPTION // 4)
    return start[: place + 1] if place > 0 else f"{start.rsplit(None, 1)[0]} …"
