"""A passage as markdown, letter by letter, with … where something was left out, and its marker where it needs one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.parts import Part, PartKind
from corpus.synthesis.extractive.select import MAX_ROWS, Passage
from corpus.text.markdown import as_line, within_line
from corpus.text.normalization import clean
from corpus.text.sentences import sentences

MOST_CODE_LINES = 24
_TICKS = re.compile(r"`{3,}")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quoted:
    """A block of markdown: lines of text, of a list, a title, a table, code, a figure. `states` tells that it needs a
    source: a title does not, nor does what leads to the next block."""

    text: str
    kind: PartKind | Literal["image"]
    states: bool = True

    def leads_to(self, below: Quoted) -> bool:
        """Whether one source below both is enough: of code, which claims nothing, and of words that lead to it. A step
        that states something keeps a source of its own, or it would be read as uncited."""
        one_instruction = "code" in (self.kind, below.kind) and {self.kind, below.kind} <= {
            "code",
            "item",
            "text",
        }
        return one_instruction and (self.kind == "code" or self.text.rstrip().endswith(":"))

    def joined(self, below: Quoted) -> Quoted | None:
        """Both as one block, where they are lines of text or of a list that state something."""
        if self.kind != below.kind or self.kind not in ("text", "item") or not (self.states and below.states):
            return None
        return Quoted(self.text + ("\n" if self.kind == "item" else "  \n") + below.text, self.kind)


def quoted(passage: Passage, rows: str, mark: str = "") -> list[Quoted]:
    """`rows` says how many rows of a table are shown: `{} of {} rows`. `mark` stands after each sentence and row.
    Paragraphs of text are lines of one block, so that one source below stands for all of them."""
    blocks: list[Quoted] = []
    for one in _Quoting(passage, rows, mark).blocks():
        if blocks and (joined := blocks[-1].joined(one)):
            blocks[-1] = joined
        else:
            blocks.append(one)
    return blocks


class _Quoting:
    def __init__(self, passage: Passage, rows: str, mark: str) -> None:
        self._passage, self._rows, self._mark = passage, rows, mark
        self._parts = passage.reading.parts
        self._chosen: dict[int, list[int]] = {}
        for n in passage.units:
            self._chosen.setdefault(passage.reading.units[n].part, []).append(n)

    def blocks(self) -> Iterator[Quoted]:
        last: int | None = None
        for at, numbers in self._chosen.items():
            part = self._parts[at]
            if part.kind == "item":
                yield Quoted(self._item(part, at, last), "item")
            elif part.kind == "title":
                yield Quoted(self._title(part, at), "title", states=False)
            elif part.table:
                yield from self._table(part.table, numbers, at)
            elif part.kind == "code":
                yield Quoted(_fenced(part.text) + (f"\n\n{self._mark}" if self._mark else ""), "code")
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
        held = self._parts[at].table
        shown = len(self._passage.rows[self._chosen[at][0]]) if held else 0
        return self._rows.format(shown, len(held.rows)) if held and MAX_ROWS <= shown < len(held.rows) else ""

    def _table(self, held: table.Table, numbers: Sequence[int], at: int) -> Iterator[Quoted]:
        titled = at - 1 in self._chosen and self._parts[at - 1].kind == "title"
        if not titled and (note := self._note(at)):
            yield Quoted(f"**{note}**", "title", states=False)
        yield Quoted(table.written(held, self._passage.rows[numbers[0]], self._mark), "table")

    def _text(self, part: Part, numbers: Sequence[int], at: int) -> Iterator[Quoted]:
        """A last sentence that leads to a list stands by itself, with the list."""
        units = [self._passage.reading.units[n] for n in numbers]
        spans = [(unit.start, unit.end) for unit in units]
        leads = units[-1].text.endswith(":") and at + 1 in self._chosen
        if leads and spans[:-1]:
            yield Quoted(self._line(part, spans[:-1], numbers, goes_on=spans[-2] != part.spans[-2]), "text")
        if leads:
            yield Quoted(self._line(part, spans[-1:], numbers, goes_on=False), "text", states=False)
        else:
            yield Quoted(self._line(part, spans, numbers, goes_on=spans[-1] != part.spans[-1]), "text")

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
        return " ".join(f"{as_line(body[one:two])} {self._mark}" for one, two in cuts)


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
    body = "\n".join([*lines[:MOST_CODE_LINES], *(["…"] if len(lines) > MOST_CODE_LINES else [])])
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(body))])
    return f"{fence}\n{body}\n{fence}"
