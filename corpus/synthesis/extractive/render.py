"""Render passages and figures as a cited Markdown answer. Text is verbatim, with … for omitted text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from corpus.synthesis.answer import Source
from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.figures import Placed
from corpus.synthesis.extractive.parts import Part, PartKind
from corpus.synthesis.extractive.passages import Passage
from corpus.synthesis.extractive.question import Question
from corpus.synthesis.extractive.select import MAX_ROWS
from corpus.synthesis.phrases import Phrases
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import renumber, source_list
from corpus.text.analysis import terms
from corpus.text.markdown import address, as_line, within_line
from corpus.text.normalization import clean
from corpus.text.sentences import sentences

MAX_CODE_LINES = 24
"""Maximum number of lines of a code block, about one screen."""
_TICKS = re.compile(r"`{3,}")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of Markdown. `states` is True if it needs a citation. Titles and lead-ins to the next block need none."""

    text: str
    kind: PartKind | Literal["image"]
    states: bool = True

    def leads_to(self, below: MarkdownBlock) -> bool:
        """Return whether a single citation below both blocks is enough. It is if this block is code, or is a lead-in to
        code. A step that states something needs its own citation, because it would otherwise count as uncited."""
        kinds = {self.kind, below.kind}
        is_instruction = "code" in kinds and kinds <= {"code", "item", "text"}
        return is_instruction and (self.kind == "code" or self.text.rstrip().endswith(":"))

    def joined(self, below: MarkdownBlock) -> MarkdownBlock | None:
        """Return both joined into one block if both are text or both are list items, and both state something.
        Otherwise, return None."""
        if self.kind != below.kind or self.kind not in ("text", "item") or not (self.states and below.states):
            return None
        return MarkdownBlock(self.text + ("\n" if self.kind == "item" else "  \n") + below.text, self.kind)


def quote(passage: Passage, rows: str, mark: str = "") -> list[MarkdownBlock]:
    """Return the blocks of a passage. `rows` is the template of the note on omitted rows, `{} of {} rows`. `mark`
    follows each sentence and row. Consecutive paragraphs are one block, so that one citation covers them."""
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
        """Return a list item, with an ellipsis item for omitted neighbouring items."""
        lines = [f"{_item_mark(part.mark)} {self._run(part, part.spans)}"]
        if at and self._is_item(at - 1) and last != at - 1:
            lines.insert(0, "- …")
        if self._is_item(at + 1) and not any(later > at and self._is_item(later) for later in self._chosen):
            lines.append("- …")
        return "\n".join(lines)

    def _is_list(self, first: int, last: int) -> bool:
        return all(self._is_item(at) for at in range(first, last + 1))

    def _is_item(self, at: int) -> bool:
        return at < len(self._parts) and self._parts[at].kind == "item"

    def _title(self, part: Part, at: int) -> str:
        note = self._note(at + 1) if at + 1 in self._chosen else ""
        return f"**{within_line(part.text.rstrip('.'))}{f' ({note})' if note else ''}**"

    def _note(self, at: int) -> str:
        """Return the note on omitted rows. It is empty for a complete table or if few rows are quoted."""
        grid = self._parts[at].table
        count = len(self._passage.rows[self._chosen[at][0]]) if grid else 0
        return self._rows.format(count, len(grid.rows)) if grid and MAX_ROWS <= count < len(grid.rows) else ""

    def _table(self, grid: table.Table, numbers: Sequence[int], at: int) -> Iterator[MarkdownBlock]:
        has_title = at - 1 in self._chosen and self._parts[at - 1].kind == "title"
        if not has_title and (note := self._note(at)):
            yield MarkdownBlock(f"**{note}**", "title", states=False)
        yield MarkdownBlock(table.write_table(grid, self._passage.rows[numbers[0]], self._mark), "table")

    def _text(self, part: Part, numbers: Sequence[int], at: int) -> Iterator[MarkdownBlock]:
        """Return the sentences of a paragraph. If the last sentence introduces a list, it is a separate block."""
        units = [self._passage.reading.units[n] for n in numbers]
        spans = [(unit.start, unit.end) for unit in units]
        after = min((later for later in self._chosen if later > at), default=at)
        leads = units[-1].text.endswith(":") and after > at and (after == at + 1 or self._is_list(at + 1, after))
        end = len(spans) - leads
        if end:
            goes_on = spans[end - 1] != part.spans[-1 - leads]
            yield MarkdownBlock(self._line(part, spans[:end], numbers, goes_on=goes_on), "text")
        if leads:
            yield MarkdownBlock(self._line(part, spans[-1:], numbers, goes_on=False), "text", states=False)

    def _line(self, part: Part, spans: Sequence[Span], numbers: Sequence[int], *, goes_on: bool) -> str:
        text = " … ".join(self._run(part, run) for run in _runs(spans, part))
        reading = self._passage.reading
        first = reading.units[numbers[0]]
        begins = spans[0] == (first.start, first.end)
        if begins and (spans[0] != part.spans[0] or reading.starts_late(numbers[0])):
            text = f"… {text}"
        return f"{text} …" if goes_on or reading.ends_early(numbers[-1]) else text

    def _run(self, part: Part, run: Sequence[Span]) -> str:
        body = part.text[run[0][0] : run[-1][1]]
        if not self._mark:
            return as_line(body)
        cuts = sentences(body, self._passage.reading.source.language)
        return " ".join(f"{as_line(body[start:end])} {self._mark}" for start, end in cuts)


def _runs(spans: Sequence[Span], part: Part) -> list[list[Span]]:
    """Return the spans grouped into runs of consecutive sentences."""
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
    """Return the first MAX_CODE_LINES lines as a code block, with a fence longer than any run of backticks in them."""
    lines = clean(text).split("\n")
    body = "\n".join([*lines[:MAX_CODE_LINES], *(["…"] if len(lines) > MAX_CODE_LINES else [])])
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(body))])
    return f"{fence}\n{body}\n{fence}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A source with its quoted passage. The passage is None for a figure."""

    source: Source
    passage: Passage | None = None


@dataclass(slots=True)
class Group:
    """The pieces under one heading of one document, in order."""

    document: str
    heading: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True)
class Section:
    """Groups of an answer. A comparison has one section per document, titled with the document's title; other answers
    have one section with an empty `title`."""

    title: str
    groups: list[Group]


def lay_out(passages: Sequence[Passage], figures: Placed, question: Question) -> list[Section]:
    """Return the sections of an answer, with the groups in order of their best piece."""
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
    """Return each heading with its passage and the passage's figures, best first. Figures without a passage come first
    if `figures.leads` is True, and last otherwise."""
    texts = [
        (_heading(passage), [Piece(passage.reading.source, passage), *map(Piece, figures.beside.get(n, ()))])
        for n, passage in enumerate(passages)
    ]
    alone = [("", [Piece(source)]) for source in figures.alone]
    return [*alone, *texts] if figures.leads else [*texts, *alone]


def _heading(passage: Passage) -> str:
    """Return the heading of a passage. It is empty for a table with a caption."""
    kinds = {passage.reading.units[n].kind for n in passage.units}
    captioned = kinds == {"title", "table"}
    return "" if captioned else passage.reading.heading


def _document(source: Source) -> str:
    return source.hit.block.doc_id if source.hit else source.citation


def _place(section: Section, sections: Sequence[Section], question: Question) -> int:
    """Return the rank of a document in a comparison: the position in the question of the first word that only this
    document's title contains. A document without such a word ranks last."""
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


MAX_CAPTION = 200
"""Maximum number of characters of a caption shown in an answer."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The title of an answer, its citation style, and the phrases of its language."""

    title: str
    style: CitationStyle
    words: Phrases


def write_markdown(frame: Frame, sections: Sequence[Section]) -> tuple[str, tuple[Source, ...]]:
    """Return the answer in Markdown, and the sources that it cites, numbered in order of appearance."""
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
            mark = f"[{source.citation_number}]"
            blocks = _blocks(piece, frame.words, mark)
            yield from (block.text if piece.passage else f"{block.text} {mark}" for block in blocks)
    else:
        yield from _by_source(cited, frame.words)


def _by_source(cited: Sequence[tuple[Piece, Source]], words: Phrases) -> Iterator[str]:
    """Yield the blocks with a citation below each. Consecutive text of one source shares a citation, and so does a step
    with its code."""
    blocks: list[tuple[MarkdownBlock, str]] = []
    for block, citation in ((block, source.citation) for piece, source in cited for block in _blocks(piece, words)):
        if blocks and blocks[-1][1] == citation and (joined := blocks[-1][0].joined(block)):
            blocks[-1] = joined, citation
        else:
            blocks.append((block, citation))
    for n, (block, citation) in enumerate(blocks):
        yield block.text
        below = blocks[n + 1] if n + 1 < len(blocks) else None
        if block.states and not (below and below[1] == citation and block.leads_to(below[0])):
            yield f"*{citation}*"


def _blocks(piece: Piece, words: Phrases, mark: str = "") -> list[MarkdownBlock]:
    if piece.passage:
        return quote(piece.passage, words.rows, mark)
    return [MarkdownBlock(_figure(piece.source, words), "image")]


def _figure(source: Source, words: Phrases) -> str:
    if not source.hit:
        return ""
    block = source.hit.block
    return f"![{as_line(_short(block.image_caption or words.figure))}]({address(block.image_url)})"


def _short(caption: str) -> str:
    """Return the caption. Cut a caption longer than MAX_CAPTION at a full stop or a space."""
    if len(caption) <= MAX_CAPTION:
        return caption
    start = caption[:MAX_CAPTION]
    place = start.rfind(". ", MAX_CAPTION // 4)
    return start[: place + 1] if place > 0 else f"{start.rsplit(None, 1)[0]} …"
